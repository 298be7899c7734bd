import type { Row } from '../../state/rows.js';
import { shortened } from '../../values/addresses.js';
import { withCents } from '../../values/decimal.js';
import { PaperTable } from './paper-table.js';

export function PaperRows({ rows }: { readonly rows: readonly Row[] }) {
  const hasSeveral = new Set(rows.map(({ address }) => address)).size > 1;
  return (
    <PaperTable
      title="Transactions"
      texts={hasSeveral ? 3 : 2}
      columns={[
        'Time (UTC)',
        ...(hasSeveral ? ['Wallet'] : []),
        'What',
        'Received',
        'Sent, or paid as fee',
        'US dollars',
      ]}
      rows={rows.map((row) => [
        row.date,
        ...(hasSeveral ? [shortened(row.address)] : []),
        row.userTag ? `${row.categoryLabel} (${row.userTag})` : row.categoryLabel,
        amountOf(row.receivedAmount, row.receivedCurrency),
        [amountOf(row.sentAmount, row.sentCurrency), amountOf(row.feeAmount, row.feeCurrency)]
          .filter(Boolean)
          .join(', '),
        row.priceMissing ? 'no price' : withCents(row.valueUsd),
      ])}
    />
  );
}

/** Formats an amount with its symbol; shortens the denoms of unlisted tokens. */
export const amountOf = (quantity: string, symbol: string): string =>
  quantity === '' ? '' : `${quantity} ${shortened(symbol)}`;
