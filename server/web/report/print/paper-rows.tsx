/** Every row on paper, in the order of the chain. */
import type { Row } from '../../state/rows.js';
import { shortened } from '../../values/addresses.js';
import { withCents } from '../../values/decimal.js';
import { PaperTable } from './paper-table.js';

export function PaperRows({ rows }: { readonly rows: readonly Row[] }) {
  const hasSeveral = new Set(rows.map(({ address }) => address)).size > 1;
  return (
    <PaperTable
      title="Rows"
      texts={hasSeveral ? 3 : 2}
      columns={['Time (UTC)', ...(hasSeveral ? ['Wallet'] : []), 'What', 'Received', 'Sent', 'Fee', 'US dollars']}
      rows={rows.map((row) => [
        row.date,
        ...(hasSeveral ? [shortened(row.address)] : []),
        row.userTag ? `${row.label} (${row.userTag})` : row.label,
        amount(row.receivedAmount, row.receivedCurrency),
        amount(row.sentAmount, row.sentCurrency),
        amount(row.feeAmount, row.feeCurrency),
        row.priceMissing ? 'no price' : withCents(row.valueUsd),
      ])}
    />
  );
}

const amount = (quantity: string, symbol: string): string =>
  quantity === '' ? '' : `${quantity} ${shortened(symbol)}`;
