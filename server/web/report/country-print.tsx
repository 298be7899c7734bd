/** A country's tax year on paper. */
import type { ComponentChildren } from 'preact';
import { NOT_MATCHED, nameWords, openWords, WITHHELD } from '../../../pipeline/books/reports/tax-year/words.js';
import { country, currency } from '../state/country.js';
import type { Report } from '../state/report.js';
import { shortened } from '../values/addresses.js';
import { listedDay } from '../values/dates.js';
import { counted, listed } from '../values/decimal.js';
import {
  formLines,
  gainsOf,
  heldTitle,
  isRecorded,
  lackingIn,
  listedFirst,
  openOf,
  ratesWords,
  Sum,
  unknownGain,
  type YearProps,
} from './country-parts.js';
import { FigureTable } from './parts.js';

interface PaperTableProps {
  readonly title: string;
  readonly texts?: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export const PaperTable = ({ title, rows, ...table }: PaperTableProps) =>
  rows.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <FigureTable rows={rows} {...table} />
    </>
  );

/** @param open lines of the page's own questions */
export function CountryPaper({ shown, open }: { readonly shown: Report; readonly open: readonly string[][] }) {
  const [rules, { taxYear: year }] = [country.value!, shown];
  if (!year) return <p>{rules.name}: there are no rules for this year.</p>;
  return (
    <>
      <p>
        Tax year {year.year.name}, {rules.name}. Amounts are in {currency.value.words}.
      </p>
      {year.rules?.review === 'draft' && <p>These rules are a draft: no professional has confirmed them.</p>}
      <FormTable year={year} rules={rules} />
      <IncomeTable year={year} rules={rules} />
      <GainTable year={year} rules={rules} />
      <HeldTable year={year} rules={rules} />
      <PaperTable
        title="Still open"
        columns={['Question', 'How many']}
        rows={[
          ...openOf(year).map((one) => {
            const [words, count] = openWords(one, listedDay);
            return [words, count === undefined ? '' : String(count)];
          }),
          ...open,
        ]}
      />
      <p class="fine">
        Rules: {rules.name}, version {year.rules?.version}. Method: {rules.method_words}.{' '}
        {[ratesWords(year, listedDay), 'What is not known never counts as zero.'].filter(Boolean).join(' ')}
      </p>
    </>
  );
}

const FormTable = (props: YearProps) => (
  <PaperTable
    title="For the return"
    texts={2}
    columns={['Line', 'What', currency.value.words]}
    rows={formLines(props).map(({ place, label, value, lacking, unknown }) => [
      place,
      <span key="label" class="wraps">
        {label}
        {lacking.length > 0 && `, without ${lacking.join(' and ')}`}
      </span>,
      <Sum key="value" value={value} isPartial={lacking.length > 0} unknown={unknown} />,
    ])}
  />
);

function IncomeTable({ year }: YearProps) {
  const { kinds, total } = year.income;
  const { income: gaps } = lackingIn(year);
  if (kinds.length === 0 && gaps.length === 0)
    return (
      <>
        <h2>Income</h2>
        <p>{isRecorded(year) ? 'No income.' : 'Not recorded.'}</p>
      </>
    );
  return (
    <PaperTable
      title="Income"
      columns={['Kind', 'Incoming transfers', 'Quantity', currency.value.words]}
      rows={[
        ...listedFirst(kinds).map((one) => [
          nameWords(one.kind),
          String(one.count),
          `${listed(one.quantity)} ${shortened(one.symbol)}`,
          <Sum key="value" value={one.value} isPartial={one.value_missing > 0} unknown="no price" />,
        ]),
        [
          <span key="total" class="wraps">
            Total{gaps.length > 0 && `, without ${gaps.join(' and ')}`}
          </span>,
          '',
          '',
          <Sum key="value" value={total} isPartial={gaps.length > 0} />,
        ],
      ]}
    />
  );
}

function GainTable({ year, rules }: YearProps) {
  const { count, proceeds, cost, unknown, withheld, proceeds_missing } = year.disposals;
  const isPartial = lackingIn(year).disposals.length > 0;
  const sum = (value: string | null, word: string) => (
    <Sum key="value" value={value} isPartial={isPartial} unknown={word} />
  );
  if (count === 0) return null;
  return (
    <>
      <PaperTable
        title="Disposals"
        columns={[counted(count, 'disposal'), currency.value.words]}
        rows={[
          ...gainsOf({ year, rules }).map(([name, value]) => [name, sum(value, unknownGain(year))]),
          ['Proceeds', sum(proceeds, 'not known yet')],
          ['Cost', sum(cost, unknownGain(year))],
          ...(unknown.count > 0
            ? [[`Part of no sum: ${counted(unknown.count, 'line')} of unknown cost`, sum(unknown.proceeds, '')]]
            : []),
          ...(proceeds_missing > 0
            ? [[`Part of no sum: ${counted(proceeds_missing, 'line')} without a price`, 'not known']]
            : []),
        ]}
      />
      {withheld !== null && <p>{WITHHELD[withheld]}</p>}
      {withheld === null && year.method === 'none' && <p>{NOT_MATCHED}</p>}
    </>
  );
}

function HeldTable({ year }: YearProps) {
  const { holdings } = year;
  if (!holdings || holdings.assets.length === 0)
    return (
      <>
        <h2>{heldTitle(year)}</h2>
        <p>{holdings ? 'No coins.' : 'Not known: this dataset has no holdings of that moment.'}</p>
      </>
    );
  return (
    <PaperTable
      title={`${heldTitle(year)}, ${holdings.at}`}
      columns={['Asset', 'Liquid', 'Staked', 'Unbonding', 'Unclaimed', 'Value', 'Value of unclaimed']}
      rows={listedFirst(holdings.assets).map((one) => [
        shortened(one.symbol),
        ...[one.liquid, one.staked, one.unbonding, one.unclaimed].map((quantity) =>
          quantity === null ? 'not known' : listed(quantity),
        ),
        <Sum key="value" value={one.value} unknown="not known" />,
        <Sum key="unclaimed" value={one.unclaimed_value} unknown="not known" />,
      ])}
    />
  );
}
