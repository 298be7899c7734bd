import { useEffect, useState } from 'preact/hooks';
import type { Summary } from '../../../schemas/types.generated.js';
import { post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Address } from '../parts.js';
import { proposedCountry } from '../state/country.js';
import { dataset, daysOfYear, rulesOf } from '../state/dataset.js';
import { statements, zoneMember } from '../state/statements.js';
import { ScopedFees, ScopedIncome, TermGain } from './parts.js';

interface LiveExampleProps {
  /** Undefined while the dataset is loading. The example then reserves space for its amounts. */
  readonly year: string | undefined;
  readonly open: () => void;
}

/** Shows the example wallet's current amounts from the API. If the request fails, shows only the button. */
export function LiveExample({ year, open }: LiveExampleProps) {
  const example = dataset.value?.example;
  const [summary, setSummary] = useState<Summary>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (!example || year === undefined) return;
    const { address, opening_lots } = example;
    const openingLots = opening_lots.map((lot) => ({ address, ...lot }));
    const body = { address, ...daysOfYear(year), openingLots, assetDecisions: { '*': { mode: 'exclude' } } };
    const request = { ...body, ...zoneMember(statements.peek()) };
    post<Summary>(PATHS.summary, request).then(setSummary, () => setMissing(true));
  }, [example, year]);
  // The figures of the example are in US dollars.
  const isElsewhere = rulesOf(statements.value.country || proposedCountry.value) !== undefined;
  if (year !== undefined && !example) return null;
  const { total } = summary ?? {};
  return (
    <figure class="live-example">
      <figcaption>
        An example wallet
        {example && (
          <>
            {' '}
            in {year}: <Address value={example.address} />
          </>
        )}
      </figcaption>
      {!isMissing && !isElsewhere && (
        <dl>
          <div>
            <dt>Income</dt>
            <dd>{total ? <ScopedIncome sheet={total} /> : '…'}</dd>
          </div>
          <div>
            <dt>Short-term gain</dt>
            <dd>{total ? <TermGain of={total.disposed} term="short" isLarge /> : '…'}</dd>
          </div>
          <div>
            <dt>Long-term gain</dt>
            <dd>{total ? <TermGain of={total.disposed} term="long" isLarge /> : '…'}</dd>
          </div>
          <div>
            <dt>Network fees</dt>
            <dd>{total ? <ScopedFees sheet={total} /> : '…'}</dd>
          </div>
        </dl>
      )}
      <button type="button" class="quiet" disabled={!example} onClick={open}>
        See a real example
      </button>
    </figure>
  );
}
