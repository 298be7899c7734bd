import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { Networks } from '../../../server/contracts/networks.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { Problem } from '../../../server/http/problem.js';
import { type DecisionRule, withResolvedDecisions } from '../../../server/people/decisions.js';
import type { Queries } from '../../../server/people/store/store.js';
import type { Dataset } from '../../../server/tax/dataset/dataset.js';
import { PARAMETERS } from '../../../server/tax/parameters/parameter-schemas.js';
import { readParameters } from '../../../server/tax/parameters/parameters.js';
import { hash, makeEvent } from '../../books/ledger/wallets.js';
import { memoryDataset } from '../memory-dataset.js';
import { flaggedReceipt } from '../published.js';

const A = PARAMETERS.address.example;
const B = 'cosmos1q4dytkqyawrt4jhxfy939p9qw9ql9ekd0heyc7';
const EVENTS = endpoints.find(({ path }) => path.endsWith('/events'))!;

const ofA = (n: number, category: string, more: Partial<PricedEvent>) =>
  makeEvent(n, '2026-02-01', category, { ...more, address: A });
const toB = (n: number, day: string, id: string) =>
  makeEvent(n, day, 'transfer_in', { received_amount: 5n, received_denom: 'uatom', address: B, id });

/** Receipts of B, both of them flagged: A pays B at height 1 and again after two thousand fees of A. */
const receipts = [toB(1, '2026-02-01', 'first'), toB(3000, '2026-03-01', 'second')];
const fee = { fee_amount: 1n, fee_denom: 'uatom' };
const rows = memoryDataset({
  [A]: [
    ofA(1, 'transfer_out', { sent_amount: 5n, sent_denom: 'uatom' }),
    ...Array.from({ length: 2000 }, (_, n) => ofA(n + 2, 'fee', fee)),
  ],
  [B]: receipts,
});
const flagged = receipts.map((event) => flaggedReceipt(event));
const dataset: Dataset = { ...rows, flagged: (address) => flagged.filter((receipt) => receipt.address === address) };

interface Asked {
  readonly address: string;
  readonly end?: string;
  readonly tags?: object;
  readonly assets?: object;
  /** Decisions that the account has saved, by address; undefined where nobody is signed in. */
  readonly saved?: Readonly<Record<string, object>>;
  readonly rule?: DecisionRule;
  readonly data?: Dataset;
}

/** A store that knows saved decisions alone, and may be asked for them only. */
const storeOf = (saved: Asked['saved'] = {}): Queries => ({
  async query<Row>(name: string, parameters?: Readonly<Record<string, unknown>>) {
    assert.equal(name, 'saved-decisions/find');
    const rows = (parameters!.addresses as string[]).map((address) => ({ address, content: saved[address] }));
    return rows.filter(({ content }) => content) as Row[];
  },
});

function resolve({ address, end = '', tags, assets, saved, rule = EVENTS.decisions!, data = dataset }: Asked) {
  const query = new Map([
    ['address', [address]],
    ['end', [end]],
    ['tags', [tags ? JSON.stringify(tags) : '']],
    ['asset_decisions', [assets ? JSON.stringify(assets) : '']],
  ]);
  const { reference } = dataset;
  const networks = new Networks(undefined, reference.networks);
  const parameters = readParameters(EVENTS.parameters, { query }, { reference, networks, now: new Date('2026-06-01') });
  const account = saved && 'alice';
  return withResolvedDecisions(parameters, rule, { dataset: data, store: storeOf(saved), account });
}

async function refusalOf(asked: Asked): Promise<Problem> {
  const outcome = await resolve(asked).catch((error: unknown) => error);
  assert.ok(outcome instanceof Problem, JSON.stringify(asked));
  return outcome;
}

async function faults(asked: Asked): Promise<string[]> {
  const { status, extras } = await refusalOf(asked);
  assert.equal(status, 400);
  return extras.errors!.map(({ path }) => path);
}

const exclude = { mode: 'exclude' };
const BOTH = { first: exclude, second: exclude };
const late = { mode: 'override', acquired_date: '2026-03-02' };

test('a tag must fit one of the rows of its transaction, in any wallet asked for', async () => {
  await resolve({ address: A, tags: { [hash(1)]: 'sale' } });
  assert.deepEqual(await faults({ address: B, tags: { [hash(1)]: 'sale' }, assets: BOTH }), [`tags/${hash(1)}`]);
  await resolve({ address: `${A},${B}`, tags: { [hash(1)]: 'sale' }, assets: BOTH });
  await resolve({ address: `${A},${B}`, tags: { [hash(1)]: 'gift' }, assets: BOTH });
  // The row that it fits has a tag of its own, which is no fault of the hash: it is passed over.
  const sent = rows.events(A).next().value![0]!.id;
  const { tagged } = await resolve({ address: `${A},${B}`, tags: { [hash(1)]: 'sale', [sent]: 'gift' }, assets: BOTH });
  assert.deepEqual(
    tagged.map((tag) => tag.rows),
    [[], [sent]],
  );
  await resolve({ address: `${A},${B}`, tags: { [hash(1)]: 'sale', [`${hash(1)}:uatom`]: 'gift' }, assets: BOTH });
});

