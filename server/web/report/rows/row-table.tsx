/**
 * Renders only the rows in view and a few around them, between two spacers. `aria-rowindex` gives screen readers each
 * row's position. Elements are reused, because creating them dominated the cost of scrolling.
 */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Coins, Moment, Usd } from '../../parts/figure.js';
import { filter, newestFirst } from '../../state/filter.js';
import { isComplete, isReading, type Row } from '../../state/rows.js';
import { TagChoice } from './tag-choice.js';

/** Row height in rem; equals the height in styles/rows.css. */
const ROW_REM = 3.75;
const OVERSCAN = 4;

interface RowTableProps {
  readonly rows: readonly Row[];
  readonly explain: (row: Row) => void;
}

export function RowTable({ rows, explain }: RowTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const [first, setFirst] = useState(0);
  const [inView, setInView] = useState(20);
  const measure = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    const height = ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    setFirst(Math.floor(scrollTop / height));
    setInView(Math.ceil(clientHeight / height) + 1);
  };
  // A new selection scrolls to the top; a change within the same rows, such as a tag, does not.
  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
  }, [filter.value, newestFirst.value]);
  useLayoutEffect(measure, [rows]);
  const from = Math.max(0, Math.min(first, rows.length - inView) - OVERSCAN);
  const lines = inView + 2 * OVERSCAN;
  const to = Math.min(rows.length, from + lines);
  return (
    <section
      class="scroller rows"
      ref={scroller}
      onScroll={measure}
      tabIndex={0}
      aria-label="Table of transactions"
      aria-busy={isReading.value}
    >
      <table class="figures" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Date</th>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number wide-only">
              Value
            </th>
            <th scope="col" class="wide-only">
              Tag
            </th>
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} />
          {rows.slice(from, to).map((row, i) => (
            <RowLine key={(from + i) % lines} row={row} index={from + i + 2} explain={explain} />
          ))}
          <Spacer rows={rows.length - to} />
        </tbody>
      </table>
      {rows.length === 0 && isComplete.value && <p class="empty">No matching transactions.</p>}
    </section>
  );
}

const Spacer = ({ rows }: { readonly rows: number }) =>
  rows === 0 ? null : <tr class="spacer" style={{ height: `${rows * ROW_REM}rem` }} />;

interface RowLineProps {
  readonly row: Row;
  /** aria-rowindex; the header is 1. */
  readonly index: number;
  readonly explain: (row: Row) => void;
}

function RowLine({ row, index, explain }: RowLineProps) {
  const line = useRef<HTMLTableRowElement>(null);
  // Drops the focus when the element is reused, so that keys do not act on another row.
  useLayoutEffect(() => () => dropFocus(line.current!), [row.id]);
  return useMemo(
    () => (
      <tr aria-rowindex={index} ref={line}>
        <td>
          <Moment value={row.date} withTime />
        </td>
        <td class="what">
          <button type="button" class="link" onClick={() => explain(row)}>
            {row.categoryLabel}
          </button>
          <span class="detail">{detailOf(row)}</span>
        </td>
        <td class="number">
          <RowAmounts row={row} />
        </td>
        <td class="number wide-only">
          <RowWorth row={row} />
        </td>
        <td class="wide-only">
          <TagChoice row={row} />
        </td>
      </tr>
    ),
    [row, index, explain],
  );
}

function dropFocus(within: Element): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && within.contains(activeElement)) activeElement.blur();
}

/** Strangers' texts (moniker, detail) are rendered as plain text. */
const detailOf = ({ validatorMoniker, detail, counterparty, taxable }: Row): string =>
  [validatorMoniker || detail || counterparty, taxable ? '' : 'no tax effect'].filter(Boolean).join(' · ');

/** Received and sent amounts; a move within the wallet has the same amount on both sides. */
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
