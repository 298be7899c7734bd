import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { Networks } from '../../../server/contracts/networks.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { readParameters } from '../../../server/parameters/parameters.js';
import { Problem } from '../../../server/problem.js';

const reference = loadReference();
const context = { reference, networks: new Networks(undefined, reference.networks), today: '2026-06-01' };
const SERIES = endpoints.find(({ path }) => path.endsWith('/price-series'))!.parameters;

const read = (values: Record<string, string>) =>
  readParameters(SERIES, { query: new Map(Object.entries(values).map(([name, value]) => [name, [value]])) }, context);

/** The names that a refused request is told. */
function pathsOf(values: Record<string, string>): string[] {
  try {
    read(values);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.extras.errors!.map(({ path }) => path);
  }
  return assert.fail('not refused');
}

test('a price series ends today and is 90 days long; 730 days are the most', () => {
  const range = (values: Record<string, string>) => {
    const { start, end } = read(values).range;
    return [start, end];
  };
  assert.deepEqual(range({}), ['2026-03-03', '2026-06-01']);
  assert.deepEqual(range({ end: '2026-03-31' }), ['2025-12-31', '2026-03-31']);
  assert.deepEqual(range({ start: '2026-06-01' }), ['2026-06-01', '2026-06-01']);
  assert.deepEqual(range({ start: '2024-01-01', end: '2025-12-31' }), ['2024-01-01', '2025-12-31']);
  assert.deepEqual(pathsOf({ start: '2024-01-01', end: '2026-01-01' }), ['start']);
  assert.deepEqual(pathsOf({ start: '2026-06-02' }), ['start']);
  assert.deepEqual(pathsOf({ end: '2026-02-30' }), ['end']);
});

test('a price series takes other names of the network, and only known denoms', () => {
  for (const chain of ['cosmoshub', 'cosmoshub-4', 'mainnet']) assert.equal(read({ chain }).chain, 'cosmoshub');
  assert.deepEqual(pathsOf({ chain: 'testnet', denom: 'ATOM' }), ['denom', 'chain']);
  assert.equal(read({}).denom, 'uatom');
});
