/** Daily series of the report: holdings and price. */
import { effect, signal } from '@preact/signals';
import type { Holdings, PriceSeries } from '../../../schemas/types.generated.js';
import { get, isAbort, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { earlier } from '../values/dates.js';
import { sumOf } from '../values/decimal.js';
import type { Exact } from '../values/exact-json.js';
import { mapConcurrently } from '../values/in-lanes.js';
import { asked } from './asked.js';
import { report } from './report.js';

/** In displayed units. */
export interface HeldDay {
  readonly date: string;
  readonly liquid: string;
  readonly staked: string;
  readonly unbonding: string;
  readonly reward: string;
}

export interface PriceDay {
  readonly date: string;
  /** Empty if no price was published. */
  readonly usd: string;
}

export const holdings = signal<readonly HeldDay[] | undefined>(undefined);
export const holdingsFailure = signal('');
export const prices = signal<readonly PriceDay[] | undefined>(undefined);
export const pricesFailure = signal('');

/** Most wallets in the chart; each takes a request. */
export const WALLETS_DRAWN_MAX = 10;
/** Longest price series of the API, in days. */
const PRICE_DAYS_MAX = 730;

interface Wanted {
  readonly addresses: readonly string[];
  readonly start: string;
  readonly end: string;
  readonly abort: AbortSignal;
}

let current: AbortController | undefined;
let series: Wanted | undefined;

effect(() => {
  const wanted = asked.value;
  current?.abort();
  holdings.value = undefined;
  prices.value = undefined;
  holdingsFailure.value = '';
  pricesFailure.value = '';
  if (!wanted) return;
  const abort = new AbortController();
  current = abort;
  // The covered days are known only after the summary has loaded.
  const unfollow = report.subscribe((shown) => {
    if (shown?.asked !== wanted) return;
    queueMicrotask(() => unfollow());
    const { start, coverage } = shown.summary;
    const end = earlier(shown.summary.end, coverage.index_end);
    if (start > end) {
      [holdings.value, prices.value] = [[], []];
      return;
    }
    series = { addresses: wanted.addresses, start, end, abort: abort.signal };
    void loadHoldings();
    void loadPrices();
  });
});

export async function loadHoldings(): Promise<void> {
  const { addresses, start, end, abort } = series!;
  holdingsFailure.value = '';
  if (addresses.length > WALLETS_DRAWN_MAX) return;
  try {
    const wallets = await mapConcurrently(addresses, async (address) => {
      const { history } = await get<{ history: Exact<Holdings>[] }>(PATHS.holdings(address), abort);
      return history.filter(({ date }) => date >= start && date <= end);
    });
    const days = (wallets[0] ?? []).map((day, i): HeldDay => {
      const of = (name: keyof Omit<HeldDay, 'date'>) => sumOf(wallets.map((wallet) => wallet[i]?.[name] ?? ''));
      return {
        date: day.date,
        liquid: of('liquid'),
        staked: stakedOf(wallets, i),
        unbonding: of('unbonding'),
        reward: of('reward'),
      };
    });
    holdings.value = days;
  } catch (error) {
    if (!isAbort(error)) holdingsFailure.value = messageOf(error);
  }
}

/** Sums staked coins without unbonding ones, which the API includes in `staked`. */
const stakedOf = (wallets: readonly (readonly Exact<Holdings>[])[], i: number): string =>
  sumOf(wallets.flatMap((wallet) => [wallet[i]?.staked ?? '', `-${wallet[i]?.unbonding ?? '0'}`]));

export async function loadPrices(): Promise<void> {
  const { start, end, abort } = series!;
  pricesFailure.value = '';
  const earliest = new Date(Date.parse(`${end}T00:00:00Z`) - PRICE_DAYS_MAX * 86_400_000).toISOString().slice(0, 10);
  try {
    const { points } = await get<Omit<PriceSeries, 'points'> & { points: Exact<PriceSeries['points'][number]>[] }>(
      PATHS.prices(start > earliest ? start : earliest, end),
      abort,
    );
    prices.value = points.map(({ date, usd, found }) => ({ date, usd: found ? usd : '' }));
  } catch (error) {
    if (!isAbort(error)) pricesFailure.value = messageOf(error);
  }
}
