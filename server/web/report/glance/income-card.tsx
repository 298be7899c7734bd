import type { SummarySheet } from '../../../../schemas/types.generated.js';
import { Coins, Usd } from '../../parts/figure.js';
import { kindsOfRows, showRows } from '../../state/filter.js';
import { counted } from '../../values/counted.js';
import { Card, Part, RowsButton, Without } from './card.js';

export function IncomeCard({ sheet }: { readonly sheet: SummarySheet }) {
  const labels = new Map(kindsOfRows.value);
  const accounts = [...new Set(sheet.income.map(({ account }) => account))];
  return (
    <Card
      title="Income"
      figure={<Usd value={sheet.income_usd} />}
      parts={
        <>
          {accounts.slice(0, 3).map((account) => (
            <Part key={account} name={account.replace('Income: ', '')}>
              {receipts(
                sheet.income.filter((kind) => kind.account === account),
                'count',
              )}
            </Part>
          ))}
          <Without name="Not included: no price" text={receipts(sheet.income, 'without_price')} />
        </>
      }
      how={
        <>
          <p>
            Each reward, airdrop or other income counts on the day it reached the wallet, at that day’s published price
            in US dollars. Rewards that you have not claimed are not income yet. Income without a published price are
            not in the total; your files list them, so that your tax program or accountant can price them.
          </p>
          {sheet.income.length > 0 && (
            <ul class="sums">
              {sheet.income.map((kind) => (
                <li key={`${kind.account} ${kind.category} ${kind.denom}`}>
                  <RowsButton show={() => showRows({ categories: [kind.category], asset: kind.asset })}>
                    {kind.count} × {labels.get(kind.category) ?? kind.account.replace('Income: ', '')}
                  </RowsButton>
                  <span>
                    <Coins value={kind.quantity} symbol={kind.asset} />
                    {kind.without_price > 0 && kind.income_usd !== '' && `, ${kind.without_price} without a price`}
                  </span>
                  <Usd value={kind.income_usd} />
                </li>
              ))}
            </ul>
          )}
        </>
      }
    />
  );
}

/** Counts receipts, or receipts without a price; '' for none. */
function receipts(kinds: SummarySheet['income'], which: 'count' | 'without_price'): string {
  const count = kinds.reduce((sum, kind) => sum + kind[which], 0);
  return count === 0 ? '' : counted(count, 'incoming transfer');
}
