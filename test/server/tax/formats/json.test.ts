import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAnswer } from '../../../../server/tax/formats/json.js';

/** The text of the numbers below `count`, and how often they were made. */
function list(count: number) {
  let made = 0;
  let sum = 0;
  function* rows(): Generator<number> {
    made++;
    for (let i = 0; i < count; i++) yield i;
  }
  const answer = listAnswer<number>({
    rows,
    note: (row) => {
      sum += row;
    },
    head: () => `{"sum":${sum},"rows":[`,
    write: String,
    tail: ']}',
  });
  const chunks = [...(answer as { chunks: Iterable<string> }).chunks];
  return { parsed: JSON.parse(chunks.join('')), made, longest: Math.max(...chunks.map((chunk) => chunk.length)) };
}

test('the head knows all rows', () => {
  for (const count of [0, 1, 7, 1999, 2000, 2001, 10_000]) {
    const { parsed } = list(count);
    assert.equal(parsed.sum, count === 0 ? 0 : (count * (count - 1)) / 2);
    assert.deepEqual(
      parsed.rows,
      Array.from({ length: count }, (_, i) => i),
    );
  }
});

test('short lists are made once, long ones twice and never held whole', () => {
  assert.equal(list(500).made, 1);
  const long = list(100_000);
  assert.equal(long.made, 2);
  assert.ok(long.longest < 10_000);
});
