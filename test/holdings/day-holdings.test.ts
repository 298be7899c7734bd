/** Holdings from rows, compared with the recorded node and with single days. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseDecimal, powerOfTen } from '../../pipeline/base/values/amount.js';
import {
  type ClosedDay,
  type ClosedValidator,
  claimableCoins,
  type DayHoldings,
  holdingsAtCloses,
  payableRatios,
  stakedTokens,
  unclaimedReward,
  type ValidatorHistory,
  valuationOf,
  type WalletHoldings,
} from '../../pipeline/holdings/day-holdings.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { Mismatch } from '../../pipeline/holdings/holdings-error.js';
import { openRows, startingRows } from '../../pipeline/holdings/modules/stake-rows.js';
import type { Emit, HoldingsTable, HoldingsTables } from '../../pipeline/holdings/state.js';
import {
  Denoms,
  denomsIn,
  formatDecCoins,
  formatDecimal18,
  multiplyTruncated,
} from '../../pipeline/holdings/values/decimal18.js';
import type { DelegationInterval, ValidatorSlash } from '../../schemas/types.generated.js';
import { recordedDays } from './prove-holdings.js';
import { openGenesis, readSample, STATES } from './recording.js';

/** Rows as in the wallet index. */
interface Rows {
  readonly wallet: (address: string) => WalletHoldings;
  readonly validator: (operator: string) => ValidatorHistory;
  readonly closes: readonly ClosedDay[];
}

const DENOM = 'uatom';

function held(wallet: WalletHoldings, closes: readonly ClosedDay[], { validator }: Pick<Rows, 'validator'>) {
  return holdingsAtCloses(wallet, closes, { denom: DENOM, validator });
}

async function foldSample(): Promise<Rows> {
  const emitted = new Map<HoldingsTable, unknown[]>();
  const rowsOf = <Table extends HoldingsTable>(table: Table) => {
    const rows = emitted.get(table) ?? [];
    emitted.set(table, rows);
    return rows as HoldingsTables[Table][];
  };
  const emit: Emit = (table, row) => void rowsOf(table).push(row);
  const closes: ClosedDay[] = [];
  const state = await openGenesis();
  startingRows(state, emit);
  for (const block of await readSample()) {
    foldBlock(state, block, emit);
    const close = { day: state.day, close_height: state.height };
    if (closes.at(-1)?.day === close.day) closes.pop();
    closes.push(close);
  }
  openRows(state, emit);
  const ratios = new Map(
    rowsOf('reward_ratios').map((row) => [`${row.validator} ${row.height} ${row.period}`, row.ratio]),
  );
  return {
    closes,
    wallet: (address) => ({
      liquid: [],
      intervals: rowsOf('delegation_spans')
        .filter(({ delegator }) => delegator === address)
        .map((span) => ({
          ...span,
          start_ratio: ratios.get(`${span.validator} ${span.from_height} ${span.start_period}`)!,
        })),
      unbonding: rowsOf('unbonding_intervals').filter(({ delegator }) => delegator === address),
    }),
    validator: (operator) => ({
      days: rowsOf('validator_days').filter(({ validator }) => validator === operator),
      slashes: rowsOf('validator_slashes').filter(({ validator }) => validator === operator),
    }),
  };
}

const sample = foldSample();

test('every recorded day of the sample: staked, unbonding and rewards as the node has them', async () => {
  const { wallet, validator, closes } = await sample;
  const days = recordedDays(STATES);
  const points = new Map<string, DayHoldings>();
  for (const address of new Set(days.map((day) => day.address))) {
    for (const point of held(wallet(address), closes, { validator })) points.set(`${address} ${point.day}`, point);
  }
  for (const { address, day, staked_uatom, unbonding_uatom, rewards_uatom } of days) {
    const { staked, unbonding, reward } = points.get(`${address} ${day}`)!;
    const told = [staked_uatom, unbonding_uatom, rewards_uatom.split('.')[0]];
    assert.deepEqual([staked, unbonding, reward].map(String), told, `${address} ${day}`);
  }
  assert.ok(days.length > 2700);
});

