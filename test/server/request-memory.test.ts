import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../pipeline/reference.js';
import { Networks } from '../../server/contracts/networks.js';
import { readQuery } from '../../server/http/request-input.js';
import { readParameters } from '../../server/parameters/parameters.js';
import { RequestMemory } from '../../server/request-memory.js';

const reference = loadReference();
const context = { reference, networks: new Networks(undefined, reference.networks), today: '2026-06-01' };
let reads = 0;

function recall(memory: RequestMemory, version: string, query: string) {
  return memory.recall(version, '/path', query, () => {
    reads++;
    const parameters = readParameters(['chain', 'tags', 'format'], { query: readQuery(query) }, context);
    const shared = parameters.personal ? undefined : { canonical: query, etag: `${version} ${query}` };
    return { parameters, shared };
  });
}

/** How many of the queries had to be read. */
function readsOf(queries: readonly string[], memory = new RequestMemory()): number {
  reads = 0;
  for (const query of queries) recall(memory, 'one', query);
  return reads;
}

test('a query is read once, until what it depends on changes', () => {
  const memory = new RequestMemory();
  assert.equal(readsOf(['format=csv', 'format=csv', '', '', 'format=csv'], memory), 2);
  assert.equal(recall(memory, 'one', 'format=csv').shared?.etag, 'one format=csv');
  assert.equal(recall(memory, 'two', 'format=csv').shared?.etag, 'two format=csv');
  assert.equal(reads, 3);
});

test('what callers tell about themselves, long queries and refusals are not kept', () => {
  assert.equal(readsOf(['tags={}', 'tags={}']), 2);
  const long = `x=${'y'.repeat(600)}`;
  assert.equal(readsOf([long, long]), 2);
  const memory = new RequestMemory();
  for (let i = 0; i < 2; i++) assert.throws(() => recall(memory, 'one', 'format=xml'), /must be json or csv/);
});

test('no caller can fill the memory', () => {
  const memory = new RequestMemory();
  for (let i = 0; i < 10_001; i++) recall(memory, 'one', `x=${i}`);
  reads = 0;
  recall(memory, 'one', 'x=0');
  assert.equal(reads, 1);
});
