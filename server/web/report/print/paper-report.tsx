/** The sheets of a printed report: the figures, what they are made of, what is open, and the rows. */
import { Usd } from '../../parts/figure.js';
import { type Report, undecided } from '../../state/report.js';
import { isComplete, loaded } from '../../state/rows.js';
import { shortened } from '../../values/addresses.js';
import { readableDay } from '../../values/dates.js';
import { sumOf } from '../../values/decimal.js';
import { CoverageLine } from '../coverage-line.js';
import { OPEN_WORDS } from '../glance/open-card.js';
import { amountOf, PaperRows } from './paper-rows.js';
import { PaperTable } from './paper-table.js';

/** Rows that are printed; the files have all of them. */
const ROWS_MAX = 3000;

export function PaperReport({ shown }: { readonly shown: Report }) {
  const { summary, asked } = shown;
  const { total } = summary;
  const { rows } = loaded.peek();
  return (
    <main>
      <h1>Tax records of the Cosmos Hub</h1>
      <p>
        {readableDay(summary.start)} to {readableDay(summary.end)}
      </p>
      <ul>
        {asked.addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
      <h2>At a glance</h2>
      <dl class="paper-figures">
        {figuresOf(total).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Usd value={value} />
            </dd>
          </div>
        ))}
      </dl>
      <PaperTable
        title="Income"
        columns={['Kind', 'Receipts', 'Quantity', 'US dollars']}
        rows={total.income.map((one) => [
          `${one.account.replace('Income: ', '')} (${one.category})`,
          String(one.count),
          amountOf(one.quantity, one.asset),
          one.income_usd || 'no price',
        ])}
      />
      <PaperTable
        title="Disposals"
        columns={['Kind', 'Quantity', 'Proceeds', 'Of unknown cost', 'Known cost', 'Gain']}
        rows={total.disposals.map((one) => [
          `${one.account} (${one.category})`,
          amountOf(one.quantity, one.asset),
          one.proceeds_usd || 'no price',
          one.proceeds_basis_unknown_usd,
          one.cost_usd,
          one.gain_usd,
        ])}
      />
      <PaperTable
        title="Assets"
        columns={['Asset', 'Opening', 'In', 'Out', 'Closing', 'Known cost']}
        rows={total.assets.map((one) => [
          shortened(one.asset),
          sumOf([one.opening_quantity, one.opening_before_index_quantity]),
          one.in_quantity,
          one.out_quantity,
          sumOf([one.closing_quantity, one.closing_before_index_quantity]),
          one.closing_cost_usd || 'unknown',
        ])}
      />
      <PaperTable title="Still open" texts={2} columns={['Question', 'Asset', 'How many']} rows={openLines(shown)} />
      <CoverageLine shown={shown} />
      <p class="fine">
        Every wallet keeps its own lots; those acquired first leave first. What has no price or no known cost counts in
        no sum, and is never taken for zero.
      </p>
      {isComplete.peek() && rows.length <= ROWS_MAX ? (
        <PaperRows rows={rows} />
      ) : (
        <p>The {total.rows.toLocaleString('en-US')} rows are in the file “Rows” of this report.</p>
      )}
    </main>
  );
}

/** Questions that are open. The API was asked to leave undecided receipts out, so it counts none of them. */
function openLines(shown: Report): string[][] {
  const left = undecided(shown).length;
  return [
    ...(left > 0 ? [[`${OPEN_WORDS.undecided_receipts}, left out of all figures`, '', String(left)]] : []),
    ...shown.summary.total.open
      .filter(({ count }) => count > 0)
      .map(({ question, asset, count }) => [OPEN_WORDS[question], shortened(asset), String(count)]),
  ];
}

const figuresOf = ({ income_usd, disposed, fees_usd }: Report['summary']['total']): [string, string][] => [
  ['Income', income_usd],
  ['Gains, held for a year or less', disposed.gain_short_usd],
  ['Gains, held for longer', disposed.gain_long_usd],
  ['Sold at unknown cost', disposed.proceeds_basis_unknown_usd],
  ['Network fees', fees_usd],
];
