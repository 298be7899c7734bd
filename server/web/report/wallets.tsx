import { Address } from '../parts/address.js';
import { Usd } from '../parts/figure.js';
import { FigureTable } from '../parts/figure-table.js';
import { Scroller } from '../parts/scroller.js';
import { Section } from '../parts/section.js';
import type { Report } from '../state/report.js';

export function Wallets({ shown: { summary } }: { readonly shown: Report }) {
  if (summary.wallets.length < 2) return null;
  return (
    <Section id="wallets" title="Wallet by wallet">
      <Scroller label="Figures of each wallet">
        <FigureTable
          columns={['Wallet', 'Income', 'Gains, short', 'Gains, long', 'Fees', 'Transactions']}
          rows={summary.wallets.map((wallet) => [
            <Address key="address" value={wallet.address} />,
            <Usd key="income" value={wallet.income_usd} />,
            <Usd key="short" value={wallet.disposed.gain_short_usd} />,
            <Usd key="long" value={wallet.disposed.gain_long_usd} />,
            <Usd key="fees" value={wallet.fees_usd} />,
            wallet.rows.toLocaleString('en-US'),
          ])}
        />
      </Scroller>
    </Section>
  );
}
