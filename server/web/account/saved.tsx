import { useEffect, useState } from 'preact/hooks';
import type { AssetReview, SavedDecisions, SavedOpeningLots, SavedWallets } from '../../../schemas/types.generated.js';
import { post, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Address, Section } from '../parts.js';
import { decide, forgetStatements, stateLots, statements, tag } from '../state/statements.js';
import { readableDay } from '../values/dates.js';
import { counted, listed } from '../values/decimal.js';
import { Confirmed, Entries, Entry, Failure, useAccountList, When } from './parts.js';
import { decisionWords, lotWords, manyWords } from './words.js';

export function Saved() {
  const { list, isBusy, failure, reload, remove } = useAccountList<SavedWallets>(PATHS.saved);
  const wallets = list?.wallets ?? [];
  const forget = (act: () => Promise<unknown>) => remove(act, 'saved');
  const all = wallets.length > 0 && (
    <Confirmed
      text="Delete all"
      of="saved data"
      question="Delete all saved data?"
      yes="Delete it"
      act={() => forget(forgetAll)}
    >
      <p>
        All decisions and costs of every wallet are deleted, and all data in this browser, including tags. Reports no
        longer use them.
      </p>
    </Confirmed>
  );
  return (
    <Section id="saved" title="Saved data" aside={all} isBusy={isBusy}>
      <p class="lead">
        Your decisions about incoming transfers, and the cost of coins from before the records begin. They apply to
        every report that you open while signed in.
      </p>
      <Failure text={failure} />
      {list && wallets.length === 0 && <p class="fine">You have no saved data.</p>}
      <Entries label="Wallets">
        {wallets.map((wallet) => (
          <SavedWallet key={wallet.address} wallet={wallet} forget={forget} changed={() => void reload()} />
        ))}
      </Entries>
      <InBrowser />
    </Section>
  );
}

interface SavedWalletProps {
  readonly wallet: SavedWallets['wallets'][number];
  readonly forget: (act: () => Promise<unknown>) => unknown;
  readonly changed: () => void;
}

function SavedWallet({ wallet, forget, changed }: SavedWalletProps) {
  const { address, decisions_saved_at: decided, opening_lots_saved_at: stated } = wallet;
  const [isOpen, setOpen] = useState(false);
  return (
    <Entry
      title={<Address value={address} />}
      facts={[
        <>
          {decided && (
            <>
              Decisions saved on <When value={decided} />.{' '}
            </>
          )}
          {stated && (
            <>
              Costs saved on <When value={stated} />.
            </>
          )}
        </>,
      ]}
      buttons={
        <>
          <a class="quiet small" href={`/#addresses=${address}`}>
            Open the report<span class="whole"> of {address}</span>
          </a>
          <Confirmed
            text="Delete"
            of={`the saved data of ${address}`}
            question="Delete the saved data of this wallet?"
            yes="Delete it"
            act={() => forget(() => forgetWallet(address))}
          >
            <p>
              Decisions and costs of <Address value={address} /> are deleted from your account and from this browser.
              Reports no longer use them. Other browsers delete their copies when you next open a report there while
              signed in.
            </p>
          </Confirmed>
        </>
      }
    >
      <details class="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Saved data<span class="whole"> of {address}</span>
        </summary>
        {isOpen && <SavedContent address={address} changed={changed} />}
      </details>
    </Entry>
  );
}

interface SavedContentProps {
  readonly address: string;
  readonly changed: () => void;
}

function SavedContent({ address, changed }: SavedContentProps) {
  const decisions = useAccountList<SavedDecisions>(PATHS.read(PATHS.savedDecisions), { address });
  const lots = useAccountList<SavedOpeningLots>(PATHS.read(PATHS.savedLots), { address });
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

/** Loads the names of a wallet's flagged receipts, by row id. The map is empty if the dataset is unavailable. */
function useReceipts(address: string): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    post<AssetReview>(PATHS.review, { address }).then(
      ({ records }) =>
        setNames(
          new Map(
            records.map(({ record_id, date, quantity, symbol }) => [
              record_id,
              `${listed(quantity)} ${symbol}, received on ${readableDay(date)}`,
            ]),
          ),
        ),
      () => undefined,
    );
  }, [address]);
  return names;
}

const Line = ({ text, remove }: { readonly text: string; readonly remove: () => unknown }) => (
  <li class="line">
    <span>{text}</span>
    <button type="button" class="link" onClick={() => void remove()}>
      Delete<span class="whole"> {text}</span>
    </button>
  </li>
);

/** Explains that tags are stored only in this browser, never by the service. */
function InBrowser() {
  const tags = Object.entries(statements.value.tags).flatMap(([address, rows]) =>
    Object.entries(rows).map(([id, name]) => ({ address, id, name })),
  );
  if (tags.length === 0) return <p class="fine">Tags stay in the browser where you set them. This browser has none.</p>;
  return (
    <details class="log">
      <summary>{counted(tags.length, 'tag')} on transactions, stored only in this browser</summary>
      <ul>
        {tags.map((row) => (
          <Line key={row.id} text={`Transaction ${row.id}: ${row.name}`} remove={() => tag([row], '')} />
        ))}
      </ul>
    </details>
  );
}

// Entries must also be deleted from this browser. Otherwise its copy would be saved to the account again.

async function forgetWallet(address: string): Promise<void> {
  await post(PATHS.savedDecisions, { address, decisions: {} });
  await post(PATHS.savedLots, { address, opening_lots: [] });
  const decided = Object.keys(statements.peek().decisions[address] ?? {});
  decide(
    decided.map((id) => ({ address, id })),
    undefined,
  );
  stateLots(statements.peek().openingLots.filter((lot) => lot.address !== address));
}

async function forgetDecision({ address, decisions, etag }: SavedDecisions, key: string): Promise<void> {
  const { [key]: _, ...others } = decisions;
  await send('POST', PATHS.savedDecisions, { address, decisions: others }, etag);
  decide([{ address, id: key }], undefined);
}

async function forgetLot({ address, opening_lots, etag }: SavedOpeningLots, index: number): Promise<void> {
  const others = opening_lots.filter((_, i) => i !== index);
  await send('POST', PATHS.savedLots, { address, opening_lots: others }, etag);
  const elsewhere = statements.peek().openingLots.filter((lot) => lot.address !== address);
  stateLots([...elsewhere, ...others.map((lot) => ({ ...lot, address }))]);
}

/** Deletes all saved entries from the account and from this browser. @throws ApiError */
async function forgetAll(): Promise<void> {
  await send('DELETE', PATHS.saved);
  forgetStatements();
}
