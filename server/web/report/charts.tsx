/** The report's charts; each is also available as a table. */

import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Usd } from '../parts/figure.js';
import { Missing } from '../parts/missing.js';
import { Section } from '../parts/section.js';
import { showRows } from '../state/filter.js';
import type { Report } from '../state/report.js';
import { isComplete, isReading, loaded } from '../state/rows.js';
import {
  type HeldDay,
  holdings,
  holdingsFailure,
  loadHoldings,
  loadPrices,
  type PriceDay,
  prices,
  pricesFailure,
  WALLETS_DRAWN_MAX,
} from '../state/series.js';
import { earlier, monthsBetween, readableDay, readableMonth } from '../values/dates.js';
import { grouped, textOf, unitsOf } from '../values/decimal.js';
import { DayTable, type Line, Plot } from './plot.js';

/** Shown if holdings are proved for only part of the days, or for none. Unproved days are unknown, not zero. */
function Unproved({ until, shown: { summary } }: { readonly until: string | undefined; readonly shown: Report }) {
  if (until === earlier(summary.end, summary.coverage.index_end)) return null;
  return (
    <p class="fine">
      {until === undefined
        ? 'Holdings of this period are not proved, so they are not shown.'
        : `Holdings are proved up to ${readableDay(until)}: later days are not shown.`}
    </p>
  );
}

export function Charts({ shown }: { readonly shown: Report }) {
  const [held, priced] = [holdings.value, prices.value];
  const isDrawn = shown.asked.addresses.length <= WALLETS_DRAWN_MAX;
  return (
    <Section id="charts" title="Through the year">
      <div class="charts">
        <RewardBars shown={shown} />
        <Chart
          title="Holdings in ATOM"
          isThere={held !== undefined || !isDrawn}
          failure={holdingsFailure.value}
          load={loadHoldings}
        >
          {!isDrawn && <p class="fine">Holdings by day are drawn for up to {WALLETS_DRAWN_MAX} wallets.</p>}
          {held && held.length > 0 && <HoldingsChart days={held} />}
          {held && <Unproved until={held.at(-1)?.date} shown={shown} />}
        </Chart>
        <Chart
          title="Price of ATOM, in US dollars"
          isThere={priced !== undefined}
          failure={pricesFailure.value}
          load={loadPrices}
        >
          {priced && <PriceChart days={priced} />}
        </Chart>
      </div>
    </Section>
  );
}

interface ChartProps {
  readonly title: string;
  readonly isThere: boolean;
  readonly failure: string;
  readonly load: () => void;
  readonly children: ComponentChildren;
}

const Chart = ({ title, isThere, failure, load, children }: ChartProps) => (
  <figure class="chart" aria-busy={!isThere && failure === ''}>
    <figcaption>{title}</figcaption>
    {failure && <Missing message={failure} tryAgain={load} />}
    {!isThere && !failure && <div class="plot waiting" />}
    {children}
  </figure>
);

/** The daily price; a day without a price is a gap. */
function PriceChart({ days }: { readonly days: readonly PriceDay[] }) {
  const [at, setAt] = useState<number>();
  const dates = useMemo(() => days.map(({ date }) => date), [days]);
  const lines = useMemo(
    (): Line[] => [
      { label: 'US dollars', token: '--series-1', values: days.map(({ usd }) => (usd === '' ? null : Number(usd))) },
    ],
    [days],
  );
  const day = days[at ?? days.length - 1];
  const shown = (usd: string) => (usd === '' ? 'no price' : `$${grouped(usd)}`);
  if (!day || days.every(({ usd }) => usd === '')) return <p class="fine">No price was published in this period.</p>;
  return (
    <>
      <Plot days={dates} lines={lines} onPoint={setAt} />
      <dl class="legend">
        <div class="legend-day">
          <dt>{readableDay(day.date)}</dt>
          <dd class="figure">{shown(day.usd)}</dd>
        </div>
      </dl>
      <DayTable
        caption="Price of ATOM by day, in US dollars"
        columns={['Day', 'US dollars']}
        rows={days.map((one) => [one.date, shown(one.usd)])}
      />
    </>
  );
}

