/** A table row. While scrolling, its element is reused for another row. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Coins, Moment, Usd } from '../../parts/figure.js';
import type { Row } from '../../state/rows.js';
import { TagChoice } from './tag-choice.js';

interface RowLineProps {
  readonly row: Row;
  /** aria-rowindex; the header is 1. */
  readonly index: number;
  readonly explain: (row: Row) => void;
}

export function RowLine({ row, index, explain }: RowLineProps) {
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
