import { type DayHoldings, holdingsAtCloses } from '../../pipeline/holdings/day-holdings.js';
import type { ClosedDay } from '../../pipeline/holdings/wallet-holdings.js';
import { ExactNumber } from '../../pipeline/json/exact-json.js';
import { formatDecimal } from '../../pipeline/ledger/amount.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Answer, Endpoint } from '../endpoint.js';
import { inTurns } from '../http/event-loop.js';
import { refusal, type ValidParameters } from '../parameters/parameters.js';
import { addDays, daysBetween } from '../parameters/time-range.js';
import { Problem } from '../problem.js';

export const balances = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/balances',
  summary: 'What a wallet holds of the native coin: liquid, staked and unclaimed rewards.',
  description:
    'At the last indexed block, at the end of a UTC day, or with history=true at the end of every UTC day of the ' +
    'index. Staked coins include unbonding ones; the reward is all that could be claimed, cut off at the last base ' +
    'unit.',
  parameters: ['single_address', 'chain', 'snapshot_date', 'history'],
  response: 'balances',
  policy: 'tax',
  problems: [],
  admit: requireCovered,
  async handle({ parameters, dataset }): Promise<Answer> {
    const { date, history } = parameters;
    const address = parameters.addresses[0]!;
    const closes = dataset.days();
    const { symbol } = nativeCoin(dataset);
    if (history) {
      const points = onDays(calendar(closes), await held(address, closes, dataset));
      return { json: { address, symbol, history: points.map((point) => holdingsJson(address, point, dataset)) } };
    }
    const close = closes.findLast(({ day }) => date === '' || day <= date)!;
    const [point] = onDays([date || close.day], await held(address, [close], dataset));
    return { json: holdingsJson(address, point!, dataset) };
  },
} satisfies Endpoint;

/** Requires a dataset with holdings, and a day of its index. @throws Problem */
function requireCovered({ parameters, dataset }: { parameters: ValidParameters; dataset: Dataset }): void {
  const closes = dataset.days();
  if (closes.length === 0) {
    throw new Problem('unavailable', 'this dataset was made without a starting state of the chain: it has no balances');
  }
  const { date, source } = parameters;
  const [first, last] = [closes[0]!.day, closes.at(-1)!.day];
  if (date === '' || (date >= first && date <= last)) return;
  throw refusal(source, [
    { name: 'snapshot_date', path: '', message: `is outside the index, which covers ${first} to ${last}` },
  ]);
}

const held = (address: string, closes: readonly ClosedDay[], dataset: Dataset): Promise<DayHoldings[]> =>
  inTurns(
    holdingsAtCloses(dataset.holdings(address)!, closes, {
      denom: dataset.reference.chain.native_denom,
      validator: dataset.validator,
    }),
  );

/** The UTC days of the index, from the first to the last without a gap. */
function calendar(closes: readonly ClosedDay[]): string[] {
  const first = closes[0]!.day;
  return Array.from({ length: daysBetween(first, closes.at(-1)!.day) + 1 }, (_, i) => addDays(first, i));
}

/** The holdings of each day: a day without blocks is as the one before it. Both lists ascend from the same day. */
function onDays(days: readonly string[], holdings: readonly DayHoldings[]): DayHoldings[] {
  let at = 0;
  return days.map((day) => {
    while (at + 1 < holdings.length && holdings[at + 1]!.day <= day) at++;
    return { ...holdings[at]!, day };
  });
}

const nativeCoin = ({ reference }: Dataset) => reference.rules.denomination(reference.chain.native_denom);

/** The members of the answer. */
function holdingsJson(address: string, { day, liquid, staked, unbonding, reward }: DayHoldings, dataset: Dataset) {
  const { symbol, decimals } = nativeCoin(dataset);
  const amount = (units: bigint) => new ExactNumber(formatDecimal(units, decimals));
  return {
    address,
    date: day,
    liquid: amount(liquid),
    staked: amount(staked + unbonding),
    reward: amount(reward),
    total: amount(liquid + staked + unbonding + reward),
    symbol,
    unbonding: amount(unbonding),
  };
}
