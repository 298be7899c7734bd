/** Coins of unknown cost that arrived before the report's days; links to the report that asks for their cost. */
import { ask } from '../../state/asked.js';
import type { Report } from '../../state/report.js';
import { dayBefore, readableDay } from '../../values/dates.js';
import { isZero } from '../../values/decimal.js';

/** Returns whether the wallets held such coins at the start. Coins from before the index are a separate question. */
export const hasEarlierReceipts = ({ summary }: Report): boolean =>
  summary.total.assets.some((asset) => !isZero(asset.opening_basis_unknown_quantity));

export function EarlierReceipts({ shown: { asked, summary } }: { readonly shown: Report }) {
  const days = { start: summary.coverage.index_start, end: dayBefore(summary.start) };
  return (
    <p>
      Some coins of unknown cost arrived before this period. Enter their cost in the report of those days: your answer
      counts here, too.{' '}
      <button type="button" class="link" onClick={() => ask({ ...asked, ...days })}>
        Show {readableDay(days.start)} to {readableDay(days.end)}
      </button>
    </p>
  );
}