test('a tag whose hash has only fees is refused; a key whose denom or hash no row has is not', async () => {
  assert.deepEqual(await faults({ address: A, tags: { [hash(1999)]: 'expense' } }), [`tags/${hash(1999)}`]);
  const osmo = `${hash(1)}:uosmo`;
  const { tagged } = await resolve({ address: A, tags: { [osmo]: 'expense', [hash(5000)]: 'gift' } });
  assert.deepEqual(tagged, [
    { key: osmo, tag: 'expense', rows: [], reason: 'its rows have no coins of uosmo, only of uatom' },
    { key: hash(5000), tag: 'gift', rows: [] },
  ]);
});

test('coins cannot have been acquired after they came', async () => {
  const acquired = (date: string) => ({ ...BOTH, first: { mode: 'override', acquired_date: date } });
  await resolve({ address: B, assets: acquired('2026-02-01') });
  assert.deepEqual(await faults({ address: B, assets: acquired('2026-02-02') }), [
    'asset_decisions/first/acquired_date',
  ]);
  await resolve({ address: A, assets: acquired('2026-02-02') });
});

test('what does not fit is told before what is missing is asked for', async () => {
  const undecided = await refusalOf({ address: B, assets: { first: exclude } });
  assert.deepEqual([undecided.code, undecided.extras.pending], ['asset_decisions_required', 1]);
  assert.deepEqual(await faults({ address: B, assets: { second: late } }), ['asset_decisions/second/acquired_date']);
  assert.deepEqual(await faults({ address: B, tags: { [hash(1)]: 'sale' }, assets: { second: late } }), [
    `tags/${hash(1)}`,
    'asset_decisions/second/acquired_date',
  ]);
});

test('one decision for many receipts: the own entry of a record wins, then the narrower key', async () => {
  const asMany = async (assets: object) =>
    [...(await resolve({ address: B, assets })).decisions.assets].map(([id, { mode }]) => `${id} ${mode}`);
  assert.deepEqual(await asMany({ '*': exclude }), ['first exclude', 'second exclude']);
  assert.deepEqual(await asMany({ '*:suspected_spam': exclude, second: { mode: 'keep' } }), [
    'first exclude',
    'second keep',
  ]);
  assert.equal((await refusalOf({ address: B, assets: { '*:identity_mismatch': exclude } })).extras.pending, 2);
  const saved = { [B]: { first: { mode: 'keep' } } };
  const { decisions } = await resolve({ address: B, assets: { '*': exclude }, saved });
  assert.deepEqual(
    [...decisions.assets.values()].map(({ mode }) => mode),
    ['keep', 'exclude'],
  );
});

test('an override of value, basis or date may name any row that makes a lot; of value, also a disposal', async () => {
  const plain: Dataset = { ...dataset, flagged: () => [] };
  const ask = (assets: object) => resolve({ address: B, assets, data: plain });
  const { decisions } = await ask({ first: { mode: 'override', cost_basis_usd: '7' }, second: exclude });
  assert.deepEqual([...decisions.assets], [['first', { mode: 'override', cost: 700n, keepsTreatment: true }]]);
  const wrong = { first: { mode: 'override', token: 'OSMO', quantity: '1' }, second: late };
  assert.deepEqual(await faults({ address: B, assets: wrong, data: plain }), [
    'asset_decisions/first/token',
    'asset_decisions/first/quantity',
    'asset_decisions/second/acquired_date',
  ]);
  const swap = makeEvent(9, '2026-03-01', 'swap', {
    ...{ sent_amount: 1n, sent_denom: 'uatom', received_amount: 1n, received_denom: 'ibc/unheard', address: B },
  });
  const swapped: Dataset = { ...memoryDataset({ [B]: [swap] }), flagged: () => [] };
  const stated = await resolve({
    address: B,
    assets: { [swap.id]: { mode: 'override', value_usd: '1' } },
    data: swapped,
  });
  assert.deepEqual([...stated.decisions.assets.keys()], [swap.id]);
  const [{ id: sent }, { id: fee }] = rows.events(A).next().value as [PricedEvent, PricedEvent];
  const override = { mode: 'override', value_usd: '1' };
  const sold = await resolve({ address: A, assets: { [sent]: override, [fee]: override }, data: plain });
  assert.deepEqual([...sold.decisions.assets.keys()], [sent, fee]);
  const misplaced = { [sent]: { ...override, quantity: '1', acquired_date: '2026-01-01', cost_basis_usd: '1' } };
  assert.deepEqual(
    await faults({ address: A, assets: misplaced, data: plain }),
    ['quantity', 'cost_basis_usd', 'acquired_date'].map((member) => `asset_decisions/${sent}/${member}`),
  );
});

