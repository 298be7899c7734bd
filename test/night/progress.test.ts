import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalProgress } from '../../pipeline/night/progress.js';

/** The lines that a terminal shows after a text with control sequences: lines up, and clear from the beginning of this line. */
function screen(text: string): string[] {
  const lines: string[] = [];
  let row = 0;
  for (const part of text.replaceAll('\r', '').split('\u001b[')) {
    const [sequence = '', up] = /^(?:(\d+)A|J)/.exec(part) ?? [];
    if (up) row -= Number(up);
    else lines.length = row;
    const shown = part.slice(sequence.length).split('\n');
    for (const line of shown.slice(0, -1)) lines[row++] = line;
    assert.equal(shown.at(-1), '', 'the cursor stays at the beginning of a line');
  }
  return lines;
}

let text = '';
const make = () => {
  text = '';
  return terminalProgress((part) => {
    text += part;
  });
};

test('a terminal sees one line a finished step, and the running one redrawn below', () => {
  const progress = make();
  progress.begin('index and fold');
  progress.update('index and fold', 500, 1000);
  progress.update('index and fold', 501, 1000);
  assert.ok(!text.includes('500'), 'redrawn too often');
  progress.end('index and fold', 1234);
  progress.say('published h1-000000000000');
  assert.deepEqual(screen(text), ['✓ index and fold           1.23 s', 'published h1-000000000000']);
});

test('steps that run at the same time have a line each', () => {
  const progress = make();
  progress.begin('index and fold');
  progress.update('index and fold', 500, 1000);
  progress.begin('classify');
  progress.begin('audit');
  assert.deepEqual(screen(text), [
    '  index and fold           ████████████░░░░░░░░░░░░ 500/1000',
    '  classify                 …',
    '  audit                    …',
  ]);
  progress.end('classify', 20);
  progress.fail('audit');
  progress.say('something to know');
  assert.deepEqual(screen(text), [
    '✓ classify                 0.02 s',
    'something to know',
    '  index and fold           ████████████░░░░░░░░░░░░ 500/1000',
  ]);
});
