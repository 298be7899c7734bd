/** The charts of a report, each with its figures as a table. */

import { Section } from '../parts/section.js';
import type { Report } from '../state/report.js';
import { holdings, holdingsFailure, prices, pricesFailure } from '../state/series.js';
import { earlier, readableDay } from '../values/dates.js';
import { HoldingsChart } from './charts/holdings-chart.js';
import { PriceChart } from './charts/price-chart.js';
import { RewardBars } from './charts/reward-bars.js';

/** Holdings may be proved up to an earlier day than the other figures, or none of these days: then they are not known, and not zero. */
function Unproved({ until, shown: { summary } }: { readonly until: string | undefined; readonly shown: Report }) {
  if (until === earlier(summary.end, summary.coverage.index_end)) return null;
  return (
    <p class="fine">
      {until === undefined
        ? 'Holdings of these days are not proved, so they are not shown.'
        : `Holdings are proved up to ${readableDay(until)}: those of later days are not shown.`}
    </p>
  );
}

export function Charts({ shown }: { readonly shown: Report }) {
  const [held, priced] = [holdings.value, prices.value];
  return (
    <Section id="charts" title="Through the year">
      <div class="charts">
        <RewardBars shown={shown} />
        <figure class="chart" aria-busy={!held && !holdingsFailure.value}>
          <figcaption>What you held, in ATOM</figcaption>
          {holdingsFailure.value && <p class="fine">{holdingsFailure.value}</p>}
          {held && held.length > 0 && <HoldingsChart days={held} />}
          {held && <Unproved until={held.at(-1)?.date} shown={shown} />}
          {!held && !holdingsFailure.value && <div class="plot waiting" />}
        </figure>
        <figure class="chart" aria-busy={!priced && !pricesFailure.value}>
          <figcaption>Price of ATOM, in US dollars</figcaption>
          {pricesFailure.value && <p class="fine">{pricesFailure.value}</p>}
          {priced && <PriceChart days={priced} />}
          {!priced && !pricesFailure.value && <div class="plot waiting" />}
        </figure>
      </div>
    </Section>
  );
}
