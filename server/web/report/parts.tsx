/** Components that several sections of the report share. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DisposalFigures, SummarySheet } from '../../../schemas/types.generated.js';
import { request } from '../api/client.js';
import { Coins, type MomentProps, Unfold, Usd, Moment as UtcMoment } from '../parts.js';
import { currency, isUsual } from '../state/country.js';
import { dataset, tagsFor, WHOLE_SHARE } from '../state/dataset.js';
import type { Report } from '../state/report.js';
import type { Row } from '../state/rows.js';
import { ownersStatements, tag, tagOf, zone, zoneIn } from '../state/statements.js';
import { daysOfZone, UTC } from '../state/zone.js';
import { WALLETS_UNFOLDED_MAX } from '../values/addresses.js';
import { countDays, earlier, later, readableDay } from '../values/dates.js';
import { counted } from '../values/decimal.js';
import { LOCALE } from '../values/language.js';

interface FigureTableProps {
  /** Caption for screen readers. Needed only if the table has no heading. */
  readonly caption?: string;
  readonly columns: readonly string[];
  readonly texts?: number;
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table of amounts. The first column contains the rows' headings. */
export const FigureTable = ({ caption, columns, texts = 1, rows }: FigureTableProps) => (
  <table class="figures">
    {caption && <caption class="whole">{caption}</caption>}
    <thead>
      <tr>
        {columns.map((column, i) => (
          <th key={column} scope="col" class={i < texts ? '' : 'number'}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([head, ...cells], row) => (
        <tr key={row}>
          <th scope="row">{head}</th>
          {cells.map((cell, i) => (
            <td key={columns[i + 1]} class={i + 1 < texts ? '' : 'number figure'}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface ScrollerProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const Scroller = ({ label, class: more = '', children }: ScrollerProps) => (
  <section class={`scroller ${more}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);

interface MissingProps {
  readonly message: string;
  readonly tryAgain: () => void;
}

export const Missing = ({ message, tryAgain }: MissingProps) => (
  <p class="load-state" role="alert">
    {message}{' '}
    <button type="button" class="quiet small" onClick={tryAgain}>
      Try again
    </button>
  </p>
);

/** Shows received and sent amounts. If a row moves coins within the wallet, both amounts are equal. */
export function RowAmounts({ row }: { readonly row: Row }) {
  const isMove = row.sentAmount !== '' && row.sentAmount === row.receivedAmount && row.sentDenom === row.receivedDenom;
  if (isMove) return <Coins value={row.sentAmount} symbol={row.sentCurrency} />;
  return (
    <>
      {row.receivedAmount !== '' && <Coins value={row.receivedAmount} symbol={row.receivedCurrency} sign="+" />}
      {row.sentAmount !== '' && <Coins value={row.sentAmount} symbol={row.sentCurrency} sign="−" />}
      {row.feeAmount !== '' && <Coins value={row.feeAmount} symbol={row.feeCurrency} sign="−" />}
    </>
  );
}

/**
 * Lets the user choose a row's tag. The options are rendered only while the field has the focus. Otherwise they would
 * be half of the page's elements.
 */
export function TagChoice({ row, id }: { readonly row: Row; readonly id?: string }) {
  const [isFocused, setFocused] = useState(false);
  const tags = tagsFor(row);
  if (tags.length === 0) return null;
  const chosen = tagOf(row);
  return (
    <select
      class="tag"
      {...(id ? { id } : { 'aria-label': `Tag of ${row.categoryLabel}, ${row.date}` })}
      value={chosen}
      disabled={ownersStatements.value !== ''}
      onPointerDown={() => setFocused(true)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onChange={(event) => tag([row], event.currentTarget.value)}
    >
      <option value="">No tag</option>
      {tags
        .filter((one) => isFocused || one.tag === chosen)
        .map((one) => (
          <option key={one.tag} value={one.tag} title={one.treatment}>
            {one.label}
          </option>
        ))}
    </select>
  );
}

/** Shows what a row is worth in US dollars. Values of single rows are known in no other currency. */
export const Worth = ({ row }: { readonly row: Row }) =>
  isUsual.value ? (
    <>
      {' '}
      · worth <Usd value={row.priceMissing ? '' : row.valueUsd} />
    </>
  ) : null;

/** Shows a time in the zone of the page. */
export const Moment = (props: MomentProps) => <UtcMoment {...props} zone={zone.value} />;

export function CoverageLine({ shown: { summary } }: { readonly shown: Report }) {
  const { coverage, methodology_version, classification_version, generation } = summary;
  return (
    <p class="rests-on" id="coverage">
      Based on {coverage.complete ? 'every block' : 'the blocks'} from {readableDay(coverage.index_start)} to{' '}
      {readableDay(coverage.index_end)}, prices by <a href="/docs/methodology">methodology {methodology_version}</a>,
      classification {classification_version}, dataset <code>{generation}</code>.{' '}
      <span class="fine">{coverage.note}</span>
    </p>
  );
}

/** Returns the day of an instant in the report's zone. @param instant RFC 3339 in UTC */
const localDay = ({ stated }: Report, instant: string): string =>
  daysOfZone(zoneIn(stated)).dayOf(`${instant.slice(0, 10)} ${instant.slice(11, 19)}`);

/** Returns the first and last day of the index in the report's zone. */
export function indexDays(shown: Report): readonly [first: string, last: string] {
  const { index_start, index_end } = shown.summary.coverage;
  const end = dataset.value?.time;
  if (zoneIn(shown.stated) === UTC || !end) return [index_start, index_end];
  return [localDay(shown, `${index_start}T00:00:00Z`), localDay(shown, end)];
}

/** Returns the first and last recorded day of the report's period. */
export function recordedDays(shown: Report): readonly [first: string, last: string] {
  const { start, end, coverage } = shown.summary;
  const { covered_from, covered_to } = coverage;
  const [first, last] = indexDays(shown);
  return [
    later(start, covered_from ? localDay(shown, covered_from) : first),
    earlier(end, covered_to ? localDay(shown, covered_to) : last),
  ];
}

/** Warns above amounts if many days of the period are not recorded, or if transactions of a wallet may be missing. */
export const Gaps = ({ shown }: { readonly shown: Report }) => (
  <>
    <PartlyRecorded shown={shown} />
    {!isOutside(shown) && <Incomplete addresses={shown.query.addresses} />}
  </>
);

function PartlyRecorded({ shown }: { readonly shown: Report }) {
  const { start, end } = shown.summary;
  const [first, last] = recordedDays(shown);
  const due = countDays(start, earlier(end, indexDays(shown)[1]));
  const recorded = countDays(first, last);
  if (isOutside(shown) || recorded >= WHOLE_SHARE * due) return null;
  return (
    <p class="notice" role="note">
      <strong>
        Only {recorded} of these {counted(due, 'day')} are recorded:
      </strong>{' '}
      {readableDay(first)} to {readableDay(last)}. What happened on the other days is missing, not zero.
    </p>
  );
}

/** Names the wallets whose rows are not proved to be complete, in a dataset of single wallets. */
function Incomplete({ addresses }: { readonly addresses: readonly string[] }) {
  const { wallets = [] } = dataset.value ?? {};
  const incomplete = wallets.filter(({ address, state }) => state === 'incomplete' && addresses.includes(address));
  const notices = () =>
    incomplete.map(({ address, missing }) => (
      <p key={address} class="notice" role="note">
        <strong>Transactions of {address} may be missing:</strong> {missing.join('; ')}. These figures cover only what
        was found.
      </p>
    ));
  if (incomplete.length <= WALLETS_UNFOLDED_MAX) return notices();
  return (
    <div class="notice" role="note">
      <p>
        <strong>Transactions of {incomplete.length} wallets may be missing.</strong> These figures cover only what was
        found.
      </p>
      <Unfold summary={`Show what is missing in the ${incomplete.length} wallets`}>{notices}</Unfold>
    </div>
  );
}

/** Returns true if the dataset contains none of the requested days. */
export function isOutside(shown: Report): boolean {
  const [first, last] = indexDays(shown);
  return shown.summary.end < first || last < shown.summary.start;
}

export function daysOf(shown: Report): string {
  const { start, end } = shown.summary;
  const [indexStart, indexEnd] = indexDays(shown);
  const days = `${readableDay(start)} to ${readableDay(end)}, ${zoneIn(shown.stated)}`;
  if (isOutside(shown)) return `${days}, not recorded`;
  const first = start < indexStart ? ` from ${readableDay(indexStart)}` : '';
  const last = indexEnd < end ? ` up to ${readableDay(indexEnd)}` : '';
  return days + (first + last && `, recorded${first}${last}`);
}

/** Returns the sentence about rows without a price, which all sections show. */
export const noPriceWords = () =>
  `Transactions without a price are in your files with their amounts, but in no total in ${currency.value.words}.`;

/** The sentence of answers and files for a day on which no market answered. */
export const UNREACHED_WORDS = 'No market could be reached on that day; the next run asks again.';

/** @param sales number of sends without an answer */
export const readyWords = (sales: number): string =>
  sales === 0
    ? 'Your files are ready.'
    : `You can download; ${counted(sales, 'send')} still ${sales === 1 ? 'counts as a sale' : 'count as sales'}.`;

const NotKnown = () => <span class="unknown">not known yet</span>;

interface GainProps {
  readonly of: DisposalFigures;
  /** Without a term, shows the gain of both terms. */
  readonly term?: 'short' | 'long';
}

/** Shows a gain. Without a known sale, the gain is unknown, or there is none; it is never zero. */
export function Gain({ of, term }: GainProps) {
  const sales = term ? of[`sales_${term}`] : of.sales_known;
  const value = term ? of[`gain_${term}_usd`] : of.gain_usd;
  if (sales === 0) return of.gain_known === 'all' ? <span class="unknown">none</span> : <NotKnown />;
  return <Usd value={value} signed />;
}

/** Shows a gain in large letters. If less than half of the sales are known, their sum is not shown. */
export const LargeGain = (props: GainProps) => (props.of.gain_known === 'some' ? <NotKnown /> : <Gain {...props} />);

interface TermGainProps extends Required<GainProps> {
  /** Whether the gain is in large letters. If less than half of the sales are known, the sum is then part of the note. */
  readonly isLarge?: boolean;
}

/** Shows the gain of a term, and how many sales it covers if the gain of any sale is unknown. */
export function TermGain({ of, term, isLarge = false }: TermGainProps) {
  const sales = of[`sales_${term}`];
  const isNoted = isLarge && of.gain_known === 'some' && sales > 0;
  return (
    <>
      {isLarge ? <LargeGain of={of} term={term} /> : <Gain of={of} term={term} />}
      {sales > 0 && of.gain_known !== 'all' && (
        <span class="so-far">
          {' '}
          so far: {counted(sales, 'sale')}
          {isNoted && (
            <>
              , <Gain of={of} term={term} />
            </>
          )}
        </span>
      )}
    </>
  );
}

/** Returns how many sales the gain covers if it is incomplete; '' if the gain is complete or unknown. */
export const gainScope = ({ gain_known, sales, sales_known }: DisposalFigures): string =>
  gain_known === 'all' || gain_known === 'none'
    ? ''
    : `so far: ${sales_known.toLocaleString(LOCALE)} of ${counted(sales, 'sale')}`;

/** Shows income. If no income has a price, its value is unknown, not zero. */
export const Income = ({ sheet: { income_usd } }: { readonly sheet: Pick<SummarySheet, 'income_usd'> }) =>
  income_usd === '' ? <NotKnown /> : <Usd value={income_usd} />;

/** Shows income, and how many receipts it covers if some have no price. */
export const ScopedIncome = ({ sheet }: { readonly sheet: Pick<SummarySheet, 'income' | 'income_usd'> }) => (
  <>
    <Income sheet={sheet} />
    <SoFar>{incomeScope(sheet)}</SoFar>
  </>
);

/** Shows fees, and how many fees the sum covers if some have no price. */
export const ScopedFees = ({ sheet }: { readonly sheet: Pick<SummarySheet, 'disposals' | 'fees_usd'> }) => (
  <>
    <Usd value={sheet.fees_usd} />
    <SoFar>{feeScope(sheet)}</SoFar>
  </>
);

const SoFar = ({ children }: { readonly children: string }) =>
  children === '' ? null : <span class="so-far"> {children}</span>;

/** Returns how many receipts the income covers if some have no price; '' if all or none have a price. */
export const incomeScope = ({ income }: Pick<SummarySheet, 'income'>): string =>
  pricedScope(income, income.every(({ account }) => account === 'Income: Staking Rewards') ? 'reward' : 'payment');

const FEES: readonly string[] = ['fee', 'fee_failed'];

export const feeKinds = ({ disposals }: Pick<SummarySheet, 'disposals'>): SummarySheet['disposals'] =>
  disposals.filter(({ category }) => FEES.includes(category));

export const feeScope = (sheet: Pick<SummarySheet, 'disposals'>): string => pricedScope(feeKinds(sheet), 'fee');

interface Priced {
  readonly count: number;
  readonly without_price: number;
}

function pricedScope(kinds: readonly Priced[], noun: string): string {
  const { all, unpriced } = countsOf(kinds);
  if (unpriced === 0 || unpriced === all) return '';
  return `so far: ${(all - unpriced).toLocaleString(LOCALE)} of ${counted(all, noun)}`;
}

export const countsOf = (kinds: readonly Priced[]) => ({
  all: kinds.reduce((sum, { count }) => sum + count, 0),
  unpriced: kinds.reduce((sum, { without_price }) => sum + without_price, 0),
});

/** Downloads a file and saves it. @returns its name */
export async function saveFile(path: string, body?: object): Promise<string> {
  const response = await request(path, body);
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'hubledger.csv';
  return saveBlob(await response.blob(), name);
}

/** Saves data as a file on the user's device. @returns its name */
export function saveBlob(blob: Blob, name: string): string {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers read the URL long after the click
  return name;
}
