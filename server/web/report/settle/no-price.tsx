/** Lists income and sales on days without a price. The user may enter their value. */

import { useEffect, useState } from 'preact/hooks';
import { USUAL } from '../../../../pipeline/books/terms.js';
import type { PriceSeries } from '../../../../schemas/types.generated.js';
import { type Exact, get } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';

import { isUsual } from '../../state/country.js';
import { unvaluedRows } from '../../state/questions.js';
import type { Report } from '../../state/report.js';
import { isComplete, type Row } from '../../state/rows.js';
import type { Statements } from '../../state/statements.js';
import { addDays, readableDay } from '../../values/dates.js';
import { grouped } from '../../values/decimal.js';
import { Moment, noPriceWords, RowAmounts, UNREACHED_WORDS } from '../parts.js';
import { AmountForm, LeaveUnknown } from './question.js';

const ROWS_SHOWN = 20;

export function NoPrice({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(ROWS_SHOWN);
  const rows = unvaluedRows(shown);
  const prices = usePrices(rows.slice(0, limit));
  return (
    <>
      <p>{noPriceWords()} Enter the value if you know it, for example from an exchange, or leave it unknown.</p>
      {!isComplete.value && <p class="fine">They are listed here after all transactions have loaded.</p>}
      {rows.length > 1 && (
        <p>
          <LeaveUnknown keys={rows} stated={shown.stated} />
        </p>
      )}
      <ul class="items">
        {rows.slice(0, limit).map((row) => (
          <Unvalued key={row.id} row={row} stated={shown.stated} prices={prices.get(denomOf(row)) ?? []} />
        ))}
      </ul>
      {rows.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + ROWS_SHOWN)}>
            Show more of the other {rows.length - limit}
          </button>
        </p>
      )}
    </>
  );
}

type Price = Exact<PriceSeries['points'][number]>;

interface UnvaluedProps {
  readonly row: Row;
  readonly stated: Statements;
  readonly prices: readonly Price[];
}

function Unvalued({ row, stated, prices }: UnvaluedProps) {
  const day = row.date.slice(0, 10);
  const found = prices.filter((price) => price.found);
  const near = [found.findLast(({ date }) => date < day), found.find(({ date }) => date > day)];
  return (
    <li class="item">
      <div class="item-head">
        <h4>
          <RowAmounts row={row} />
        </h4>
        <p class="fine">
          {row.categoryLabel} · <Moment value={row.date} />
          {near.map(
            (price) =>
              isUsual.value &&
              price && (
                <span
                  key={price.date}
                >{` · ${readableDay(price.date)}: ${USUAL.currency.symbol}${grouped(price.usd)} each`}</span>
              ),
          )}
        </p>
        {row.valueStatus === 'unreached' && <p class="fine">{UNREACHED_WORDS}</p>}
      </div>
      <AmountForm row={row} member="value" />
      {row.priceMissing && (
        <p>
          <LeaveUnknown keys={[row]} stated={stated} />
        </p>
      )}
    </li>
  );
}

const denomOf = ({ receivedDenom, sentDenom, feeDenom }: Row): string => receivedDenom || sentDenom || feeDenom;

/** Returns true if the registry contains the coin. Other coins have their denom as symbol. */
const isRegistered = (row: Row): boolean =>
  denomOf(row) !== (row.receivedCurrency || row.sentCurrency || row.feeCurrency);

/** A published price is offered if it is at most this many days before or after the row. */
const NEAR_DAYS = 14;

/** Loads published prices near the rows' days, by denom. Coins outside the registry have no prices. */
function usePrices(rows: readonly Row[]): ReadonlyMap<string, readonly Price[]> {
  const [prices, setPrices] = useState<ReadonlyMap<string, readonly Price[]>>(new Map());
  const wanted = JSON.stringify(
    [...new Set(rows.filter(isRegistered).map(denomOf))].map((denom) => {
      const days = rows.filter((row) => denomOf(row) === denom).map(({ date }) => date.slice(0, 10));
      days.sort();
      return [denom, addDays(days[0]!, -NEAR_DAYS), addDays(days.at(-1)!, NEAR_DAYS)];
    }),
  );
  useEffect(() => {
    const abort = new AbortController();
    for (const [denom, start, end] of JSON.parse(wanted) as [string, string, string][]) {
      get<{ points: Price[] }>(PATHS.prices(start, end, denom), abort.signal).then(
        ({ points }) => setPrices((known) => new Map([...known, [denom, points]])),
        () => undefined,
      );
    }
    return () => abort.abort();
  }, [wanted]);
  return prices;
}
