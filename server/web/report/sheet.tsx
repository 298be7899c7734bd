import { Address } from '../parts/address.js';
import { Usd } from '../parts/figure.js';
import { FigureTable } from '../parts/figure-table.js';
import { Scroller } from '../parts/scroller.js';
import { Section } from '../parts/section.js';
import { datasetFailure, findDataset } from '../state/dataset.js';
import type { Report } from '../state/report.js';
import { readableDay } from '../values/dates.js';
import { Charts } from './charts.js';
import { Downloads } from './downloads.js';
import { Glance } from './glance.js';
import { isOutside } from './recorded-part.js';
import { Rows } from './rows/rows.js';
import { Settle } from './settle/settle.js';
import { Refused } from './states.js';

export function Sheet({ shown }: { readonly shown: Report }) {
  return (
    <>
      {datasetFailure.value && <Refused message={datasetFailure.value} tryAgain={findDataset} />}
      {shown.summary.total.rows === 0 && <Unseen shown={shown} />}
      {!isOutside(shown) && <Parts shown={shown} />}
      <CoverageLine shown={shown} />
    </>
  );
}

const Parts = ({ shown }: { readonly shown: Report }) => (
  <>
    <Glance shown={shown} />
    <Charts shown={shown} />
    <Wallets shown={shown} />
    <Settle shown={shown} />
    <Rows />
    <Downloads shown={shown} />
  </>
);

/** Shown for a wallet without rows: new, active in another period, or mistyped. */
function Unseen({ shown }: { readonly shown: Report }) {
  const { asked, summary } = shown;
  const covered = `The data covers ${readableDay(summary.coverage.index_start)} to ${readableDay(summary.coverage.index_end)};`;
  return (
    <div class="notice" role="status">
      {isOutside(shown) ? (
        <p>
          <strong>These days are not recorded.</strong> There is no data for them. {covered} choose another period.
        </p>
      ) : (
        <p>
          <strong>
            {asked.addresses.length > 1 ? 'These wallets have' : 'This wallet has'} no transactions from{' '}
            {readableDay(summary.start)} to {readableDay(summary.end)}.
          </strong>{' '}
          The address is valid, so perhaps it was not used then. {covered} try another period, or check the address.
        </p>
      )}
    </div>
  );
}

function Wallets({ shown: { summary } }: { readonly shown: Report }) {
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

export function CoverageLine({ shown: { summary } }: { readonly shown: Report }) {
  const { coverage, methodology_version, classification_version, generation } = summary;
  return (
    <p class="rests-on" id="coverage">
      Based on {coverage.complete ? 'every block' : 'the blocks'} from {readableDay(coverage.index_start)} to{' '}
      {readableDay(coverage.index_end)}, prices by <a href="/docs/methodology">methodology {methodology_version}</a>,
      classification {classification_version}, dataset <code>{generation}</code>.{' '}
      <span class="fine">{coverage.note}</span>
    </p>
  );
}
