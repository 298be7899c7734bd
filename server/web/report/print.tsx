/** Renders the report for paper: amounts, their sources, open questions, and rows. */

import { type ComponentChildren, render } from 'preact';
import { sentences, USUAL } from '../../../pipeline/books/terms.js';
import { Usd } from '../parts.js';
import { country } from '../state/country.js';
import { questionsOf } from '../state/questions.js';
import { type Report, report } from '../state/report.js';
import { isComplete, loaded, localTime, type Row } from '../state/rows.js';
import { carries, zone, zoneIn } from '../state/statements.js';
import { UTC } from '../state/zone.js';
import { shortened } from '../values/addresses.js';
import { listedDay } from '../values/dates.js';
import { counted, isZero, listed, sumOf, withCents } from '../values/decimal.js';
import { LOCALE } from '../values/language.js';
import { CountryPaper, PaperTable } from './country-print.js';
import {
  CoverageLine,
  countsOf,
  daysOf,
  feeScope,
  Gain,
  Gaps,
  Income,
  incomeScope,
  isOutside,
  LargeGain,
  noPriceWords,
  ScopedFees,
  ScopedIncome,
  TermGain,
} from './parts.js';
import { StatementsLine } from './statements-menu.js';

type Sheet = Report['summary']['total'];

/** Maximum number of printed rows. Downloads contain all rows. */
const ROWS_MAX = 3000;

