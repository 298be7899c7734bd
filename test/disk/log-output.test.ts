import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LogOutput } from '../../pipeline/disk/log-output.js';
import { readNextNight } from '../../pipeline/disk/next-night.js';
import { NightCase } from '../pipeline/night-case.js';
import { loaders, program } from '../scripts/run-program.js';
import { freePort } from '../server/processes/free-port.js';

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
    if (n % 100 === 0) await wait(1);
  }
  assert.ok(sink.attempts < 10, 'nobody asks again at once');
  sink.room = Number.POSITIVE_INFINITY;
  while (lost.length === 0) await wait(10);
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
  const began = performance.now();
  await lines.close();
  assert.ok(performance.now() - began < 30_000);
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

for (const full of ['/dev/full'].filter(existsSync)) {
  test('a night, a server and a scheduler do their work with a log on a full disk, and end when they are told', async (t) => {
    const chain = new NightCase();
    t.after(() => chain.remove());
    const output = openSync(full, 'w');
    const port = String(await freePort());
    const start = (...words: string[]) => {
      const environment = { PATH: process.env.PATH, HUBLEDGER_PORT: port, ...chain.environment('data') };
      const child = spawn(process.execPath, [...loaders, program, ...words], {
        env: environment,
        stdio: ['ignore', output, 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      return { child, ended: once(child, 'exit') };
    };
    assert.deepEqual(await start('nightly').ended, [0, null]);
    const isServing = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok;
    const isScheduled = async () => readNextNight(chain.path('data')) !== undefined;
    const schedule = ['schedule', '--nightly', '0 0 1 1 *', '--watch-releases', '0 0 1 1 *'];
    for (const [words, isReady] of [
      [['serve'], isServing],
      [schedule, isScheduled],
    ] as const) {
      const { child, ended } = start(...words);
      while (!(await isReady()) && child.exitCode === null) await wait(50);
      child.kill('SIGINT');
      assert.deepEqual(await ended, [0, null], words[0]);
    }
  });
}
