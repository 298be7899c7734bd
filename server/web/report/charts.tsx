/** The charts of a report, each with its figures as a table. */

import { Section } from '../parts/section.js';
import type { Report } from '../state/report.js';
import { holdings, holdingsFailure, prices, pricesFailure } from '../state/series.js';
import { HoldingsChart } from './charts/holdings-chart.js';
import { PriceChart } from './charts/price-chart.js';
import { RewardBars } from './charts/reward-bars.js';

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
          {held?.length === 0 && <p class="fine">None of these days is recorded.</p>}
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
