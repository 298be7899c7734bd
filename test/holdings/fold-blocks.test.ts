/** Compares the fold with the recorded node, figure by figure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EdgeCalendar } from '../../pipeline/base/values/edges.js';
import type { ChainEventRecord, FullBlock, Message } from '../../pipeline/chain/block.js';
import { deserializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { emitDay } from '../../pipeline/holdings/modules/stake-rows.js';
import { loadStartingState, sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import type { Emit, HoldingsState } from '../../pipeline/holdings/state.js';
import { parseTime } from '../../pipeline/holdings/values/time.js';
import { proveHoldings } from './prove-holdings.js';
import { BLOCKS, EXPORT, GENESIS, linesOf, openGenesis, readSample, STATES } from './recording.js';
import { block, openSmallChain, validatorsOf } from './small-chain.js';

function foldAll(state: HoldingsState, blocks: readonly FullBlock[]): unknown[] {
  const rows: unknown[] = [];
  const emit: Emit = (table, row) => rows.push({ table, ...row });
  for (const block of blocks) foldBlock(state, block, emit);
  return rows;
}

test('every recorded figure of stakes, rewards, validators and pools is met to the last decimal', async () => {
  const proof = await proveHoldings(BLOCKS, STATES, GENESIS);
  assert.deepEqual(proof.differences, []);
  assert.ok(proof.statePoints > 1700, `${proof.statePoints} figures of the state`);
  assert.ok(proof.rowPoints > 8000, `${proof.rowPoints} figures from the rows alone`);
});

test('folded from genesis, the state is the one that the chain exports: periods, stakes, ratios and all', async () => {
  const state = await openGenesis();
  foldAll(state, await readSample());
  const { state: exported } = await loadStartingState(EXPORT);
  const withoutClock = (lines: string[]) => {
    const { time, day, unbondings, ...header } = JSON.parse(lines[0]!);
    const withoutSince = JSON.stringify(unbondings, (name, value) => (name === 'since' ? undefined : value));
    return [JSON.stringify(header), withoutSince, ...lines.slice(1)];
  };
  assert.deepEqual(withoutClock(linesOf(state)), withoutClock(linesOf(exported)));
});

test('before a block after an edge, a validator has a row, except at the start and where a day ends', async () => {
  const chain = [1, 2, 3, 22, 23, 24, 25, 26].map((hour, i) => ({ ...block(i + 1, {}), time: block(hour, {}).time }));
  const edges = [
    'T00:30',
    'T01:00',
    'T01:00:00.000000001',
    'T01:30',
    'T03:00',
    'T23:30',
    'T24:00',
    'T25:00:00.1',
    'T26:01',
  ];
  const nanos = edges.map((hour) => {
    const [, hours, rest] = /^T(\d\d)(.*)$/.exec(hour)!;
    return parseTime(`2026-01-01T00${rest}${/:\d\d:/.test(rest!) ? '' : ':00'}Z`) + BigInt(hours!) * 3_600_000_000_000n;
  });
  const calendar = new EdgeCalendar([], nanos);
  const rows: string[] = [];
  const state = openSmallChain(validatorsOf(2n, 1n));
  for (const one of chain) {
    foldBlock(
      state,
      one,
      (table, row) => {
        if (table === 'validator_edges' && 'height' in row)
          rows.push(`${row.height} ${JSON.stringify(Object.keys(row))}`);
      },
      { hasEdge: (period) => calendar.hasEdge(period) },
    );
  }
  const columns = '["validator","height","tokens","shares","ratio"]';
  assert.deepEqual(
    rows,
    [1, 2, 7].flatMap((height) => [`${height} ${columns}`, `${height} ${columns}`]),
  );
});

test('resumed from a checkpoint, rows and state are those of one run', async () => {
  const blocks = await readSample();
  const whole = await openGenesis();
  const rows = foldAll(whole, blocks);
  const parts = await openGenesis();
  const first = foldAll(parts, blocks.slice(0, 400)); // in the middle of a day, between two slashes
  const resumed = deserializeState(linesOf(parts), sha256);
  assert.deepEqual(linesOf(resumed), linesOf(parts));
  const inOrder = (all: unknown[]) =>
    all.map((row) => JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? `${v}n` : v))).sort();
  assert.deepEqual(inOrder([...first, ...foldAll(resumed, blocks.slice(400))]), inOrder(rows));
  assert.deepEqual(linesOf(resumed), linesOf(whole));
});

const SPELLED = ['validator', 'delegator', 'source_validator', 'destination_validator', 'share_owner'];

/** Writes all addresses in capitals, as staking events do for such messages. */
function inCapitals(block: FullBlock): FullBlock {
  const spell = (pair: { key: string; value: string }) =>
    SPELLED.includes(pair.key) ? { ...pair, value: pair.value.toUpperCase() } : pair;
  const spellMessage = (message: Message): Message => {
    const members = Object.entries(message.value ?? {}).map(([name, value]) =>
      /^validatorAddr/.test(name) ? [name, String(value).toUpperCase()] : [name, value],
    );
    return { ...message, value: Object.fromEntries(members), inner: message.inner.map(spellMessage) };
  };
  const transactions = block.transactions.map((transaction) => ({
    ...transaction,
    messages: transaction.messages.map(spellMessage),
    events: transaction.events.map(({ type, attributes }) => ({ type, attributes: attributes.map(spell) })),
  }));
  return { ...block, transactions };
}

