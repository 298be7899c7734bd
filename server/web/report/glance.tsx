/** The main amounts of the year, each with a link to its rows. */
import type { ComponentChildren } from 'preact';
import type { OpenQuestion, SummarySheet } from '../../../schemas/types.generated.js';
import { Coins, goTo, Section, Usd } from '../parts.js';
import { type Report, undecided } from '../state/report.js';
import { kindsOfRows } from '../state/rows.js';
import { counted, isZero } from '../values/decimal.js';
import { OPEN_WORDS } from './parts.js';
import { showRows } from './rows.js';
import { openQuestion } from './settle/question.js';

export function Glance({ shown }: { readonly shown: Report }) {
  const { total } = shown.summary;
  const left = undecided(shown).length;
  return (
    <Section id="glance" title="At a glance">
      {left > 0 && (
        <p class="notice" role="note">
          {left === 1 ? 'One suspicious incoming transfer is' : `${left} suspicious incoming transfers are`} left out of
          these figures until you decide.{' '}
          <button type="button" class="link" onClick={() => goTo('settle-title')}>
            Review them
          </button>
        </p>
      )}
      <div class="cards">
        <IncomeCard sheet={total} />
        <GainsCard sheet={total} />
        <FeesCard sheet={total} />
        <OpenCard shown={shown} />
      </div>
    </Section>
  );
}

interface CardProps {
  readonly title: string;
  readonly figure: ComponentChildren;
  readonly parts?: ComponentChildren;
  readonly how: ComponentChildren;
}

const Card = ({ title, figure, parts, how }: CardProps) => (
  <article class="card">
    <h3>{title}</h3>
    <p class="big">{figure}</p>
    {parts && <dl class="parts">{parts}</dl>}
    <HowComputed of={title}>{how}</HowComputed>
  </article>
);

const Part = ({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const RowsButton = ({ show, children }: { readonly show: () => void; readonly children: ComponentChildren }) => (
  <button type="button" class="link" onClick={show}>
    {children}
  </button>
);

/** Shows what an amount leaves out, such as receipts without a price, so that unknown never looks like zero. */
const Without = ({ name, text }: { readonly name: ComponentChildren; readonly text: ComponentChildren }) =>
  text === '' ? null : (
    <div class="without">
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );

/** Buttons that lead to the answer. Nobody can answer days without a price. */
const ACTIONS: Readonly<Partial<Record<OpenQuestion['question'], () => void>>> = {
  undecided_receipts: () => openQuestion('receipts'),
  receipts_of_unknown_basis: () => openQuestion('unknown-costs'),
  assets_of_unknown_basis: () => openQuestion('opening-coins', 'unknown-costs'),
  unclassified_rows: () => showRows({ categories: ['unclassified'] }),
};

/** Counts coins, because the days of several coins would add up to more than a year. */
function coinsWithoutPrice({ summary }: Report): number {
  const lines = summary.total.open.filter(({ question, count }) => question === 'days_without_price' && count > 0);
  return new Set(lines.map(({ denom }) => denom)).size;
}

function OpenCard({ shown }: { readonly shown: Report }) {
  const counts = new Map<OpenQuestion['question'], number>();
  for (const { question, count } of shown.summary.total.open) counts.set(question, (counts.get(question) ?? 0) + count);
  counts.set('undecided_receipts', undecided(shown).length);
  const { carry } = shown.stated;
  const transfers = carry ? 0 : shown.summary.own_transfers.length;
  const open = [...counts].filter(([question, count]) => count > 0 && question in ACTIONS);
  const questions = open.length + (transfers > 0 ? 1 : 0);
  const unpriced = coinsWithoutPrice(shown);
  return (
    <Card
      title="Open questions"
      figure={<span class="figure">{questions === 0 ? 'None' : counted(questions, 'question')}</span>}
      parts={
        <>
          {open.map(([question, count]) => (
            <Part key={question} name={<RowsButton show={ACTIONS[question]!}>{OPEN_WORDS[question]}</RowsButton>}>
              <span class="figure">{count}</span>
            </Part>
          ))}
          {transfers > 0 && (
            <Part name={<RowsButton show={() => openQuestion('own-transfers')}>Transfers between wallets</RowsButton>}>
              <span class="figure">{transfers}</span>
            </Part>
          )}
          {unpriced > 0 && (
            <Part name="Coins without a price on some days">
              <span class="figure">{unpriced}</span>
            </Part>
          )}
        </>
      }
      how={
        <>
          <p>
            Some facts are not on the chain: the cost of coins from before the records, whether a transfer is spam,
            whether two wallets are yours. You only need to decide about suspicious incoming transfers before you
            download files. Other coins of unknown cost are part of no gain, and your files note it.
          </p>
          {unpriced > 0 && (
            <p>
              On some days the markets did not agree on a price for one or more coins. Transactions of these days are in
              the files with their amounts, so that your tax program or accountant can price them.
            </p>
          )}
          <RowsButton show={() => goTo('settle-title')}>Answer the open questions</RowsButton>
        </>
      }
    />
  );
}

function IncomeCard({ sheet }: { readonly sheet: SummarySheet }) {
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

function receipts(kinds: SummarySheet['income'], which: 'count' | 'without_price'): string {
  const count = kinds.reduce((sum, kind) => sum + kind[which], 0);
  return count === 0 ? '' : counted(count, 'incoming transfer');
}

const FEES = ['fee', 'fee_failed'];

function FeesCard({ sheet }: { readonly sheet: SummarySheet }) {
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

function GainsCard({ sheet: { disposed, disposals } }: { readonly sheet: SummarySheet }) {
  const unknown = disposed.proceeds_basis_unknown_usd;
  const categories = [...new Set(disposals.map(({ category }) => category))];
  return (
    <Card
      title="Gains and losses"
      figure={<Usd value={disposed.gain_usd} signed />}
      parts={
        <>
          <Part name="Held for a year or less">
            <Usd value={disposed.gain_short_usd} signed />
          </Part>
          <Part name="Held for longer">
            <Usd value={disposed.gain_long_usd} signed />
          </Part>
          <Without
            name={
              <>
                Not included: sold at{' '}
                <RowsButton show={() => openQuestion('opening-coins', 'unknown-costs')}>
                  unknown cost<span class="whole">: enter it</span>
                </RowsButton>
              </>
            }
            text={unknown === '' || isZero(unknown) ? '' : <Usd value={unknown} />}
          />
          <Without
            name="Not included: no price"
            text={disposed.without_price === 0 ? '' : counted(disposed.without_price, 'disposal')}
          />
        </>
      }
      how={
        <>
          <p>
            When coins leave the wallet in exchange for something, the gain is their value on that day minus their cost.
            The coins acquired first are sold first (FIFO), and every wallet has its own lots.
          </p>
          <dl class="sums">
            <Part name="Proceeds">
              <Usd value={disposed.proceeds_usd} />
            </Part>
            <Part name="Known cost">
              <Usd value={disposed.cost_usd} />
            </Part>
            <Part name="Proceeds of coins of unknown cost (part of no gain)">
              <Usd value={unknown} />
            </Part>
          </dl>
          {disposed.count > 0 && (
            <RowsButton show={() => showRows({ categories })}>
              Show the transactions of {counted(disposed.count, 'disposal')}
            </RowsButton>
          )}
        </>
      }
    />
  );
}

const HowComputed = ({ of, children }: { readonly of: string; readonly children: ComponentChildren }) => (
  <details class="how">
    <summary>
      How is this computed?<span class="whole"> {of}</span>
    </summary>
    <div class="how-text">{children}</div>
  </details>
);
