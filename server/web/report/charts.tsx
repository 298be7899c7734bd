/** The report's charts; each is also available as a table. */
import type { ComponentChildren } from 'preact';
import { Missing } from '../parts/missing.js';
import { Section } from '../parts/section.js';
import type { Report } from '../state/report.js';
import {
  holdings,
  holdingsFailure,
  loadHoldings,
  loadPrices,
  prices,
  pricesFailure,
  WALLETS_DRAWN_MAX,
} from '../state/series.js';
import { earlier, readableDay } from '../values/dates.js';
import { HoldingsChart } from './charts/holdings-chart.js';
import { PriceChart } from './charts/price-chart.js';
import { RewardBars } from './charts/reward-bars.js';

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
