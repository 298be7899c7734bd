import type { SummarySheet } from '../../../../schemas/types.generated.js';
import { Coins, Usd } from '../../parts/figure.js';
import { showRows } from '../../state/filter.js';
import { counted } from '../../values/counted.js';
import { Card, Part, RowsButton } from './card.js';

const FEES = ['fee', 'fee_failed'];

export function FeesCard({ sheet }: { readonly sheet: SummarySheet }) {
  const kinds = sheet.disposals.filter(({ category }) => FEES.includes(category));
  const count = kinds.reduce((sum, kind) => sum + kind.count, 0);
  return (
    <Card
      title="Network fees"
      figure={<Usd value={sheet.fees_usd} />}
      parts={kinds.map((kind) => (
        <Part key={`${kind.category} ${kind.denom}`} name={kind.category === 'fee' ? 'Paid' : 'Paid, but failed'}>
          <Coins value={kind.quantity} symbol={kind.asset} />
        </Part>
      ))}
      how={
        <>
          <p>
            A fee is paid in coins. It is an expense and, like all coins that leave, has a gain or loss of its own. It
            counts once per transaction, for the wallet that paid it.
          </p>
          {count > 0 && (
            <RowsButton show={() => showRows({ categories: FEES })}>Show {counted(count, 'fee')}</RowsButton>
          )}
        </>
      }
    />
  );
}
