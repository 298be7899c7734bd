import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalProgress } from '../../pipeline/progress.js';

test('a terminal sees one line a finished step, and the running one redrawn in place', () => {
  let text = '';
  const progress = terminalProgress((part) => {
    text += part;
  });
  progress.begin('index blocks');
  progress.update(500, 1000);
  progress.update(501, 1000);
  progress.end(1234);
  progress.say('published h1-000000000000');
  // What stays after each carriage return and clearing of the line.
  const lines = text.split('\n').map((line) => line.split('\r\x1b[K').at(-1));
  assert.deepEqual(lines, ['✓ index blocks             1.23 s', 'published h1-000000000000', '']);
  assert.match(text, /index blocks {13}█{12}░{12} 500\/1000/);
  assert.ok(!text.includes('501'), 'redrawn too often');
});
