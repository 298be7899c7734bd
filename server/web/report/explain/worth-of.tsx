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
      <h3>Value</h3>
      <dl class="facts">
        <Fact name="Value">
          <RowWorth row={row} />
        </Fact>
        {isPriced(row) && <Fact name="Price that day">${grouped(row.priceUsd)}</Fact>}
      </dl>
      {row.priceMissing && (
        <p>
          No price was published for {readableDay(row.date)}, so this transaction is in no total in US dollars. It is
          listed as an open question, not counted as zero.
        </p>
      )}
      {row.valueStatus === 'stated' && <p>You entered this value. It replaces the published price.</p>}
      {row.valueStatus === 'excluded' && <p>You left this transfer out, so it counts as worthless.</p>}
      {isPriced(row) && methodology && (
        <p>
          The price of {readableDay(row.date)} (UTC) by methodology {methodology.version}:{' '}
          {firstSentence(methodology.aggregation_rule)} Sources: {methodology.sources.map(nameOf).join(', ')}.{' '}
          <a href="/docs/methodology">Full methodology</a>
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
