import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Journal, JournalLine, MethodologyAnswer, PriceQuote } from '../../../schemas/types.generated.js';
import { type Exact, get, isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Usd } from '../parts.js';
import { country } from '../state/country.js';
import { tagsFor } from '../state/dataset.js';
import { wentToOwnPlace } from '../state/homecomings.js';
import { report } from '../state/report.js';
import { localTime, type Row } from '../state/rows.js';
import { ledgerBody, zone } from '../state/statements.js';
import { listedDay, readableDay } from '../values/dates.js';
import { grouped, isZero } from '../values/decimal.js';
import { LOCALE } from '../values/language.js';
import { countsAs } from './counts-as.js';
import { FigureTable, noPriceWords, RowAmounts, Scroller, TagChoice, UNREACHED_WORDS } from './parts.js';
import { Changes } from './settle/changes.js';
import { CostPapers } from './settle/places.js';

export function ExplainPanel({ row, close }: { readonly row: Row; readonly close: () => void }) {
  return (
    <Panel title={row.categoryLabel} close={close}>
      <p class="lead">{row.description}</p>
      <Happened row={row} />
      {/* Value, books and lots of a row are those of the usual report. */}
      {!country.value && (
        <>
          <WorthOf row={row} />
          <BookLines row={row} />
          {report.value && wentToOwnPlace([row]) && (
            <section class="panel-part">
              <h3>Sent to your own place</h3>
              <CostPapers shown={report.value} />
            </section>
          )}
        </>
      )}
      {tagsFor(row).length > 0 && (
        <section class="panel-part">
          <h3>Your tag</h3>
          <label for="panel-tag" class="fine">
            A tag adds information that only you have. It changes the tax treatment at once.
          </label>
          <TagChoice row={row} id="panel-tag" />
        </section>
      )}
      <Changes id="panel-changes" />
    </Panel>
  );
}

