/** Monthly rewards as bars, marked up as a list of figures. */
import { computed } from '@preact/signals';
import { Usd } from '../../parts/figure.js';
import { showRows } from '../../state/filter.js';
import type { Report } from '../../state/report.js';
import { isComplete, isReading, loaded } from '../../state/rows.js';
import { earlier, monthsBetween, readableMonth } from '../../values/dates.js';
import { textOf, unitsOf } from '../../values/decimal.js';

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

export function RewardBars({ shown: { summary } }: { readonly shown: Report }) {
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
