/** The value of a row: amount × the day's published price, and the price's source. */
import { useEffect, useState } from 'preact/hooks';
import type { MethodologyAnswer } from '../../../../schemas/types.generated.js';
import { get } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import type { Row } from '../../state/rows.js';
import { readableDay } from '../../values/dates.js';
import { grouped } from '../../values/decimal.js';
import { RowWorth } from '../rows/row-line.js';
import { Fact } from './happened.js';

export function WorthOf({ row }: { readonly row: Row }) {
  const [methodology, setMethodology] = useState<MethodologyAnswer>();
  useEffect(() => {
    get<MethodologyAnswer>(PATHS.methodology).then(setMethodology, () => undefined);
  }, []);
  return (
    <section class="panel-part">
      <h3>What it was worth</h3>
      <dl class="facts">
        <Fact name="Value">
          <RowWorth row={row} />
        </Fact>
        {isPriced(row) && <Fact name="Price that day">${grouped(row.priceUsd)}</Fact>}
      </dl>
      {row.priceMissing && (
        <p>
          No price was published for {readableDay(row.date)}, so the row is part of no total in US dollars. It is listed
          as open instead of counting as zero.
        </p>
      )}
      {row.valueStatus === 'stated' && <p>You stated this value: it counts in place of the published price.</p>}
      {row.valueStatus === 'excluded' && <p>You left this receipt out, so it counts as worth nothing.</p>}
      {isPriced(row) && methodology && (
        <p>
          The price of {readableDay(row.date)} (UTC) by methodology {methodology.version}:{' '}
          {firstSentence(methodology.aggregation_rule)} Sources: {methodology.sources.map(nameOf).join(', ')}.{' '}
          <a href="/docs/methodology">The whole methodology</a>
        </p>
      )}
    </section>
  );
}

/** Returns whether the value comes from a published price, not from the owner. */
const isPriced = ({ valueStatus }: Row) => valueStatus === 'priced' || valueStatus === 'below_half_cent';

const firstSentence = (text: string): string =>
  text
    .split(/(?<=\.)\s/)[0]!
    .split(';')[0]!
    .replace(/\.?$/, '.');

/** 'kraken: Kraken spot daily candles …' → 'kraken'. */
const nameOf = (source: string): string => source.split(':')[0]!;