test('addresses in capitals, as the chain takes them, are the same accounts', async () => {
  const blocks = (await readSample()).slice(0, 450);
  const [usual, capital] = [await openGenesis(), await openGenesis()];
  foldAll(usual, blocks);
  foldAll(capital, blocks.map(inCapitals));
  assert.deepEqual(linesOf(capital), linesOf(usual));
});

test('the day under way can be shown after any block, and changes nothing', async () => {
  const blocks = (await readSample()).slice(0, 60);
  const [shown, silent] = [await openGenesis(), await openGenesis()];
  foldAll(silent, blocks);
  for (const block of blocks) {
    foldBlock(shown, block, () => {});
    emitDay(shown, () => {});
  }
  assert.deepEqual(linesOf(shown), linesOf(silent));
});

/** Changes one attribute of one event. */
function forge(block: FullBlock, type: string, key: string, value: (old: string) => string): FullBlock {
  let isDone = false;
  const transactions = block.transactions.map((transaction) => ({
    ...transaction,
    events: transaction.events.map((event) => {
      if (event.type !== type || isDone || transaction.code !== 0) return event;
      isDone = true;
      const change = (one: { key: string; value: string }) =>
        one.key === key ? { key, value: value(one.value) } : one;
      return { ...event, attributes: event.attributes.map(change) };
    }),
  }));
  return { ...block, transactions };
}

const oneMore = (amount: string) => amount.replace(/^\d+/, (digits) => String(BigInt(digits) + 1n));

test('a figure that is off by one ends the fold, and the error says where and by how much', async () => {
  const blocks = await readSample();
  const forgeries: [type: string, key: string, what: string][] = [
    ['withdraw_rewards', 'amount', 'withdrawn reward'],
    ['delegate', 'amount', 'issued shares'],
    ['unbond', 'amount', 'undelegated tokens'],
    ['withdraw_commission', 'amount', 'commission'],
  ];
  for (const [type, key, what] of forgeries) {
    const found = blocks.findIndex(({ transactions }) =>
      transactions.some(({ code, events }) => code === 0 && events.some((event) => event.type === type)),
    );
    const state = await openGenesis();
    foldAll(state, blocks.slice(0, found));
    assert.throws(
      () => foldBlock(state, forge(blocks[found]!, type, key, oneMore), () => {}),
      (error) =>
        error instanceof HoldingsError &&
        error.height === found + 1 &&
        /^[0-9A-F]{64}$/.test(error.place) &&
        error.difference.what === what &&
        error.difference.validator !== undefined,
      type,
    );
  }
});

test('validator updates, completed unbondings and slashes are compared too', async () => {
  const blocks = await readSample();
  const refuse = async (found: number, forged: FullBlock, what: string) => {
    const state = await openGenesis();
    foldAll(state, blocks.slice(0, found));
    assert.throws(
      () => foldBlock(state, forged, () => {}),
      (error) => error instanceof HoldingsError && error.difference.what === what,
    );
  };
  const updated = blocks.findIndex(({ validatorUpdates }) => validatorUpdates.length > 0);
  await refuse(updated, { ...blocks[updated]!, validatorUpdates: [] }, 'validator updates');
  for (const [type, key, what] of [
    ['complete_unbonding', 'amount', 'completed unbonding'],
    ['slash', 'burned_coins', 'slashed tokens'],
  ] as const) {
    const found = blocks.findIndex(({ events }) => events.some((event) => event.type === type));
    const events = blocks[found]!.events.map((event) => ({
      ...event,
      attributes: event.attributes.map((one) =>
        event.type === type && one.key === key ? { key, value: oneMore(one.value) } : one,
      ),
    }));
    await refuse(found, { ...blocks[found]!, events }, what);
  }
});

test('a block that is not the next one is refused', async () => {
  const [, second] = await readSample();
  const state = await openGenesis();
  assert.throws(() => foldBlock(state, second!, () => {}), /block 2, the block: height: expected 2, found 1/);
});

test('events of a block say where they belong also where a later program numbers them', async () => {
  const [state, numbered] = [await openGenesis(), await openGenesis()];
  const first = (await readSample()).slice(0, 400);
  const withNumbers = ({ type, attributes }: ChainEventRecord, index: number) => {
    return { type, attributes: [...attributes, { key: 'event_index', value: String(index) }] };
  };
  foldAll(state, first);
  foldAll(
    numbered,
    first.map((block) => ({ ...block, events: block.events.map(withNumbers) })),
  );
  assert.deepEqual(linesOf(numbered), linesOf(state));
});

test('a figure that cannot be read ends the fold as a wrong one does', async () => {
  const [first] = await readSample();
  const state = await openGenesis();
  const [validator] = state.validators.keys();
  const pairs = { amount: 'abc', validator: validator! };
  const garbled = { type: 'commission', attributes: Object.entries(pairs).map(([key, value]) => ({ key, value })) };
  assert.throws(
    () => foldBlock(state, { ...first!, events: [garbled] }, () => {}),
    (error) =>
      error instanceof HoldingsError && error.message.startsWith('block 1, BeginBlock: not a list of coins: "abc"'),
  );
});
