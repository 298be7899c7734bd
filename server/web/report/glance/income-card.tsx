/** Income: what was received as income, by kind. */
import type { SummarySheet } from '../../../../schemas/types.generated.js';
import { Coins, Usd } from '../../parts/figure.js';
import { showRows } from '../../state/filter.js';
import { Card, Part, RowsButton } from './card.js';

export function IncomeCard({ sheet }: { readonly sheet: SummarySheet }) {
  const accounts = [...new Set(sheet.income.map(({ account }) => account))];
  return (
    <Card
      title="Income"
      figure={<Usd value={sheet.income_usd} />}
      parts={accounts.slice(0, 3).map((account) => (
        <Part key={account} name={account.replace('Income: ', '')}>
          {sheet.income.filter((kind) => kind.account === account).reduce((count, kind) => count + kind.count, 0)}{' '}
          receipts
        </Part>
      ))}
      how={
        <>
          <p>
            Each reward, airdrop or other income counts on the day it reached the wallet, at that day’s published price
            in US dollars. Rewards that you have not claimed are no income yet.
          </p>
          {sheet.income.length > 0 && (
            <ul class="sums">
              {sheet.income.map((kind) => (
                <li key={`${kind.account} ${kind.category} ${kind.denom}`}>
                  <RowsButton show={() => showRows({ categories: [kind.category], asset: kind.asset })}>
                    {kind.count} × {kind.account.replace('Income: ', '')}
                  </RowsButton>
                  <Coins value={kind.quantity} symbol={kind.asset} />
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
