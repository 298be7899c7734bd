import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LogOutput } from '../../../pipeline/base/disk/line-buffer.js';
import { plainLine } from '../../../pipeline/base/disk/log-output.js';
import { until } from '../../until.js';

/** Output to a sink that takes `room` bytes, and forgets what it is asked while it is `silent`. */
function output(room = Number.POSITIVE_INFINITY) {
  const sink = { text: '', room, silent: false, attempts: 0, ended: false };
  const lost: number[] = [];
  const lines = new LogOutput(
    {
      send(bytes, sent) {
        sink.attempts++;
        if (sink.silent) return;
        const part = bytes.subarray(0, sink.room);
        sink.text += part;
        sink.room -= part.length;
        setImmediate(() => (part.length > 0 ? sent(null, part.length) : sent(new Error('no space left'), 0)));
      },
      sendNow: (bytes) => {
        sink.text += bytes;
      },
      end() {
        sink.ended = true;
      },
    },
    (count) => lost.push(count),
  );
  return { sink, lines, lost };
}

test('a terminal shows plain lines', () => {
  const cases: [object, string][] = [
    [{ level: 30, height: 7, msg: 'serving' }, '15:24:59  serving  height=7\n'],
    [{ level: 40, reason: 'no room', msg: 'no desk' }, '15:24:59  warning: no desk  reason=no room\n'],
    [
      { level: 30, request_id: 'r', method: 'GET', path: '/healthz', status: 200 },
      '15:24:59  GET /healthz  status=200\n',
    ],
    [
      { level: 50, err: { stack: 'Error: x\n    at y' }, msg: 'failed' },
      '15:24:59  error: failed\nError: x\n    at y\n',
    ],
  ];
  for (const [entry, plain] of cases) {
    assert.equal(plainLine(JSON.stringify({ time: '2026-11-25T15:24:59.359Z', ...entry })), plain);
  }
});

const line = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(1000) })}\n`;

test('lines go out in order, in batches, and the last ones at the end', async () => {
  const { sink, lines } = output();
  let expected = '';
  for (let n = 0; n < 100; n++) {
    lines.write(line(n));
    expected += line(n);
  }
  await lines.close();
  assert.equal(sink.text, expected);
  assert.ok(sink.attempts < 20, `${sink.attempts} attempts`);
  assert.ok(sink.ended);
});

test('a full disk keeps some lines waiting, counts the rest, and is told of when there is room again', async () => {
  const { sink, lines, lost } = output(1500);
  for (let n = 0; n < 3000; n++) {
    lines.write(line(n));
    if (n % 100 === 0) await turn();
  }
  assert.ok(sink.attempts < 10, 'nobody asks again at once');
  sink.room = Number.POSITIVE_INFINITY;
  await until(() => lost.length > 0, 'it is told');
  await lines.close();
  const kept = sink.text.trimEnd().split('\n');
  for (const [n, one] of kept.entries()) assert.equal(JSON.parse(one).n, n, 'no line is cut or out of order');
  assert.ok(kept.length > 900 && kept.length < 1200, `${kept.length} lines of a thousand characters are a megabyte`);
  assert.deepEqual(lost, [3000 - kept.length]);
});

test('a reader that takes nothing holds up neither whoever logs nor the end', async () => {
  const { sink, lines } = output();
  sink.silent = true;
  for (let n = 0; n < 5000; n++) lines.write(line(n));
  await lines.close();
  assert.equal(sink.attempts, 1);
  lines.sendLast();
  assert.equal(sink.text, '');
});

test('a process that ends by itself sends its last lines', () => {
  const { sink, lines } = output();
  lines.write(line(1));
  lines.sendLast();
  lines.sendLast();
  assert.equal(sink.text, line(1));
});
