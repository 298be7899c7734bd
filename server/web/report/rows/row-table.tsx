/**
 * Renders only the rows in view and a few around them, between two spacers. `aria-rowindex` gives screen readers each
 * row's position. Elements are reused, because creating them dominated the cost of scrolling.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filter, newestFirst } from '../../state/filter.js';
import { isComplete, isReading, type Row } from '../../state/rows.js';
import { RowLine } from './row-line.js';

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