function PaperReport({ shown }: { readonly shown: Report }) {
  const { summary, query } = shown;
  const { total } = summary;
  const { rows } = loaded.peek();
  return (
    <main>
      <h1>Tax records of the Cosmos Hub</h1>
      <p>{daysOf(shown)}</p>
      {zoneIn(shown.stated) !== UTC && <p>{sentences({ ...USUAL, zone: zone.value }).days}</p>}
      <ul>
        {query.addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
      <StatementsLine shown={shown} />
      <Gaps shown={shown} />
      {country.value ? <CountryPaper shown={shown} open={openLines(shown)} /> : <UsualFigures shown={shown} />}
      <CoverageLine shown={shown} />
      {!country.value && (
        <p class="fine">
          {sentences({ ...USUAL, carriesLots: carries(query, shown.stated) }).lots} Coins of unknown cost are part of no
          gain. {noPriceWords()}
        </p>
      )}
      {isComplete.peek() && rows.length <= ROWS_MAX ? (
        <PaperRows rows={rows} />
      ) : (
        <p>
          The {total.rows.toLocaleString(LOCALE)} transactions are in the{' '}
          {country.value ? 'files for tax programs' : 'file “Transactions” of this report'}.
        </p>
      )}
    </main>
  );
}

function UsualFigures({ shown }: { readonly shown: Report }) {
  const { total, wallets } = shown.summary;
  return (
    <>
      <h2>At a glance</h2>
      {isOutside(shown) ? <p>These days are not recorded: there is no data for them.</p> : <Figures sheet={total} />}
      {wallets.length > 1 && (
        <PaperTable
          title="Wallet by wallet"
          columns={['Wallet', 'Income', 'Gains, short', 'Gains, long', 'Fees', 'Transactions']}
          rows={wallets.map((wallet) => [
            shortened(wallet.address),
            <ScopedIncome sheet={wallet} />,
            <TermGain of={wallet.disposed} term="short" />,
            <TermGain of={wallet.disposed} term="long" />,
            <ScopedFees sheet={wallet} />,
            String(wallet.rows),
          ])}
        />
      )}
      <PaperTable
        title="Income"
        columns={['Kind', 'Incoming transfers', 'Quantity', USUAL.currency.words]}
        rows={total.income.map((one) => [
          `${one.account.replace('Income: ', '')} (${one.category})`,
          String(one.count),
          amountOf(one.quantity, one.asset),
          listed(one.income_usd) || 'no price',
        ])}
      />
      <PaperTable
        title="Disposals"
        columns={['Kind', 'Sales', 'Quantity', 'Proceeds', 'Of unknown cost', 'Known cost', 'Gain']}
        rows={total.disposals.map((one) => [
          `${one.account} (${one.category})`,
          String(one.sales),
          amountOf(one.quantity, one.asset),
          listed(one.proceeds_usd) || 'no price',
          listed(one.proceeds_basis_unknown_usd),
          listed(one.cost_usd) || 'unknown',
          listed(one.gain_usd) || 'unknown',
        ])}
      />
      <PaperTable
        title="Left without a gain: losses, gifts, own transfers"
        columns={['Kind', 'Quantity', 'Known cost', 'Value when it left']}
        rows={total.reliefs.map((one) => [
          `${one.account} (${one.category})`,
          amountOf(one.quantity, one.asset),
          listed(one.cost_usd) || 'unknown',
          listed(one.market_value_usd) || 'no price',
        ])}
      />
      <PaperTable
        title="Assets"
        columns={['Asset', 'Opening', 'In', 'Out', 'Closing', 'Known cost']}
        rows={total.assets.map((one) => [
          shortened(one.asset),
          listed(sumOf([one.opening_quantity, one.opening_before_index_quantity])),
          listed(one.in_quantity),
          listed(one.out_quantity),
          listed(sumOf([one.closing_quantity, one.closing_before_index_quantity])),
          isCostUnknown(one) ? 'unknown' : listed(one.closing_cost_usd),
        ])}
      />
      <PaperTable title="Still open" columns={['Question', 'How many']} rows={openLines(shown)} />
    </>
  );
}

/** Returns whether no cost is known except a cost of zero, as of excluded coins. */
const isCostUnknown = (one: Sheet['assets'][number]) =>
  isZero(one.closing_cost_usd) &&
  !(isZero(one.closing_basis_unknown_quantity) && isZero(one.closing_before_index_quantity));

const openLines = (shown: Report): string[][] =>
  questionsOf(shown)
    .filter(({ left }) => left > 0)
    .map(({ id, title, left }) => [id === 'receipts' ? `${title}, left out of all figures` : title, String(left)]);

function Figures({ sheet }: { readonly sheet: Sheet }) {
  const { disposed, fees_usd } = sheet;
  const { unpriced } = countsOf(sheet.income);
  const figures: [name: string, scope: ComponentChildren, figure: ComponentChildren][] = [
    ['Income', incomeScope(sheet), <Income sheet={sheet} />],
    [
      'Gains, held for a year or less',
      <TermScope of={disposed} term="short" />,
      <LargeGain of={disposed} term="short" />,
    ],
    ['Gains, held for longer', <TermScope of={disposed} term="long" />, <LargeGain of={disposed} term="long" />],
    ['Sold at unknown cost (part of no gain)', '', <Usd value={disposed.proceeds_basis_unknown_usd} />],
    ['Network fees', feeScope(sheet), <Usd value={fees_usd} />],
    [
      'Without a price (part of no total)',
      '',
      `${counted(unpriced, 'income payment')}, ${counted(disposed.without_price, 'sale')}`,
    ],
  ];
  return (
    <dl class="paper-figures">
      {figures.map(([name, scope, figure]) => (
        <div key={name}>
          <dt>
            {name}
            {scope && <small> {scope}</small>}
          </dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TermScopeProps {
  readonly of: Sheet['disposed'];
  readonly term: 'short' | 'long';
}

/** Shows how much of all sales is unknown, and the sum of a term if it covers too few sales for large letters. */
function TermScope({ of, term }: TermScopeProps) {
  const { gain_known, sales, sales_unknown, [`sales_${term}` as const]: known } = of;
  if (gain_known === 'all') return null;
  return (
    <>
      {known > 0 && `so far: ${counted(known, 'sale')}`}
      {known > 0 && gain_known === 'some' && (
        <>
          , <Gain of={of} term={term} />
        </>
      )}
      {known > 0 && '; '}
      {sales_unknown.toLocaleString(LOCALE)} of {counted(sales, 'sale')} not fully known
    </>
  );
}

/** Number of characters of the widest font that fit into one line on A4 and US letter paper. */
const LINE_CHARACTERS = 110;
const LINE_MM = 3.5;

const margins = new CSSStyleSheet();

/** Renders the printable report only while the browser prints, so that it costs nothing on screen. */
export function followPrinting(): void {
  const place = document.createElement('div');
  place.className = 'paper';
  document.body.append(place);
  document.adoptedStyleSheets.push(margins);
  addEventListener('beforeprint', () => {
    const shown = report.peek();
    if (!shown) return;
    margins.replaceSync(marginsOf(shown.query.addresses, shown.summary.generation));
    document.documentElement.classList.add('on-paper');
    render(<PaperReport shown={shown} />, place);
  });
  addEventListener('afterprint', () => {
    render(null, place);
    document.documentElement.classList.remove('on-paper');
    margins.replaceSync('');
  });
}

/**
 * Returns CSS that prints all wallets' full addresses in the margin of every sheet. The texts contain no characters
 * that CSS must escape.
 */
function marginsOf(addresses: readonly string[], generation: string): string {
  const longest = Math.max(...addresses.map(({ length }) => length));
  const lines = Math.ceil(addresses.length / Math.floor(LINE_CHARACTERS / (longest + 2)));
  return `@page {
    margin: ${14 + lines * LINE_MM}mm 15mm 18mm;
    @top-left { content: "${addresses.join(', ')}"; width: 100%; text-align: left; font: 7.5pt/${LINE_MM}mm system-ui, sans-serif; }
    @bottom-left { content: "hubledger · ${generation}"; font: 8pt system-ui, sans-serif; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
  }`;
}

function PaperRows({ rows }: { readonly rows: readonly Row[] }) {
  const hasSeveral = new Set(rows.map(({ address }) => address)).size > 1;
  return (
    <PaperTable
      title="Transactions"
      texts={hasSeveral ? 3 : 2}
      columns={[
        `Time (${zone.value.name})`,
        ...(hasSeveral ? ['Wallet'] : []),
        'What',
        'Received',
        'Sent, or paid as fee',
        ...(country.value ? [] : [USUAL.currency.words]),
      ]}
      rows={rows.map((row) => [
        listedDay(localTime(row)),
        ...(hasSeveral ? [shortened(row.address)] : []),
        row.userTag ? `${row.categoryLabel} (${row.userTag})` : row.categoryLabel,
        amountOf(row.receivedAmount, row.receivedCurrency),
        [amountOf(row.sentAmount, row.sentCurrency), amountOf(row.feeAmount, row.feeCurrency)]
          .filter(Boolean)
          .join(', '),
        ...(country.value ? [] : [row.priceMissing ? 'no price' : listed(withCents(row.valueUsd))]),
      ])}
    />
  );
}

const amountOf = (quantity: string, symbol: string): string =>
  quantity === '' ? '' : `${listed(quantity)} ${shortened(symbol)}`;