function Happened({ row }: { readonly row: Row }) {
  const isOfBlock = row.txHash.startsWith('block:');
  return (
    <section class="panel-part">
      <h3>What happened</h3>
      <dl class="facts">
        <Fact name="When">
          {listedDay(localTime(row))} {zone.value.name}
        </Fact>
        <Fact name="Amount">
          <RowAmounts row={row} />
        </Fact>
        <Fact name="Wallet">
          <code>{row.address}</code>
        </Fact>
        {row.counterparty && (
          <Fact name="From or to">
            <code>{row.counterparty}</code>
          </Fact>
        )}
        {row.validatorAddress && (
          <Fact name="Validator">{row.validatorMoniker || <code>{row.validatorAddress}</code>}</Fact>
        )}
        {row.rewardTrigger && <Fact name="Paid out by">{row.rewardTrigger.replaceAll('_', ' ')}</Fact>}
        {row.detail && <Fact name="Detail">{row.detail}</Fact>}
        <Fact name="Block">{row.height.toLocaleString(LOCALE)}</Fact>
        {!isOfBlock && (
          <Fact name="Transaction">
            <code>{row.txHash}</code>
          </Fact>
        )}
      </dl>
      <p>
        <a href={explorerPage(row)} rel="noopener noreferrer" target="_blank">
          Open in a block explorer
        </a>
      </p>
    </section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Explains a row's value: the amount times the day's price, and the source of the price. */
function WorthOf({ row }: { readonly row: Row }) {
  const [methodology, setMethodology] = useState<MethodologyAnswer>();
  const [quotes, setQuotes] = useState<readonly ExactQuote[]>([]);
  useEffect(() => {
    get<MethodologyAnswer>(PATHS.methodology).then(setMethodology, () => undefined);
    if (isPriced(row)) quotesOf(row).then(setQuotes, () => undefined);
  }, []);
  const nameIn = (source: string) =>
    methodology?.sources.find((one) => one.startsWith(`${source}: `))?.split(' ', 2)[1] ?? source;
  return (
    <section class="panel-part">
      <h3>Value</h3>
      <dl class="facts">
        <Fact name="Value">
          <Usd value={row.priceMissing ? '' : row.valueUsd} />
        </Fact>
        {report.value && <Fact name="Counts as">{countsAs(row, report.value).words}</Fact>}
        {isPriced(row) && (
          <Fact name="Price that day">
            {quotes.length > 0 &&
              `${quotes.map(({ source, usd, rejected }) => `${nameIn(source)} ${grouped(usd)}${rejected ? ' (not used)' : ''}`).join(' · ')} → `}
            ${grouped(row.priceUsd)}
          </Fact>
        )}
      </dl>
      {row.priceMissing && (
        <p>
          {row.valueStatus === 'unreached' ? UNREACHED_WORDS : `No price was published for ${readableDay(row.date)}.`}{' '}
          {noPriceWords()}
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

type ExactQuote = Exact<PriceQuote>;

/** Fetches the quotes of all price sources for the coin that determines the row's value. */
async function quotesOf(row: Row): Promise<readonly ExactQuote[]> {
  const day = row.date.slice(0, 10);
  for (const denom of new Set([row.receivedDenom, row.sentDenom, row.feeDenom].filter(Boolean))) {
    const { points } = await get<{ points: readonly { usd: string; quotes: readonly ExactQuote[] }[] }>(
      PATHS.prices(day, day, denom),
    );
    if (points[0]?.usd === row.priceUsd) return points[0].quotes;
  }
  return [];
}

/** Returns true if the value comes from a published price, not from the user. */
const isPriced = ({ valueStatus }: Row) => valueStatus === 'priced' || valueStatus === 'below_half_cent';

const firstSentence = (text: string): string =>
  text
    .split(/(?<=\.)\s/)[0]!
    .split(';')[0]!
    .replace(/\.?$/, '.');

const nameOf = (source: string): string => source.split(':')[0]!;

function BookLines({ row }: { readonly row: Row }) {
  const [lines, setLines] = useState<readonly JournalLine[]>();
  const [failure, setFailure] = useState('');
  const shown = report.value;
  useEffect(() => {
    if (!shown) return;
    const abort = new AbortController();
    const day = localTime(row).slice(0, 10);
    const body = { ...ledgerBody({ ...shown.query, start: day, end: day }, shown.stated), format: 'json' };
    post<Journal>(PATHS.journal, body, abort.signal).then(
      (journal) => setLines(journal.lines.filter((line) => isOf(line, row))),
      (error) => isAbort(error) || setFailure(messageOf(error)),
    );
    return () => abort.abort();
  }, [shown, row]);
  return (
    <section class="panel-part" aria-busy={!lines && failure === ''}>
      <h3>Journal entries</h3>
      {failure && <p>{failure}</p>}
      {lines?.length === 0 && <p>None: it moves coins within the wallet, or belongs to another transaction.</p>}
      {lines && lines.length > 0 && <Lines lines={lines} />}
      {notesOf(lines ?? []).map((note) => (
        <p key={note}>{note}</p>
      ))}
    </section>
  );
}

/** Returns true if a journal line belongs to the row. The id of a journal entry starts with the id of its row. */
const isOf = (line: JournalLine, row: Row) => line.address === row.address && line.entry_id.startsWith(`${row.id}-`);

const Lines = ({ lines }: { readonly lines: readonly JournalLine[] }) => (
  <Scroller label="Journal lines">
    <FigureTable
      columns={['Account', 'Debit', 'Credit']}
      rows={lines.map(({ account, debit_usd, credit_usd, basis_unknown_quantity }) => {
        const isUnknown = (usd: string) => basis_unknown_quantity !== '' && isZero(usd);
        const shown = (usd: string) =>
          usd && (isUnknown(usd) ? <span class="unknown">unknown cost</span> : <Usd value={usd} />);
        return [account, shown(debit_usd), shown(credit_usd)];
      })}
    />
  </Scroller>
);

function notesOf(lines: readonly JournalLine[]): string[] {
  const acquired = (day: string) => (day === 'VARIOUS' ? 'on several days' : `on ${readableDay(day)}`);
  const notes = lines.flatMap(({ acquired: day, term, memo }) => [
    ...(day ? [`Lots acquired ${acquired(day)}${term ? `, held ${TERMS[term]}` : ''}.`] : []),
    ...(memo ? [`Note: ${memo}.`] : []),
  ]);
  return [...new Set(notes)];
}

const TERMS = {
  SHORT: 'for a year or less',
  LONG: 'for more than a year',
  MIXED: 'partly for more than a year',
} as const;

interface PanelProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A panel at the side of the screen. It is a modal dialog: it keeps the focus inside and closes on Escape. */
function Panel({ title, close, children }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="panel" aria-labelledby="panel-title" onClose={close}>
      <header class="section-head">
        <h2 id="panel-title">{title}</h2>
        <button type="button" class="quiet small" onClick={() => dialog.current!.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** The block explorer that links point to. The page itself loads nothing from it. */
const EXPLORER = 'https://www.mintscan.io/cosmos';

/** Returns the URL of the transaction, or of the block if the event has no transaction. */
const explorerPage = ({ txHash, height }: { readonly txHash: string; readonly height: number }): string =>
  txHash.startsWith('block:') ? `${EXPLORER}/block/${height}` : `${EXPLORER}/tx/${txHash}`;
