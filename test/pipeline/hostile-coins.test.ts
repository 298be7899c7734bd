/** Coins that anybody can make in any number and send to anybody, and fees of an account that has no rows: nights go on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { VariableError } from '../../pipeline/base/config-error.js';
import { shareRecordAccount } from '../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { verify } from '../../pipeline/publish/verify/verify.js';
import type { HoldingsAt, Manifest, Rewards } from '../../schemas/types.generated.js';
import { sequenceEvent } from '../chain/seal.js';
import { chain as facts } from '../classify/events.js';
import { account } from '../holdings/small-chain.js';
import { openDatabase } from '../open-database.js';
import { startServer, type TestServer } from '../server/harness.js';
import { CUT, type Cut, FOLDED, NightCase } from './night-case.js';

type Pairs = Readonly<Record<string, string>>;

interface Recorded {
  height: number;
  block: { block: { data: { txs: string[] | null } } };
  block_results: { txs_results: { code?: number; events: object[] | null }[] | null };
}

interface RecordedEvent {
  type: string;
  attributes: { key: string; value: string }[];
}

const TOKENFACTORY = 'cosmos19ejy8n9qsectrf4semdp9cpknflld0j6aqaddp';
const MAKER = account(7);
const DENOM = `factory/${MAKER}/huge`;

const event = (type: string, pairs: Pairs) => ({
  type,
  attributes: Object.entries({ ...pairs, msg_index: '0' }).map(([key, value]) => ({ key, value })),
});

const sent = (sender: string, receiver: string, amount: string) => [
  event('coin_spent', { spender: sender, amount }),
  event('coin_received', { receiver, amount }),
];

const minted = (amount: string) => [
  event('coin_received', { receiver: TOKENFACTORY, amount }),
  event('coinbase', { minter: TOKENFACTORY, amount }),
  ...sent(TOKENFACTORY, MAKER, amount),
  event('tf_mint', { mint_to_address: MAKER, amount }),
];

/**
 * A chain of which the first successful transactions of the index have more events: one list each.
 * @param more makes them; it is given the id of a share record whose token the chain has
 */
