/** Several wallets side by side; their sums are the figures at a glance. */
import { Address } from '../parts/address.js';
import { Usd } from '../parts/figure.js';
import { Scroller } from '../parts/scroller.js';
import { Section } from '../parts/section.js';
import type { Report } from '../state/report.js';

export function Wallets({ shown: { summary } }: { readonly shown: Report }) {
  if (summary.wallets.length < 2) return null;
  return (
    <Section id="wallets" title="Wallet by wallet">
      <Scroller label="Wallet by wallet">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Wallet</th>
              <th scope="col" class="number">
                Income
              </th>
              <th scope="col" class="number">
                Gains, short
              </th>
              <th scope="col" class="number">
                Gains, long
              </th>
              <th scope="col" class="number">
                Fees
              </th>
              <th scope="col" class="number">
                Rows
              </th>
            </tr>
          </thead>
          <tbody>
            {summary.wallets.map((wallet) => (
              <tr key={wallet.address}>
                <th scope="row">
                  <Address value={wallet.address} />
                </th>
                <td class="number">
                  <Usd value={wallet.income_usd} />
                </td>
                <td class="number">
                  <Usd value={wallet.disposed.gain_short_usd} />
                </td>
                <td class="number">
                  <Usd value={wallet.disposed.gain_long_usd} />
                </td>
                <td class="number">
                  <Usd value={wallet.fees_usd} />
                </td>
                <td class="number figure">{wallet.rows.toLocaleString('en-US')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Section>
  );
}
