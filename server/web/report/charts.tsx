/** The report's charts. The data of each chart can also be shown as a table. */

import { computed, effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { Holdings, PriceSeries } from '../../../schemas/types.generated.js';
import { type Exact, get, isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section, Usd } from '../parts.js';
import { country, currency } from '../state/country.js';
import { currentQuery } from '../state/query.js';
import { type Report, report } from '../state/report.js';
import { isComplete, isReading, loaded, localTime } from '../state/rows.js';
import { zoneIn } from '../state/statements.js';
import { UTC } from '../state/zone.js';
import { dayOfYear, earlier, listedDay, monthsBetween, readableDay, readableMonth } from '../values/dates.js';
import { grouped, sumOf, textOf, unitsOf } from '../values/decimal.js';
import { fragmentOf, LAST_BLOCK } from '../values/holdings-query.js';
import { mapConcurrently } from '../values/in-lanes.js';
import { ENGLISH, LOCALE } from '../values/language.js';
import { FigureTable, indexDays, Missing, recordedDays, Scroller } from './parts.js';
import { showRows } from './rows.js';

/**
 * Explains that holdings are proved for only some of the days, or for none. Holdings on the other days are unknown, not
 * zero.
 */
function Unproved({ until, shown: { summary } }: { readonly until: string | undefined; readonly shown: Report }) {
  if (until !== undefined && until >= earlier(summary.end, summary.coverage.index_end)) return null;
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
  const isOfCountry = country.value !== undefined;
  const isDrawn = shown.query.addresses.length <= WALLETS_DRAWN_MAX;
  return (
    <Section id="charts" title="Through the year">
      <div class="charts">
        {!isOfCountry && <RewardBars shown={shown} />}
        <Chart
          title="Holdings in ATOM"
          isThere={held !== undefined || !isDrawn}
          failure={holdingsFailure.value}
          load={loadHoldings}
        >
          {!isDrawn && <p class="fine">Holdings by day are drawn for up to {WALLETS_DRAWN_MAX} wallets.</p>}
          {held && held.length > 0 && <HoldingsChart days={held} />}
          {held && <Unproved until={held.at(-1)?.date} shown={shown} />}
          <HoldingsLink shown={shown} />
        </Chart>
        {!isOfCountry && (
          <Chart
            title={`Price of ATOM, in ${USUAL.currency.words}`}
            isThere={priced !== undefined}
            failure={pricesFailure.value}
            load={loadPrices}
          >
            {priced && <PriceChart days={priced} />}
          </Chart>
        )}
      </div>
      {zoneIn(shown.stated) !== UTC && (
        <p class="fine">
          {isOfCountry ? 'Days of this chart' : 'Days of holdings and prices in these charts'} are UTC days.
        </p>
      )}
    </Section>
  );
}

/** Links to the page of holdings: on the last day of the period or, if this day has not ended, after the last block. */
function HoldingsLink({ shown }: { readonly shown: Report }) {
  const { end } = shown.summary;
  const isRecorded = end < indexDays(shown)[1];
  const instant = isRecorded ? { date: end, at: '', timezone: zoneIn(shown.stated) } : LAST_BLOCK;
  const href = `/holdings${fragmentOf({ addresses: shown.query.addresses, currency: currency.value.code, ...instant })}`;
  return (
    <p class="fine screen">
      <a href={href}>{isRecorded ? `Holdings on ${readableDay(end)}` : 'Holdings after the last block'}</a>, with their
      value and a sheet for print
    </p>
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

function PriceChart({ days }: { readonly days: readonly PriceDay[] }) {
  const [at, setAt] = useState<number>();
  const dates = useMemo(() => days.map(({ date }) => date), [days]);
  const lines = useMemo(
    (): Line[] => [
      {
        label: USUAL.currency.words,
        token: '--series-1',
        values: days.map(({ usd }) => (usd === '' ? null : Number(usd))),
      },
    ],
    [days],
  );
  const day = at === undefined ? days.findLast(({ usd }) => usd !== '') : days[at];
  const shown = (usd: string) => (usd === '' ? 'no price' : `${USUAL.currency.symbol}${grouped(usd)}`);
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
        caption={`Price of ATOM by day, in ${USUAL.currency.words}`}
        columns={['Day', USUAL.currency.words]}
        rows={days.map((one) => [listedDay(one.date), shown(one.usd)])}
      />
    </>
  );
}

/** Areas of the holdings chart, from bottom to top. */
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
        rows={days.map((one) => [listedDay(one.date), ...PARTS.map(({ name }) => grouped(one[name]))])}
      />
    </>
  );
}

/**
 * Stacks the areas. The top area is drawn first, so that lower areas cover it. Rounding is harmless here, because the
 * numbers are only drawn.
 */
function stacked(days: readonly HeldDay[]): Line[] {
  const below = days.map(() => 0);
  const lines = PARTS.map(({ name, label, token }): Line => {
    const values = days.map((day, i) => (below[i] = below[i]! + Number(day[name])));
    return { label, token, values, isFilled: true };
  });
  return lines.reverse();
}

/** Categories in the API's group `rewards`. */
const REWARDS = ['staking_reward', 'validator_commission', 'liquid_stake_reward'];

/** Value of rewards by month, in 10⁻¹⁸ USD; undefined if no reward of the month has a price. */
const byMonth = computed(() => {
  const months = new Map<string, bigint | undefined>();
  for (const row of loaded.value.rows) {
    const { category, valueUsd, priceMissing } = row;
    if (!REWARDS.includes(category)) continue;
    const month = localTime(row).slice(0, 7);
    const sum = months.get(month);
    months.set(month, priceMissing ? sum : (sum ?? 0n) + unitsOf(valueUsd));
  }
  return months;
});