interface WalletLine {
  readonly address: string;
  readonly answers: {
    readonly rewards?: { rewards?: { reward: { denom: string; amount: string }[] }[] };
    readonly delegations?: { delegation_responses?: { balance: { amount: string } }[] };
  };
}

test('every wallet at a recorded height: what the node owes it, summed with all decimals and then cut off', async () => {
  const { wallet, validator, closes } = await sample;
  const close = closes.find(({ close_height }) => close_height === 451)!;
  const lines = gunzipSync(readFileSync(join(STATES, 'state/451/wallets.jsonl.gz')))
    .toString()
    .trim()
    .split('\n');
  let withFractions = 0;
  for (const { address, answers } of lines.map((line): WalletLine => JSON.parse(line))) {
    const owed = (answers.rewards?.rewards ?? []).map(
      ({ reward }) => reward.find(({ denom }) => denom === DENOM)?.amount ?? '0',
    );
    const total = owed.reduce((sum, amount) => sum + parseDecimal(amount, 18), 0n) / powerOfTen(18);
    const delegated = (answers.delegations?.delegation_responses ?? []).map(({ balance }) => BigInt(balance.amount));
    const [point] = held(wallet(address), [close], { validator });
    assert.equal(point!.reward, total, address);
    assert.equal(
      point!.staked,
      delegated.reduce((sum, amount) => sum + amount, 0n),
      address,
    );
    if (owed.length > 1) withFractions++;
  }
  assert.ok(withFractions > 20, `${withFractions} wallets with several delegations`);
});

const ONE = 10n ** 18n;
const CLOSES: readonly ClosedDay[] = [10, 20, 30, 40, 50].map((close_height, i) => ({
  day: `2026-01-0${i + 1}`,
  close_height,
}));
const HISTORY: ValidatorHistory = {
  days: CLOSES.map((close, i) => ({
    ...close,
    validator: 'v',
    tokens: 1000n - BigInt(i),
    shares: 1000n * ONE,
    ratio: `7.000000000000000000ibc/uatom,${formatDecimal18(BigInt(i + 1) * (ONE / 10n))}${DENOM}`,
  })),
  slashes: [],
};
const interval = (from_height: number, to_height: number | null): DelegationInterval => ({
  delegator: 'w',
  validator: 'v',
  from_height,
  to_height,
  shares: 100n * ONE,
  stake: 90n * ONE,
  start_period: 1,
  start_ratio: '',
});
const entry = (from_height: number, to_height: number | null, balance: bigint) => ({
  ...{
    delegator: 'w',
    validator: 'v',
    creation_height: from_height,
    completion_time: '',
    from_height,
    to_height,
    balance,
  },
});

test('rows hold from their first block to the one before their last; a close in between is a day of them', () => {
  const wallet: WalletHoldings = {
    liquid: [
      { day: '2026-01-02', amount: 5n },
      { day: '2026-01-04', amount: 0n },
    ],
    intervals: [interval(10, 20), interval(21, 29), interval(30, 50)],
    unbonding: [entry(20, 40, 7n), entry(40, null, 3n)],
  };
  const amounts = held(wallet, CLOSES, { validator: () => HISTORY }).map(({ liquid, staked, unbonding, reward }) =>
    [liquid, staked, unbonding, reward].join(' '),
  );
  assert.deepEqual(amounts, [
    '0 100 0 0', // began in that very block: nothing is due yet
    '5 0 7 0',
    '5 99 7 0',
    '0 99 3 36', // 90 × 0.4
    '0 0 3 0',
  ]);
});

