/** Daily holdings as stacked areas: staked, liquid, unbonding and unclaimed rewards. */
import { useMemo, useState } from 'preact/hooks';
import type { HeldDay } from '../../state/series.js';
import { readableDay } from '../../values/dates.js';
import { grouped } from '../../values/decimal.js';
import { DayTable } from './day-table.js';
import { type Line, Plot } from './plot.js';

/** Parts of the holdings, bottom first. */
const PARTS = [
  { name: 'staked', label: 'Staked', token: '--series-1' },
  { name: 'liquid', label: 'Liquid', token: '--series-2' },
  { name: 'unbonding', label: 'Unbonding', token: '--series-3' },
  { name: 'reward', label: 'Unclaimed', token: '--series-4' },
] as const;

export function HoldingsChart({ days }: { readonly days: readonly HeldDay[] }) {
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
