/** Renders a validator's statement. The last segment of the page's path is the operator address. */

import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { USUAL } from '../../pipeline/books/terms.js';
import type { StatementMonth, ValidatorStatement } from '../../schemas/types.generated.js';
import { get, messageOf } from './api/client.js';
import { PATHS } from './api/paths.js';
import { Address, Coins, Section, Usd } from './parts.js';
import { FigureTable, Missing, Scroller, saveFile } from './report/parts.js';
import { dataset, datasetFailure, daysOfYear, findDataset, usualYear, yearsOf } from './state/dataset.js';
import { shortened } from './values/addresses.js';
import { readableDay, readableMonth } from './values/dates.js';
import { counted, grouped, isZero, unitsOf } from './values/decimal.js';
import { LOCALE } from './values/language.js';

const DOLLARS = USUAL.currency.words;

const OPERATOR = location.pathname.split('/').at(-1)!;

const yearInUrl = () => /^\d{4}$/.exec(new URLSearchParams(location.search).get('year') ?? '')?.[0];

function StatementPage() {
  const found = dataset.value;
  const [chosen, setChosen] = useState(yearInUrl());
  const [statement, setStatement] = useState<ValidatorStatement>();
  const [failure, setFailure] = useState('');
  const year = chosen ?? (found && usualYear(found));
  const load = () => {
    if (year === undefined) return undefined;
    let isLate = false;
    const { start, end } = daysOfYear(year);
    setFailure('');
    get<ValidatorStatement>(PATHS.statement(OPERATOR, start, end)).then(
      (loaded) => isLate || setStatement(loaded),
      (error) => isLate || setFailure(messageOf(error)),
    );
    return () => {
      isLate = true;
    };
  };
  useEffect(load, [year]);
  useEffect(() => {
    const follow = () => setChosen(yearInUrl());
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const name = statement?.moniker || 'Validator statement';
  useEffect(() => {
    document.title = `${name} · hubledger`;
  }, [name]);
  const choose = (one: string) => {
    history.pushState(null, '', `?year=${one}`);
    setChosen(one);
  };
  const isShown = statement?.months.every(({ month }) => month.startsWith(year ?? '')) ?? false;
  const problem = failure || datasetFailure.value;
  return (
    <div class={`sheets ${statement && !isShown && !problem ? 'stale' : ''}`} aria-busy={!isShown && problem === ''}>
      <header class="title">
        <h1 tabIndex={-1}>{name}</h1>
        <p class="lead">
          Statement of the validator <Address value={OPERATOR} />
          {statement && `, ${countryOf(statement)}`}
        </p>
        {found && year && <Controls years={yearsOf(found)} year={year} choose={choose} fail={setFailure} />}
      </header>
      {problem && <Missing message={problem} tryAgain={() => (datasetFailure.value ? void findDataset() : load())} />}
      {statement && <Statement statement={statement} year={year!} />}
    </div>
  );
}

const countryOf = ({ jurisdiction }: ValidatorStatement) =>
  jurisdiction === 'undisclosed' ? 'country not disclosed' : `country ${jurisdiction}`;

interface ControlsProps {
  readonly years: readonly string[];
  readonly year: string;
  readonly choose: (year: string) => void;
  readonly fail: (message: string) => void;
}

function Controls({ years, year, choose, fail }: ControlsProps) {
  const [news, setNews] = useState('');
  const { start, end } = daysOfYear(year);
  const download = () =>
    saveFile(`${PATHS.statement(OPERATOR, start, end)}&format=csv`).then(
      (file) => setNews(`Saved as ${file}`),
      (error) => fail(messageOf(error)),
    );
  return (
    <div class="statement-controls">
      <div class="field">
        <label for="year">Year</label>
        <select id="year" value={year} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {[...new Set([...years, year])].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </div>
      <button type="button" class="button" onClick={() => void download()}>
        Download CSV
      </button>
      <button type="button" class="quiet" onClick={() => print()}>
        Print, or save as PDF
      </button>
      <p class="fine" role="status">
        {news}
      </p>
    </div>
  );
}

function Statement({ statement, year }: { readonly statement: ValidatorStatement; readonly year: string }) {
  const { months, total, coverage } = statement;
  if (months.length === 0) {
    const days = `${readableDay(coverage.index_start)} to ${readableDay(coverage.index_end)}`;
    return (
      <p class="notice" role="status">
        <strong>{year} is not recorded.</strong> The data covers {days}.
      </p>
    );
  }
  const isPartial = months.some(({ incomplete }) => incomplete);
  return (
    <>
      {isPartial && (
        <p class="notice" role="note">
          Not every day is recorded: figures of{' '}
          {months
            .filter(({ incomplete }) => incomplete)
            .map(({ month }) => readableMonth(month))
            .join(', ')}{' '}
          are of the recorded days only.
        </p>
      )}
      <Section id="glance" title={isPartial || months.length < 12 ? `${year}, recorded days` : year}>
        <div class="cards">
          <Figure title="Commission withdrawn" amount={total.commission_amount} usd={total.commission_usd} of={total} />
          <Figure
            title="Rewards of delegators"
            amount={total.delegator_rewards_amount}
            usd={total.delegator_rewards_usd}
            of={total}
          >
            {counted(total.reward_events, 'payout')} to {counted(total.unique_delegators, 'delegator')}
            {total.price_missing_events > 0 && `; ${total.price_missing_events} without a price left out`}
          </Figure>
          <Figure
            title="Of these, to the operator’s own delegation"
            amount={total.own_rewards_amount}
            usd={total.own_rewards_usd}
            of={total}
          />
          <Accrued month={months.at(-1)!} />
        </div>
      </Section>
      <Section id="charts" title="Through the year">
        <div class="charts">
          <Bars
            title="Commission by month"
            months={months}
            of={({ commission_amount, commission_usd }) => [commission_amount, commission_usd]}
          />
          <Bars
            title="Rewards of delegators by month"
            months={months}
            of={(month) => [month.delegator_rewards_amount, month.delegator_rewards_usd]}
          />
        </div>
      </Section>
      <Section id="months" title="Month by month">
        <Scroller label="Figures of each month">
          <FigureTable
            columns={['Month', 'Commission', DOLLARS, 'Rewards', `${DOLLARS} `, 'Payouts', 'Delegators']}
            rows={months.map((month) => [
              readableMonth(month.month) + (month.incomplete ? ' *' : ''),
              <Coins key="commission" value={month.commission_amount} symbol={month.symbol} />,
              <Usd key="commission-usd" value={knownUsd(month.commission_amount, month.commission_usd, month)} />,
              <Coins key="rewards" value={month.delegator_rewards_amount} symbol={month.symbol} />,
              <Usd
                key="rewards-usd"
                value={knownUsd(month.delegator_rewards_amount, month.delegator_rewards_usd, month)}
              />,
              month.reward_events.toLocaleString(LOCALE),
              month.unique_delegators.toLocaleString(LOCALE),
            ])}
          />
        </Scroller>
        {isPartial && <p class="fine">* Recorded days only.</p>}
        {total.price_missing_events > 0 && (
          <p class="fine">
            {counted(total.price_missing_events, 'payout')} on {counted(total.price_missing_days, 'day')} without a
            price: their value is part of no figure.
          </p>
        )}
        <OtherCommission statement={statement} />
      </Section>
      <p class="rests-on">
        Amounts count on the day of withdrawal, at the price of that UTC day by{' '}
        <a href="/docs/methodology">methodology {statement.methodology_version}</a>. Dataset{' '}
        <code>{coverage.generation}</code>. <span class="fine">{coverage.note}</span>
      </p>
      <p class="fine screen">
        Do you run this validator? <a href="/widget">Show your delegators their income</a> on your own site, or use the{' '}
        <a href="/docs/validator">API</a>.
      </p>
    </>
  );
}

interface Missed {
  readonly price_missing_days: number;
}

/** Returns the dollar value, or '' if no coins had a price, so that unknown does not look like zero. */
const knownUsd = (amount: string, usd: string, { price_missing_days }: Missed): string =>
  price_missing_days > 0 && isZero(usd) && !isZero(amount) ? '' : usd;

interface FigureProps {
  readonly title: string;
  readonly amount: string;
  readonly usd: string;
  readonly of: Missed & { readonly symbol: string };
  readonly children?: ComponentChildren;
}

const Figure = ({ title, amount, usd, of, children }: FigureProps) => (
  <article class="card">
    <h3>{title}</h3>
    <p class="big">
      <Usd value={knownUsd(amount, usd, of)} />
    </p>
    <p>
      <Coins value={amount} symbol={of.symbol} />
    </p>
    {children && <p class="fine">{children}</p>}
  </article>
);

const Accrued = ({ month }: { readonly month: StatementMonth }) => (
  <article class="card">
    <h3>Commission not yet withdrawn</h3>
    <p class="big">
      {month.commission_accrued_amount === '' ? (
        <span class="unknown">Not known</span>
      ) : (
        <Coins value={month.commission_accrued_amount} symbol={month.symbol} />
      )}
    </p>
    {month.commission_accrued_on && <p class="fine">on {readableDay(month.commission_accrued_on)}</p>}
  </article>
);

interface BarsProps {
  readonly title: string;
  readonly months: readonly StatementMonth[];
  readonly of: (month: StatementMonth) => readonly [amount: string, usd: string];
}

/** Draws bars of coin amounts, which are known even for days without a price. Shows their dollar value next to them. */
function Bars({ title, months, of }: BarsProps) {
  const largest = months.reduce((most, month) => {
    const units = unitsOf(of(month)[0]);
    return units > most ? units : most;
  }, 1n);
  return (
    <figure class="chart">
      <figcaption>
        {title}, in ATOM; {DOLLARS} beside it
      </figcaption>
      <ol class="bars">
        {months.map((month) => {
          const [amount, usd] = of(month);
          return (
            <li key={month.month}>
              <span class="bar-label">{readableMonth(month.month)}</span>
              <span class="bar-track" aria-hidden="true">
                <span class="bar" style={{ width: `${Number((unitsOf(amount) * 1000n) / largest) / 10}%` }} />
              </span>
              <Usd value={knownUsd(amount, usd, month)} />
            </li>
          );
        })}
      </ol>
    </figure>
  );
}

function OtherCommission({ statement: { total } }: { readonly statement: ValidatorStatement }) {
  if (total.other_commission.length === 0) return null;
  return (
    <>
      <h3>Commission in other coins</h3>
      <Scroller label="Commission in other coins">
        <FigureTable
          columns={['Coin', 'Amount', DOLLARS, 'Without a price']}
          rows={total.other_commission.map(({ denom, symbol, amount, usd, price_missing_amount: unpriced }) => [
            <abbr key="coin" title={denom}>
              {shortened(symbol)}
            </abbr>,
            grouped(amount),
            <Usd key="usd" value={unpriced === amount ? '' : usd} />,
            unpriced === '0' ? '' : grouped(unpriced),
          ])}
        />
      </Scroller>
    </>
  );
}

const place = document.getElementById('main')!;
place.replaceChildren(); // Removes the text for browsers without scripts.
void findDataset();
render(<StatementPage />, place);
