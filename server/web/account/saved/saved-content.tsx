import { useEffect, useState } from 'preact/hooks';
import type { AssetReview, SavedDecisions, SavedOpeningLots } from '../../../../schemas/types.generated.js';
import { get } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import { forgetDecision, forgetLot } from '../../state/forget-saved.js';
import { readableDay } from '../../values/dates.js';
import { decisionWords, lotWords, manyWords } from '../../values/saved-words.js';
import { Failure } from '../parts/failure.js';
import { useAccountList } from '../parts/use-own.js';

interface SavedContentProps {
  readonly address: string;
  readonly changed: () => void;
}

export function SavedContent({ address, changed }: SavedContentProps) {
  const decisions = useAccountList<SavedDecisions>(PATHS.savedDecisions(address));
  const lots = useAccountList<SavedOpeningLots>(PATHS.savedLots(address));
  const receipts = useReceipts(address);
  const nameOf = (key: string) => manyWords(key) ?? receipts.get(key) ?? `Transaction ${key}`;
  return (
    <>
      <Failure text={decisions.failure || lots.failure} />
      <ul aria-busy={decisions.isBusy || lots.isBusy}>
        {Object.entries(decisions.list?.decisions ?? {}).map(([key, decision]) => (
          <Line
            key={key}
            text={`${nameOf(key)}: ${decisionWords(decision)}`}
            remove={() => decisions.change(() => forgetDecision(decisions.list!, key)).then(changed)}
          />
        ))}
        {lots.list?.opening_lots.map((lot, i) => (
          <Line
            key={`${i} ${lotWords(lot)}`}
            text={lotWords(lot)}
            remove={() => lots.change(() => forgetLot(lots.list!, i)).then(changed)}
          />
        ))}
      </ul>
    </>
  );
}

/** Loads the names of a wallet's flagged receipts by id; empty if the dataset cannot be read. */
function useReceipts(address: string): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    get<AssetReview>(PATHS.review([address])).then(
      ({ records }) =>
        setNames(
          new Map(
            records.map(({ record_id, date, quantity, symbol }) => [
              record_id,
              `${quantity} ${symbol}, received on ${readableDay(date)}`,
            ]),
          ),
        ),
      () => undefined,
    );
  }, [address]);
  return names;
}

export const Line = ({ text, remove }: { readonly text: string; readonly remove: () => unknown }) => (
  <li class="line">
    <span>{text}</span>
    <button type="button" class="link" onClick={() => void remove()}>
      Delete<span class="whole"> {text}</span>
    </button>
  </li>
);
