/** Components that several sections of the report share. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OpenQuestion } from '../../../schemas/types.generated.js';
import { request } from '../api/client.js';
import { Coins, Usd } from '../parts.js';
import { tagsFor } from '../state/dataset.js';
import type { Report } from '../state/report.js';
import type { Row } from '../state/rows.js';
import { tag, tagOf } from '../state/statements.js';
import { readableDay } from '../values/dates.js';

interface FigureTableProps {
  /** Caption for screen readers, needed if the table has no heading. */
  readonly caption?: string;
  readonly columns: readonly string[];
  readonly texts?: number;
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table of amounts, with a heading at the left of each row. */
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

/** Shows received and sent amounts. If a wallet moves coins within itself, both are equal. */
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

export const RowWorth = ({ row }: { readonly row: Row }) => <Usd value={row.priceMissing ? '' : row.valueUsd} />;

/**
 * Lets the user choose a row's tag. Options are rendered only while it has the focus: otherwise they would be half of
 * all elements.
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

/** Returns whether the dataset contains none of the requested days. */
export const isOutside = ({ summary: { start, end, coverage } }: Report): boolean =>
  end < coverage.index_start || coverage.index_end < start;

export function daysOf(shown: Report): string {
  const { start, end, coverage } = shown.summary;
  const days = `${readableDay(start)} to ${readableDay(end)}, UTC`;
  if (isOutside(shown)) return `${days}, not recorded`;
  const first = start < coverage.index_start ? ` from ${readableDay(coverage.index_start)}` : '';
  const last = coverage.index_end < end ? ` up to ${readableDay(coverage.index_end)}` : '';
  return days + (first + last && `, recorded${first}${last}`);
}

export const OPEN_WORDS: Readonly<Record<OpenQuestion['question'], string>> = {
  undecided_receipts: 'Suspicious incoming transfers',
  receipts_of_unknown_basis: 'Incoming transfers of unknown cost',
  assets_of_unknown_basis: 'Assets held at unknown cost',
  unclassified_rows: 'Unclassified transactions',
  days_without_price: 'Days without a price',
  rows_without_price: 'Income and sales of unknown value',
};

/** Downloads a file and saves it. @returns its name */
export async function saveFile(path: string, body?: object): Promise<string> {
  return save(await request(path, body));
}

/** Saves all files of a program that limits the lines of a file. Returns their names. */
export async function saveParts(path: string, body: object): Promise<string> {
  const first = await request(path, { ...body, part: 1 });
  const parts = Number(first.headers.get('X-Parts'));
  const names = [await save(first)];
  for (let part = 2; part <= parts; part++) names.push(await save(await request(path, { ...body, part })));
  return names.join(', ');
}

async function save(response: Response): Promise<string> {
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'hubledger.csv';
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers read the URL only some time after the click
  return name;
}