function RewardBars({ shown }: { readonly shown: Report }) {
  const months = monthsBetween(...recordedDays(shown));
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

interface Line {
  readonly label: string;
  readonly token: string;
  /** One value per day. Null leaves a gap in the line. */
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
}

interface PlotProps {
  readonly days: readonly string[];
  readonly lines: readonly Line[];
  readonly onPoint?: (index: number | undefined) => void;
}

const HEIGHT = 200;

/** Draws a line or area chart with uPlot, which loads on first use. The page also shows the values as a table. */
function Plot({ days, lines, onPoint }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isUndrawn, setUndrawn] = useState(false);
  useEffect(() => {
    const element = place.current!;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    const draw = async () => {
      const { default: Plotter } = await import('uplot');
      if (isGone) return;
      plot?.destroy();
      plot = new Plotter(optionsOf(element, lines, onPoint), dataOf(days, lines), element);
      resize.observe(element);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    draw().catch(() => setUndrawn(true));
    return () => {
      isGone = true;
      dark.removeEventListener('change', draw);
      resize.disconnect();
      plot?.destroy();
    };
  }, [days, lines]);
  return (
    <>
      {isUndrawn && <p class="fine">The chart did not load. Its figures are in the table.</p>}
      <div ref={place} class="plot" aria-hidden="true" hidden={isUndrawn} />
    </>
  );
}

const dataOf = (days: readonly string[], lines: readonly Line[]): uPlot.AlignedData => [
  days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
  ...lines.map(({ values }) => [...values]),
];

function optionsOf(element: HTMLElement, lines: readonly Line[], onPoint: PlotProps['onPoint']): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (token: string) => resolved(element, token);
  const axis = { stroke: color('--plot-ink'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => new Date(seconds * 1000 + new Date(seconds * 1000).getTimezoneOffset() * 60_000),
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high === 0 ? 1 : high * 1.05] } },
    axes: [
      { ...axis, grid: { show: false }, ...(LOCALE !== ENGLISH && { values: daysOfTicks }) },
      {
        ...axis,
        grid: { stroke: color('--plot-grid'), width: 1 },
        size: (_plot, ticks) => gutter(ticks),
        values: (_plot, ticks) => ticks.map((tick) => tick.toLocaleString(LOCALE)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, token, isFilled }) => ({
        label,
        stroke: color(token),
        width: 1.5,
        ...(isFilled && { fill: color(token) }),
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [(plot) => onPoint?.(plot.cursor.idx ?? undefined)] },
  };
}

const MONTH_SECONDS = 28 * 86_400;

/** Formats the ticks of the axis of days. uPlot has only English names of months. @param step seconds between ticks */
function daysOfTicks(_plot: uPlot, ticks: readonly number[], _axis: number, _space: number, step: number): string[] {
  const days = ticks.map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 10));
  return days.map(step >= MONTH_SECONDS ? readableMonth : dayOfYear);
}

/** Returns the color of a CSS variable. A canvas supports neither CSS variables nor light-dark(). */
function resolved(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  // In forced-colors mode, areas must keep their own colors. Otherwise all areas would look the same.
  if (token.startsWith('--series')) probe.style.forcedColorAdjust = 'none';
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const gutter = (ticks: readonly string[] | null): number =>
  14 + 7 * Math.max(1, ...(ticks ?? []).map((tick) => tick.length));

interface DayTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function DayTable({ caption, columns, rows }: DayTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Show as a table<span class="whole">: {caption}</span>
      </summary>
      {isOpen && (
        <Scroller label={caption} class="tall">
          <FigureTable caption={caption} columns={columns} rows={rows} />
        </Scroller>
      )}
    </details>
  );
}

/** Holdings on one day, in displayed units such as ATOM. */
interface HeldDay {
  readonly date: string;
  readonly liquid: string;
  readonly staked: string;
  readonly unbonding: string;
  readonly reward: string;
}

interface PriceDay {
  readonly date: string;
  readonly usd: string;
}

const holdings = signal<readonly HeldDay[] | undefined>(undefined);
const holdingsFailure = signal('');
const prices = signal<readonly PriceDay[] | undefined>(undefined);
const pricesFailure = signal('');

const WALLETS_DRAWN_MAX = 10;
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
  const query = currentQuery.value;
  current?.abort();
  holdings.value = undefined;
  prices.value = undefined;
  holdingsFailure.value = '';
  pricesFailure.value = '';
  if (!query) return;
  const abort = new AbortController();
  current = abort;
  // Waits for the summary, because only the summary contains which days are covered.
  const unfollow = report.subscribe((shown) => {
    if (shown?.query !== query) return;
    queueMicrotask(() => unfollow());
    const [start] = recordedDays(shown);
    const end = earlier(shown.summary.end, indexDays(shown)[1]);
    if (start > end) {
      [holdings.value, prices.value] = [[], []];
      return;
    }
    series = { addresses: query.addresses, start, end, abort: abort.signal };
    void loadHoldings();
    void loadPrices();
  });
});

async function loadHoldings(): Promise<void> {
  const { addresses, start, end, abort } = series!;
  holdingsFailure.value = '';
  if (addresses.length > WALLETS_DRAWN_MAX) return;
  try {
    const wallets = await mapConcurrently(addresses, async (address) => {
      const { history } = await post<{ history: Exact<Holdings>[] }>(
        PATHS.balances,
        { address, history: 'true' },
        abort,
      );
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

/** Sums the staked coins of all wallets. Subtracts unbonding coins, because the API includes them in `staked`. */
const stakedOf = (wallets: readonly (readonly Exact<Holdings>[])[], i: number): string =>
  sumOf(wallets.flatMap((wallet) => [wallet[i]?.staked ?? '', `-${wallet[i]?.unbonding ?? '0'}`]));

async function loadPrices(): Promise<void> {
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