test('only a row that loses coins or makes a lot has a value to state, with its tag or without', async () => {
  const out = (n: number, category: string, more: Partial<PricedEvent> = {}) =>
    ofA(n, category, { sent_amount: 5n, sent_denom: 'uatom', ...more });
  const own = [
    out(1, 'delegate'),
    out(2, 'contract_deposit', { counterparty: 'contract' }),
    out(3, 'ibc_out', { to_own_key: true }),
    out(4, 'slash'),
    out(5, 'reward_redirected'),
  ];
  const data: Dataset = { ...memoryDataset({ [A]: own }), flagged: () => [] };
  const assets = Object.fromEntries(own.map(({ id }) => [id, { mode: 'override', value_usd: '1' }]));
  const refused = (...rows: PricedEvent[]) => rows.map(({ id }) => `asset_decisions/${id}`);
  assert.deepEqual(await faults({ address: A, assets, data }), refused(own[0]!, own[1]!, own[4]!));
  const tags = { [own[1]!.id]: 'sale' };
  assert.deepEqual(await faults({ address: A, assets, tags, data }), refused(own[0]!, own[4]!));
});

test('a tag by row id may state the value of its row, which an asset decision must not state again', async () => {
  const plain: Dataset = { ...dataset, flagged: () => [] };
  const sent = rows.events(A).next().value![0]!.id;
  const tags = { [sent]: { tag: 'sale', value_usd: '12.345' } };
  const { decisions, tagged } = await resolve({ address: A, tags, data: plain });
  assert.deepEqual([...decisions.assets], [[sent, { mode: 'override', value: 1235n, keepsTreatment: true }]]);
  assert.deepEqual(tagged, [{ key: sent, tag: 'sale', rows: [sent] }]);
  const assets = { [sent]: { mode: 'override', value_usd: '1' } };
  assert.deepEqual(await faults({ address: A, tags, assets, data: plain }), [`tags/${sent}/value_usd`]);
  const saved = await resolve({ address: A, tags, saved: { [A]: assets }, data: plain });
  assert.deepEqual([...saved.decisions.assets], [...decisions.assets]);
  const spam = toB(1, '2026-02-01', '1-0-in');
  const suspected: Dataset = { ...memoryDataset({ [B]: [spam] }), flagged: () => [flaggedReceipt(spam)] };
  const income = { [spam.id]: { tag: 'income', value_usd: '1' } };
  assert.deepEqual(await faults({ address: B, tags: income, data: suspected }), [`tags/${spam.id}/value_usd`]);
});

test('receipts of the period alone need a decision; those outside it take one', async () => {
  const { decisions } = await resolve({ address: B, end: '2026-02-28', assets: { first: exclude } });
  assert.deepEqual([...decisions.assets.keys()], ['first']);
  assert.equal((await refusalOf({ address: B, end: '2026-02-28' })).extras.pending, 1);
  assert.equal((await refusalOf({ address: B })).extras.pending, 2);
  assert.deepEqual(await faults({ address: B, end: '2026-02-28', assets: { ...BOTH, second: late } }), [
    'asset_decisions/second/acquired_date',
  ]);
});

test('decisions about anything but flagged receipts of the wallets are ignored', async () => {
  const { decisions } = await resolve({
    address: A,
    assets: { first: late, unheard: exclude, [ofA(1, 'fee', {}).id]: exclude },
  });
  assert.equal(decisions.assets.size, 0);
});

test('a decision of the request goes before a saved one; a saved one makes the answer personal', async () => {
  const saved = { [B]: { first: late, second: exclude } };
  const { decisions, personal } = await resolve({ address: B, assets: { first: exclude }, saved });
  assert.deepEqual(decisions.assets, new Map(Object.entries(BOTH)));
  assert.equal(personal, true);
  const plain = await resolve({ address: B, saved: { [B]: BOTH } });
  assert.deepEqual([plain.decisions.assets.size, plain.personal], [2, true]);
  assert.equal((await resolve({ address: A, saved })).personal, false);
});

test('a saved decision that fits no more, cannot be read or stands under another address decides nothing', async () => {
  const pending = async (saved: Asked['saved']) =>
    (await refusalOf({ address: B, ...(saved && { saved }) })).extras.pending;
  assert.equal(await pending({ [B]: { first: late, second: exclude } }), 1);
  assert.equal(await pending({ [B]: { first: { mode: 'sell' }, second: exclude } }), 2);
  assert.equal(await pending({ [A]: BOTH }), 2);
  assert.equal(await pending({ [B]: {} }), 2);
  assert.equal(await pending(undefined), 2);
});

test('where saved decisions about receipts do not count these wait; where undecided ones are listed nothing is refused', async () => {
  const positions = { ...EVENTS.decisions!, saved: false };
  assert.equal((await refusalOf({ address: B, saved: { [B]: BOTH }, rule: positions })).extras.pending, 2);
  const listed = await resolve({ address: B, rule: { ...EVENTS.decisions!, undecided: 'listed' } });
  assert.deepEqual([listed.decisions.assets.size, listed.personal], [0, false]);
});
