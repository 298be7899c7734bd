import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { requireFitting } from '../../../server/decisions/check-decisions.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { PARAMETERS, readParameters } from '../../../server/parameters/parameters.js';
import { Problem } from '../../../server/problem.js';
import { hash, makeEvent } from '../../ledger/wallets.js';
import { memoryDataset } from '../memory-dataset.js';

const A = PARAMETERS.address.examples[0]!;
const B = 'cosmos1q4dytkqyawrt4jhxfy939p9qw9ql9ekd0heyc7';
const { parameters: NAMES } = endpoints.find(({ path }) => path.endsWith('/events'))!;

/** Height 1: A pays B. Then two thousand fees of A. */
const payment = { sent_amount: 5n, sent_denom: 'uatom' };
const receipt = { received_amount: 5n, received_denom: 'uatom' };
const fee = { fee_amount: 1n, fee_denom: 'uatom' };
const ofA = (n: number, category: string, more: Partial<PricedEvent>) =>
  makeEvent(n, '2026-02-01', category, { ...more, address: A });
const dataset = memoryDataset({
  [A]: [ofA(1, 'transfer_out', payment), ...Array.from({ length: 2000 }, (_, n) => ofA(n + 2, 'fee', fee))],
  [B]: [makeEvent(1, '2026-02-01', 'transfer_in', { ...receipt, address: B, id: 'receipt' })],
});

async function faults(address: string, given: { tags?: object; assets?: object }): Promise<string[]> {
  const query = new Map([
    ['address', [address]],
    ['tags', [given.tags ? JSON.stringify(given.tags) : '']],
    ['asset_decisions', [given.assets ? JSON.stringify(given.assets) : '']],
  ]);
  const parameters = readParameters(NAMES, query, { reference: dataset.reference, today: '2026-06-01' });
  try {
    await requireFitting(parameters, dataset);
    return [];
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.status, 400);
    return error.extras.errors!.map(({ path }) => path);
  }
}

test('a tag must fit one of the rows of its transaction, in any wallet asked for', async () => {
  assert.deepEqual(await faults(A, { tags: { [hash(1)]: 'sale' } }), []);
  assert.deepEqual(await faults(B, { tags: { [hash(1)]: 'sale' } }), [`tags/${hash(1)}`]);
  assert.deepEqual(await faults(`${A},${B}`, { tags: { [hash(1)]: 'sale' } }), []);
  assert.deepEqual(await faults(`${A},${B}`, { tags: { [hash(1)]: 'gift' } }), []);
});

test('a tag on a mere fee fits nothing, wherever in the wallet it lies; one on no row is ignored', async () => {
  assert.deepEqual(await faults(A, { tags: { [hash(1999)]: 'expense' } }), [`tags/${hash(1999)}`]);
  assert.deepEqual(await faults(A, { tags: { [`${hash(1)}:uosmo`]: 'expense', [hash(5000)]: 'gift' } }), []);
});

test('coins cannot have been acquired after they came', async () => {
  const acquired = (date: string) => ({ assets: { receipt: { mode: 'override', acquired_date: date } } });
  assert.deepEqual(await faults(B, acquired('2026-02-01')), []);
  assert.deepEqual(await faults(B, acquired('2026-02-02')), ['asset_decisions/receipt/acquired_date']);
  assert.deepEqual(await faults(A, acquired('2026-02-02')), [], 'another wallet’s receipt');
});