function withMore(cut: Cut, more: (record: string) => readonly object[][]): NightCase {
  const chain = new NightCase(cut);
  const recorded = chain.lines();
  const left = [...more(/cosmosvaloper1[0-9a-z]+\/(\d+)"/.exec(recorded.join('\n'))![1]!)];
  const lines = recorded.map((line) => {
    const block: Recorded = JSON.parse(line);
    if (block.height < cut.first) return line;
    for (const { code, events } of block.block_results.txs_results ?? []) {
      if ((code ?? 0) === 0 && events?.length) events.push(...(left.shift() ?? []));
    }
    return JSON.stringify(block);
  });
  assert.equal(left.length, 0);
  chain.record(lines);
  return chain;
}

/** Makes the dataset, in which nothing may be wrong. */
async function manifestOf(chain: NightCase): Promise<Manifest> {
  try {
    const { generation } = await chain.night('data');
    const folder = chain.path('data/generations', generation);
    for await (const { ok, text } of verify(folder)) assert.ok(ok, text);
    return readManifest(folder);
  } finally {
    chain.remove();
  }
}

for (const cut of [CUT, FOLDED]) {
  const circumstance = cut.genesis ? 'with holdings' : 'without holdings';

  test(`a token that adds up to more than a table holds is in none, ${circumstance}`, async () => {
    const { oversized } = await manifestOf(withMore(cut, () => Array(8).fill(minted(`24${'0'.repeat(36)}${DENOM}`))));
    assert.deepEqual(oversized, [{ height: cut.last, tx_hash: 'sum', denom: DENOM }]);
  });

  test(`coins for the account of a share record are in no row, ${circumstance}`, async () => {
    const gift = (record: string) => [
      ...minted(`5${DENOM}`),
      ...sent(MAKER, shareRecordAccount(record, 'cosmos', sha256), `1${DENOM}`),
    ];
    await manifestOf(withMore(cut, (record) => [gift(record)]));
  });
}

test('a token that adds up to what a table holds keeps its rows', async () => {
  const { oversized } = await manifestOf(withMore(CUT, () => Array(2).fill(minted(`2${'4'.repeat(37)}${DENOM}`))));
  assert.deepEqual(oversized, []);
});

/** A transaction with another memo. */
function withMemo(transaction: string, memo: string): string {
  const raw = TxRaw.decode(Buffer.from(transaction, 'base64'));
  const bodyBytes = TxBody.encode({ ...TxBody.decode(raw.bodyBytes), memo }).finish();
  return Buffer.from(TxRaw.encode({ ...raw, bodyBytes }).finish()).toString('base64');
}

/** A chain of which one block of the index has more transactions, of these events each. */
function withMoreInOneBlock(cut: Cut, more: readonly object[][]): NightCase {
  const chain = new NightCase(cut);
  const blocks: Recorded[] = chain.lines().map((line) => JSON.parse(line));
  const { block, block_results } = blocks.find((one) => one.height >= cut.first && one.block.block.data.txs?.length)!;
  const { txs } = block.block.data;
  for (const [i, events] of more.entries()) {
    txs!.push(withMemo(txs![0]!, `another ${i}`));
    block_results.txs_results!.push({ code: 0, events: [sequenceEvent, ...events] });
  }
  chain.record(blocks.map((one) => JSON.stringify(one)));
  return chain;
}

test('a token of which one block moves twice what a table holds keeps its rows', async () => {
  const part = (digits: string) => `${digits}${'0'.repeat(36)}${DENOM}`;
  const taker = [1, 2, 3, 4, 5, 6].map(account).find((address) => address < MAKER)!;
  const made = Array(4).fill(minted(part('24')));
  const given = Array(2).fill(sent(MAKER, taker, part('48')));
  const { oversized } = await manifestOf(withMoreInOneBlock(CUT, [...made, ...given]));
  assert.deepEqual(oversized, []);
});

test('memos that begin with byte order marks are those of flagged receipts, too', async () => {
  const chain = new NightCase(FOLDED);
  const lines = chain.lines().map((line) => {
    const record: Recorded = JSON.parse(line);
    const { data } = record.block.block;
    data.txs = data.txs?.map((transaction) => withMemo(transaction, '\uFEFF\uFEFFClaim at www.gift.example')) ?? null;
    return JSON.stringify(record);
  });
  chain.record(lines);
  const { tables } = await manifestOf(chain);
  assert.ok(tables.find(({ name }) => name === 'flagged_receipts')!.rows > 0);
});

test("a fee that governance's own account has granted an allowance for is in no row", async () => {
  const chain = new NightCase(CUT);
  const spent = (spender: string) =>
    `{"type":"coin_spent","attributes":[{"key":"spender","value":"${spender}","index":true}`;
  const lines = chain.lines();
  const found = lines.findIndex((line) => JSON.parse(line).height >= CUT.first && line.includes('"fee_pay"'));
  const { events } = (JSON.parse(lines[found]!) as Recorded).block_results.txs_results!.find(({ code }) => !code)!;
  const [{ value: payer }] = (events as { type: string; attributes: { value: string }[] }[]).find(
    ({ type }) => type === 'coin_spent',
  )!.attributes as [{ value: string }];
  assert.ok(lines[found]!.includes(spent(payer)));
  lines[found] = lines[found]!.replace(spent(payer), spent(facts.module('gov')));
  chain.record(lines);
  await manifestOf(chain);
});

test('a fee of two coins, as without the fee market, is two rows of one transaction', async () => {
  const chain = new NightCase(CUT);
  const blocks: Recorded[] = chain.lines().map((line) => JSON.parse(line));
  const results = blocks.flatMap(({ height, block_results: { txs_results } }) =>
    height < CUT.first ? [] : (txs_results ?? []),
  );
  const paid = results.find(({ code, events }) => !code && events?.length)!.events as RecordedEvent[];
  const [spent, received] = ['coin_spent', 'coin_received'].map((type) => paid.find((one) => one.type === type)!);
  for (const { attributes } of [spent!, received!]) {
    const amount = attributes.find(({ key }) => key === 'amount')!;
    amount.value = `5${DENOM},${amount.value}`;
  }
  chain.record(blocks.map((one) => JSON.stringify(one)));
  await manifestOf(chain);
});

test('corrections that add up to more than a table holds stop the night as what they are', async () => {
  const chain = new NightCase(FOLDED);
  try {
    const path = chain.path('corrections.json');
    const change = { kind: 'adjust_balance', account: account(9), denom: 'uatom', amount: '9'.repeat(38) };
    writeFileSync(path, JSON.stringify([{ height: FOLDED.first, what: [change, change], source: 'nobody' }]));
    chain.variables = { HUBLEDGER_CORRECTIONS: path };
    await assert.rejects(
      () => chain.night('data'),
      (error) =>
        error instanceof VariableError &&
        error.message ===
          `HUBLEDGER_CORRECTIONS: ${path}: with its adjust_balance uatom adds up to more than 38 digits`,
    );
  } finally {
    chain.remove();
  }
});

const OPERATOR = 'cosmosvaloper147y2nvnha8vzt9qqrx43mq47l5t6uljpknn9s0';
const LAST_CLAIM = 371;

/** A chain in which somebody gives coins to a validator's delegators, after the last of them has claimed. */
function withGift(amounts: readonly string[]): NightCase {
  const chain = new NightCase(FOLDED);
  const left = amounts.map((amount) => [
    ...minted(amount),
    ...sent(MAKER, facts.module('distribution'), amount),
    event('commission', { amount: '', validator: OPERATOR }),
    event('rewards', { amount: amount.replace(/^\d+/, '$&.000000000000000000'), validator: OPERATOR }),
  ]);
  const lines = chain.lines().map((line) => {
    const block: Recorded = JSON.parse(line);
    if (block.height <= LAST_CLAIM) return line;
    for (const { code, events } of block.block_results.txs_results ?? []) {
      if ((code ?? 0) === 0 && events?.length) events.push(...(left.shift() ?? []));
    }
    return JSON.stringify(block);
  });
  assert.equal(left.length, 0);
  chain.record(lines);
  return chain;
}

interface Unclaimed {
  readonly address: string;
  readonly denom: string;
  readonly earned: string | null;
  readonly unclaimed: string | null;
}

test('rewards of a denom with a huge supply are exact, or null where the ratio is too large', async () => {
  const [exact, huge] = [`factory/${MAKER}/exact`, DENOM];
  const chain = withGift([`1${'0'.repeat(30)}${exact}`, `1${'0'.repeat(37)}${huge}`]);
  const database = await openDatabase();
  let server: TestServer | undefined;
  try {
    const { generation } = await chain.night('data');
    const folder = chain.path('data/generations', generation);
    for await (const { ok, text } of verify(folder)) assert.ok(ok, text);
    const manifest = readManifest(folder);
    assert.deepEqual([manifest.holdings_stop, manifest.oversized], [null, []]);
    await database.attach('reward_months', tableFiles(folder, manifest, 'reward_months'));
    const rows = await database.all<Unclaimed>(
      "select address, denom, earned::varchar as earned, unclaimed::varchar as unclaimed from reward_months where denom like 'factory%' order by all",
    );
    const of = (denom: string) => rows.filter((row) => row.denom === denom);
    assert.ok(of(exact).length > 0);
    // Delegations that began after the gift have nothing of it, but a ratio that is null does not show this.
    const unknown = new Set(of(huge).map(({ address }) => address));
    assert.ok(of(exact).every(({ address }) => unknown.has(address)));
    for (const { earned, unclaimed } of of(huge)) assert.deepEqual([earned, unclaimed], [null, null]);
    const sum = of(exact).reduce((total, { unclaimed }) => total + BigInt(unclaimed!), 0n);
    const lost = 10n ** 30n - sum;
    assert.ok(lost >= 0n && lost < 10n ** 14n, `${sum}`);

    server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
    await server.datasets.refresh();
    const get = async (path: string) => JSON.parse((await server!.ask(`/api/tax/v1/${path}`)).text);
    for (const { address, unclaimed } of of(exact)) {
      const held = await get(`holdings?address=${address}&at=2026-02-19T00:00:00Z`);
      const assets = (held as HoldingsAt).wallets[0]!.assets;
      const asset = (denom: string) => assets.find((one) => one.denom === denom)!;
      assert.equal(asset(exact).unclaimed, unclaimed);
      assert.equal(asset(huge).unclaimed, null);
      assert.deepEqual(asset(huge).unclaimed_reason, { code: 'too_large', before: null, after: null });
      const { periods }: Rewards = await get(`rewards?address=${address}&interval=month`);
      const period = (denom: string) => periods.find((one) => one.denom === denom && one.period === '2026-02')!;
      assert.deepEqual([period(exact).unclaimed, period(exact).earned], [unclaimed, unclaimed]);
      const { unclaimed: owed, earned, paid, value_at_close } = period(huge);
      assert.deepEqual([owed, earned, paid, value_at_close], [null, null, '0', null]);
    }
  } finally {
    await server?.close();
    database.close();
    chain.remove();
  }
});