test('a day of a validator that is missing is an error, not a smaller figure', () => {
  const wallet = { liquid: [], intervals: [interval(10, null)], unbonding: [] };
  const holed = { ...HISTORY, days: HISTORY.days.filter(({ close_height }) => close_height !== 30) };
  assert.throws(() => held(wallet, CLOSES, { validator: () => holed }), /v has no row of 2026-01-03/);
  assert.throws(() => held(wallet, CLOSES, { validator: () => ({ days: [], slashes: [] }) }), /no row of 2026-01-01/);
});

const span = fc
  .tuple(fc.integer({ min: 0, max: 55 }), fc.option(fc.integer({ min: 1, max: 20 })))
  .map(([from, length]): [number, number | null] => [from, length === null ? null : from + length]);

test('all days at once are the days one by one', () => {
  fc.assert(
    fc.property(fc.array(span), fc.array(span), fc.subarray([...CLOSES]), (stakes, entries, closes) => {
      const wallet: WalletHoldings = {
        liquid: closes.filter((_, i) => i % 2 === 0).map(({ day }, i) => ({ day, amount: BigInt(i) })),
        intervals: stakes.map(([from, to]) => interval(from, to)),
        unbonding: entries.map(([from, to], i) => entry(from, to, BigInt(i + 1))),
      };
      const validator = () => HISTORY;
      const together = held(wallet, CLOSES, { validator });
      assert.deepEqual(
        CLOSES.flatMap((close) => held(wallet, [close], { validator })),
        together,
      );
      for (const point of together) {
        const close = CLOSES.find(({ day }) => day === point.day)!.close_height;
        const covers = ([from, to]: [number, number | null]) => from <= close && (to === null || close < to);
        const rate = 1000n - BigInt(close / 10 - 1);
        assert.equal(point.staked, BigInt(stakes.filter(covers).length) * ((100n * rate) / 1000n));
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});

const validator = 'cosmosvaloper1x';
const stakedInterval: DelegationInterval = {
  delegator: 'cosmos1x',
  validator,
  from_height: 100,
  to_height: null,
  shares: 1000n * ONE,
  stake: 1000n * ONE,
  start_period: 7,
  start_ratio: '0.100000000000000000uatom',
};
const day: ClosedValidator = {
  validator,
  day: '2026-01-02',
  close_height: 200,
  tokens: 1_000_000n,
  shares: 1_000_000n * ONE,
  ratio: '0.250000000000000000uatom',
};
const slash: ValidatorSlash = {
  validator,
  height: 150,
  period: 9,
  fraction: ONE / 10n,
  ratio: '0.200000000000000000uatom',
};
const slashedDay = { ...day, tokens: 900_000n };

function reward(of: DelegationInterval, at: ClosedValidator, slashes: ValidatorSlash[] = []): string {
  const denoms = new Denoms();
  return formatDecCoins(unclaimedReward(of, at, slashes, denoms), denoms);
}

test('the stake earns the growth of the ratio', () => {
  assert.equal(reward(stakedInterval, day), '150.000000000000000000uatom');
});

test('each denom earns for itself, one that came later from zero', () => {
  const at = { ...day, ratio: '0.000000000000000003ibc/A,0.250000000000000000uatom' };
  assert.equal(reward(stakedInterval, at), '0.000000000000003000ibc/A,150.000000000000000000uatom');
});

test('a slash cuts the stake from its own ratio on', () => {
  // 1000 × 0.1 before it, 900 × 0.05 after it
  assert.equal(reward(stakedInterval, slashedDay, [slash]), '145.000000000000000000uatom');
});

test('a slash in the block of the beginning counts only when its period is later', () => {
  const same = { ...slash, height: 100 };
  assert.equal(reward(stakedInterval, slashedDay, [same]), '145.000000000000000000uatom');
  const begunAfter = { ...stakedInterval, start_period: 9, start_ratio: slash.ratio, stake: 900n * ONE };
  assert.equal(reward(begunAfter, slashedDay, [same]), '45.000000000000000000uatom');
});

test('a slash after the close does not count yet', () => {
  assert.equal(reward(stakedInterval, day, [{ ...slash, height: 201 }]), '150.000000000000000000uatom');
});

test('nothing is due in the block of the beginning', () => {
  assert.equal(reward({ ...stakedInterval, from_height: 200 }, day), '');
});

test('a stake above the present tokens by rounding is cut to them; by more, the rows do not belong together', () => {
  const worth = 1000n * ONE;
  const ratio = `${ONE}.000000000000000000uatom`; // makes a difference of 10^-18 in the stake visible
  const from = { ...stakedInterval, start_ratio: '' };
  const exact = reward(from, { ...day, ratio });
  assert.equal(reward({ ...from, stake: worth + 3n }, { ...day, ratio }), exact);
  assert.throws(() => reward({ ...from, stake: worth + 4n }, { ...day, ratio }), Mismatch);
});

test('staked tokens are cut off per delegation', () => {
  assert.equal(stakedTokens({ ...stakedInterval, shares: 1n + 999n * ONE }, slashedDay), 899n);
});

test('what a start leaves out pays no whole unit at any later block, whatever is slashed', () => {
  const decimal = (max: bigint) => fc.bigInt({ min: 0n, max });
  const step = fc.record({
    growth: fc.tuple(decimal(ONE / 1000n), decimal(30n), decimal(ONE)),
    fraction: decimal(ONE / 2n),
  });
  let [left, kept] = [0, 0];
  fc.assert(
    fc.property(
      decimal(3_000_000n * ONE).map((units) => units + 1n),
      fc.tuple(decimal(ONE), decimal(ONE)),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      (stake, first, steps) => {
        const denoms = new Denoms();
        for (const denom of ['uatom', 'ibc/A', 'ibc/B']) denoms.number(denom);
        const text = (ratios: readonly bigint[]) => formatDecCoins(ratios, denoms);
        let [ratio, worth] = [[...first, 0n], stake];
        const start_ratio = text(ratio);
        const slashes: ValidatorSlash[] = [];
        const ends: ClosedValidator[] = [];
        for (const [i, { growth, fraction }] of steps.entries()) {
          ratio = ratio.map((one, denom) => one + growth[denom]!);
          const height = 10 * (i + 1);
          slashes.push({ validator: 'v', height, period: i + 2, fraction, ratio: text(ratio) });
          worth = multiplyTruncated(worth, ONE - fraction);
          ends.push({
            validator: 'v',
            day: '2026-01-01',
            close_height: height + 5,
            tokens: worth / ONE + 1n,
            shares: stake,
            ratio: text(ratio),
          });
        }
        const interval = {
          delegator: 'd',
          validator: 'v',
          from_height: 1,
          to_height: null,
          shares: stake,
          stake,
          start_period: 1,
        };
        const payable = payableRatios(start_ratio, stake, ratio, denoms);
        const named = denomsIn(payable, denoms);
        for (const close of ends) {
          const end = valuationOf(close, denoms);
          const whole = claimableCoins({ ...interval, start_ratio }, end, slashes, denoms);
          const rest = claimableCoins({ ...interval, start_ratio: payable }, end, slashes, denoms);
          for (const [denom, amount] of whole.entries()) {
            if (named.includes(denom)) assert.equal(rest[denom], amount);
            else assert.equal(amount, 0n);
            if (named.includes(denom)) kept++;
            else left++;
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(left > 1000 && kept > 1000, `${left} left out, ${kept} kept`);
});

test('a start names denoms that begin at zero, and those whose ratio is too large', () => {
  const denoms = new Denoms();
  const [uatom, large] = [denoms.number('uatom'), denoms.number('factory/large')];
  const highest: bigint[] = [];
  [highest[uatom], highest[large]] = [ONE / 1_000_000n, 10n ** 38n];
  assert.equal(
    payableRatios('', 1_000_000n * ONE, highest, denoms),
    '0.000000000000000000uatom,0.000000000000000000factory/large',
  );
  assert.equal(payableRatios('', 1_000_000n * ONE - 1n, highest, denoms), '0.000000000000000000factory/large');
});