/** Parts of the holdings, bottom first. */
const PARTS = [
  { name: 'staked', label: 'Staked', token: '--series-1' },
  { name: 'liquid', label: 'Liquid', token: '--series-2' },
  { name: 'unbonding', label: 'Unbonding', token: '--series-3' },
  { name: 'reward', label: 'Unclaimed', token: '--series-4' },
] as const;

function HoldingsChart({ days }: { readonly days: readonly HeldDay[] }) {
  const [at, setAt] = useState<number>();
  const dates = useMemo(() => days.map(({ date }) => date), [days]);
  const lines = useMemo(() => stacked(days), [days]);
  const day = days[at ?? days.length - 1]!;
  return (
    <>
      <Plot days={dates} lines={lines} onPoint={setAt} />
      <dl class="legend">
        <div class="legend-day">
          <dt class="whole">Day</dt>
          <dd>{readableDay(day.date)}</dd>
        </div>
        {PARTS.map(({ name, label, token }) => (
          <div key={name}>
            <dt>
              <span class="swatch" style={{ background: `var(${token})` }} />
              {label}
            </dt>
            <dd class="figure">{grouped(day[name])}</dd>
          </div>
        ))}
      </dl>
      <DayTable
        caption="Holdings by day, in ATOM"
        columns={['Day', ...PARTS.map(({ label }) => label)]}
        rows={days.map((one) => [one.date, ...PARTS.map(({ name }) => grouped(one[name]))])}
      />
    </>
  );
}

/** Stacks the areas. The top area is drawn first, and lower ones cover it. Heights are floats for drawing only. */
function stacked(days: readonly HeldDay[]): Line[] {
  const below = days.map(() => 0);
  const lines = PARTS.map(({ name, label, token }): Line => {
    const values = days.map((day, i) => (below[i] = below[i]! + Number(day[name])));
    return { label, token, values, isFilled: true };
  });
  return lines.reverse();
}

/** Categories that the API's type `rewards` includes. */
const REWARDS = ['staking_reward', 'validator_commission', 'liquid_stake_reward'];

/** Sums the value of rewards by month, in 10⁻¹⁸ USD; undefined for a month whose rewards have no price. */
const byMonth = computed(() => {
  const months = new Map<string, bigint | undefined>();
  for (const { category, date, valueUsd, priceMissing } of loaded.value.rows) {
    if (!REWARDS.includes(category)) continue;
    const month = date.slice(0, 7);
    const sum = months.get(month);
    months.set(month, priceMissing ? sum : (sum ?? 0n) + unitsOf(valueUsd));
  }
  return months;
});

function RewardBars({ shown: { summary } }: { readonly shown: Report }) {
  const months = monthsBetween(summary.start, earlier(summary.end, summary.coverage.index_end));
  const rewards = byMonth.value;
  const largest = [...rewards.values()].reduce<bigint>((most, one = 0n) => (one > most ? one : most), 0n);
  const isEmpty = rewards.size === 0 && isComplete.value;
  const lacking = isReading.value ? ' (still loading)' : ' (some transactions are missing)';
  return (
    <figure class="chart">
      <figcaption>Rewards by month{!isComplete.value && lacking}</figcaption>
      {isEmpty ? (
        <p class="fine">No rewards in this period.</p>
      ) : (
        <ol class="bars">
          {months.map((month) => {
            const units = rewards.has(month) ? rewards.get(month) : 0n;
            return (
              <li key={month}>
                <button
                  type="button"
                  class="bar-label link"
                  onClick={() => showRows({ categories: REWARDS, month })}
                  aria-label={`Show the rewards of ${readableMonth(month)}`}
                >
                  {readableMonth(month)}
                </button>
                <span class="bar-track" aria-hidden="true">
                  <span class="bar" style={{ width: `${Number(((units ?? 0n) * 1000n) / (largest || 1n)) / 10}%` }} />
                </span>
                {rewards.has(month) || isComplete.value ? (
                  <Usd value={units === undefined ? '' : textOf(units, 2)} />
                ) : (
                  '…'
                )}
              </li>
            );
          })}
        </ol>
      )}
    </figure>
  );
}
