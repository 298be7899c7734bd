/** Shows the main amounts of the year, each with a link to its rows. */
import type { ComponentChildren } from 'preact';
import { sentences, USUAL } from '../../../pipeline/books/terms.js';
import type { SummarySheet } from '../../../schemas/types.generated.js';
import { Coins, Section, Usd } from '../parts.js';
import { questions } from '../state/questions.js';
import { type Report, undecided } from '../state/report.js';
import { kindsOfRows } from '../state/rows.js';
import { openSends } from '../state/sends.js';
import { carries } from '../state/statements.js';
import { counted, isZero } from '../values/decimal.js';
import { LOCALE } from '../values/language.js';
import {
  countsOf,
  feeKinds,
  feeScope,
  Gain,
  gainScope,
  Income,
  incomeScope,
  LargeGain,
  noPriceWords,
  TermGain,
} from './parts.js';
import { showRows } from './rows.js';
import { openQuestion } from './settle/question.js';

export function Glance({ shown }: { readonly shown: Report }) {
  const { total } = shown.summary;
  return (
    <Section id="glance" title="At a glance">
      <LeftOut shown={shown} />
      <QuestionBar />
      <div class="cards">
        <IncomeCard sheet={total} />
        <GainsCard shown={shown} />
        <FeesCard sheet={total} />
      </div>
    </Section>
  );
}

/** Warns that the figures lack suspicious transfers until the user decides about them. */
export function LeftOut({ shown }: { readonly shown: Report }) {
  const left = undecided(shown).length;
  if (left === 0) return null;
  return (
    <p class="notice" role="note">
      {left === 1 ? 'One suspicious incoming transfer is' : `${left} suspicious incoming transfers are`} left out of
      these figures until you decide.{' '}
      <button type="button" class="link" onClick={() => openQuestion('receipts')}>
        Review them
      </button>
    </p>
  );
}

/** Lists the open questions, each with its number of open items. A click leads to the section with the question. */
export function QuestionBar() {
  const open = questions.value.filter(({ left }) => left > 0);
  return (
    <div class="question-bar" id="open-bar">
      <h3 class="bar-title">{open.length === 0 ? 'No open questions' : counted(open.length, 'open question')}</h3>
      {open.length > 0 && (
        <ul>
          {open.map(({ id, title, left }) => (
            <li key={id}>
              <button type="button" class="quiet small" onClick={() => openQuestion(id)}>
                {title} <span class="count">{left.toLocaleString(LOCALE)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface CardProps {
  readonly title: string;
  readonly figure: ComponentChildren;
  /** What the amount covers, if it is incomplete. */
  readonly scope?: ComponentChildren;
  readonly parts?: ComponentChildren;
  readonly how: ComponentChildren;
}

export const Card = ({ title, figure, scope, parts, how }: CardProps) => (
  <article class="card">
    <h3>{title}</h3>
    <p class="big">{figure}</p>
    {scope}
    {parts && <dl class="parts">{parts}</dl>}
    <HowComputed of={title}>{how}</HowComputed>
  </article>
);

export const Scope = ({ children }: { readonly children: string }) =>
  children === '' ? null : <p class="scope">{children}</p>;

export const Part = ({
  name,
  children,
}: {
  readonly name: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
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

/**
 * Shows which part is missing in an amount, such as receipts without a price. Unknown amounts must not look like zero.
 */
export const Without = ({ name, text }: { readonly name: ComponentChildren; readonly text: ComponentChildren }) =>
  text === '' ? null : (
    <div class="without">
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );

function IncomeCard({ sheet }: { readonly sheet: SummarySheet }) {
  const labels = new Map(kindsOfRows.value);
  const accounts = [...new Set(sheet.income.map(({ account }) => account))];
  return (
    <Card
      title="Income"
      figure={<Income sheet={sheet} />}
      scope={<Scope>{incomeScope(sheet)}</Scope>}
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
            in {USUAL.currency.words}. Rewards that you have not claimed are not income yet. {noPriceWords()}
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
  const areRewards = kinds.every(({ account }) => account === 'Income: Staking Rewards');
  return count === 0 ? '' : counted(count, areRewards ? 'reward' : 'payment');
}

function FeesCard({ sheet }: { readonly sheet: SummarySheet }) {
  const kinds = feeKinds(sheet);
  const { all: count } = countsOf(kinds);
  return (
    <Card
      title="Network fees"
      figure={<Usd value={sheet.fees_usd} />}
      scope={<Scope>{feeScope(sheet)}</Scope>}
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
            <RowsButton show={() => showRows({ categories: kinds.map(({ category }) => category) })}>
              Show {counted(count, 'fee')}
            </RowsButton>
          )}
        </>
      }
    />
  );
}

function GainsCard({ shown }: { readonly shown: Report }) {
  const { disposed, disposals } = shown.summary.total;
  const sends = openSends(shown);
  const unknown = disposed.proceeds_basis_unknown_usd;
  const { all: fees } = countsOf(feeKinds({ disposals }));
  return (
    <Card
      title="Gains and losses"
      figure={<LargeGain of={disposed} />}
      scope={<GainScope of={disposed} />}
      parts={
        <>
          <Part name="Held for a year or less">
            <TermGain of={disposed} term="short" />
          </Part>
          <Part name="Held for longer">
            <TermGain of={disposed} term="long" />
          </Part>
          <Without
            name={
              <RowsButton show={() => openQuestion('sends')}>
                Sends that count as sales<span class="whole">: say what they were</span>
              </RowsButton>
            }
            text={sends === 0 ? '' : sends.toLocaleString(LOCALE)}
          />
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
            text={disposed.without_price === 0 ? '' : counted(disposed.without_price, 'sale')}
          />
        </>
      }
      how={
        <>
          <p>
            When coins leave the wallet in exchange for something, the gain is their value on that day minus their cost.{' '}
            {sentences({ ...USUAL, carriesLots: carries(shown.query, shown.stated) }).lots}
          </p>
          <dl class="sums">
            <Part name="Proceeds">
              <Usd value={disposed.proceeds_usd} />
            </Part>
            <Part name="Known cost">
              {disposed.cost_usd === '' ? 'not known yet' : <Usd value={disposed.cost_usd} />}
            </Part>
            <Part name="Proceeds of coins of unknown cost (part of no gain)">
              <Usd value={unknown} />
            </Part>
          </dl>
          {disposed.sales > 0 && (
            <RowsButton show={() => showRows({ areSales: true })}>
              Show {counted(disposed.sales, 'sale')}
              {fees > 0 && `, ${fees.toLocaleString(LOCALE)} of them network fees`}
            </RowsButton>
          )}
        </>
      }
    />
  );
}

/** Shows how many sales the gain covers. The sum is here if it covers too few sales for large letters. */
function GainScope({ of }: { readonly of: SummarySheet['disposed'] }) {
  const scope = gainScope(of);
  if (scope === '') return null;
  return (
    <p class="scope">
      {scope}
      {of.gain_known === 'some' && (
        <>
          , <Gain of={of} />
        </>
      )}
    </p>
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
