/** The daily price; a day without a price is a gap. */
import { useMemo, useState } from 'preact/hooks';
import type { PriceDay } from '../../state/series.js';
import { readableDay } from '../../values/dates.js';
import { grouped } from '../../values/decimal.js';
import { DayTable } from './day-table.js';
import { type Line, Plot } from './plot.js';

export function PriceChart({ days }: { readonly days: readonly PriceDay[] }) {
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
