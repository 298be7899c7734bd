/** The section with the questions that only the wallet's owner can answer. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { USUAL } from '../../../../pipeline/books/terms.js';
import { Address, Coins, Section, Unfold } from '../../parts.js';
import { account } from '../../state/account.js';
import { amountMembers, amountOf, country, currency, isForeign } from '../../state/country.js';
import { isTracked } from '../../state/dataset.js';
import { areHomecomingsLoading, findHomecomings, homecomingsFailure } from '../../state/homecomings.js';
import { ask } from '../../state/query.js';
import {
  beforeKey,
  earlierHoldings,
  type OpeningHolding,
  openingHoldings,
  type QuestionId,
  questions,
} from '../../state/questions.js';
import { type Report, undecided } from '../../state/report.js';
import {
  areAllWallets,
  areWalletsMine,
  forgetStatements,
  hasStatements,
  isStored,
  type OpeningLot,
  ownersStatements,
  stateAllWallets,
  stateLots,
  statements,
  stateWalletsMine,
} from '../../state/statements.js';
import { WALLETS_UNFOLDED_MAX } from '../../values/addresses.js';
import { dayBefore, readableDay } from '../../values/dates.js';
import { forInput, isZero, listed, sumOf, typedDecimal } from '../../values/decimal.js';
import { type DayOrder, faultsOf, isoDay, type LotLine, pastedLots } from '../../values/pasted-table.js';
import { Missing, Moment } from '../parts.js';
import { StatementsMenu } from '../statements-menu.js';
import { NoPrice } from './no-price.js';
import { Places } from './places.js';
import { LeaveUnknown, OrderOfDay, Question } from './question.js';
import { Receipts } from './receipts.js';
import { Sends } from './sends.js';
import { UnknownCosts } from './unknown-costs.js';

export function Settle({ shown }: { readonly shown: Report }) {
  return (
    <Section
      id="settle"
      title="Open questions"
      aside={ownersStatements.value === '' && <StorageNote />}
      isBusy={areHomecomingsLoading.value}
    >
      <p class="lead">{questions.value.length === 0 ? 'There are no open questions.' : <Duty shown={shown} />}</p>
      {homecomingsFailure.value && <Missing message={homecomingsFailure.value} tryAgain={findHomecomings} />}
      {questions.value.map((question) => (
        <Question key={question.id} question={question} wallets={shown.query.addresses.length}>
          {() => (
            <fieldset class="answers" disabled={ownersStatements.value !== '' && question.id !== 'places'}>
              {BODIES[question.id](shown)}
            </fieldset>
          )}
        </Question>
      ))}
      {ownersStatements.value === '' && <StatementsMenu query={shown.query} />}
    </Section>
  );
}

const BODIES: Readonly<Record<QuestionId, (shown: Report) => ComponentChildren>> = {
  receipts: (shown) => <Receipts receipts={shown.receipts} left={undecided(shown)} />,
  complete: (shown) => <AllWallets shown={shown} />,
  'own-transfers': (shown) => <OwnTransfers shown={shown} />,
  sends: (shown) => <Sends shown={shown} />,
  places: (shown) => <Places shown={shown} />,
  'opening-coins': (shown) => <OpeningCoins shown={shown} />,
  'unknown-costs': (shown) => <UnknownCosts shown={shown} />,
  'earlier-costs': (shown) => <EarlierCosts shown={shown} />,
  'no-price': (shown) => <NoPrice shown={shown} />,
};

const Duty = ({ shown }: { readonly shown: Report }) => (
  <>
    {shown.receipts.length > 0
      ? 'You can download files once you have decided about the suspicious incoming transfers. Everything else is optional:'
      : 'You can download your files without answering these. Answer what you know:'}{' '}
    each answer makes your gains more complete. Coins of unknown cost are part of no gain, and your files note it.
  </>
);

const STORAGE_WORDS = {
  true: {
    account:
      'Your account saves decisions about suspicious transfers, and costs. No server stores your other answers: they stay in this browser.',
    browser: 'Your answers are stored in this browser.',
  },
  false: {
    account:
      'Your account saves decisions about suspicious transfers, and costs. Your other answers are lost when you leave this page, because this browser stores nothing.',
    browser: 'This browser stores nothing: your answers are lost when you leave this page.',
  },
} as const;

const StorageNote = () => (
  <p class="fine screen">
    {STORAGE_WORDS[`${isStored.value}`][account.value ? 'account' : 'browser']}{' '}
    {hasStatements(statements.value) && (
      <button type="button" class="link" onClick={forgetStatements}>
        Delete them all
      </button>
    )}
  </p>
);

function OwnTransfers({ shown: { query, stated, transfers } }: { readonly shown: Report }) {
  const areMine = areWalletsMine(query.addresses, stated);
  const isProposed = areMine === undefined && query.addresses.every(isTracked);
  return (
    <>
      <p>
        Are all of these wallets yours? If so, moving coins between them is not a sale: the coins keep their cost and
        age. If not, each transfer is a sale on one side and an incoming transfer of unknown cost on the other, and is
        part of the questions below.
      </p>
      {isProposed && <p>This server was set up for all of these wallets, so they are probably yours: confirm it.</p>}
      <ul class="items">
        {transfers.map((one) => (
          <li key={`${one.from} ${one.to} ${one.denom}`} class="item plain">
            <Address value={one.from} /> <span aria-hidden="true">→</span>
            <span class="whole">to</span> <Address value={one.to} />:{' '}
            {one.count === 1 ? 'one transfer of' : `${one.count} transfers, together`}{' '}
            <Coins value={one.quantity} symbol={one.asset} />, <Moment value={one.first} />
            {one.last !== one.first && (
              <>
                {' to '}
                <Moment value={one.last} />
              </>
            )}
          </li>
        ))}
      </ul>
      <fieldset class="choices">
        <legend class="whole">Are all of these wallets yours?</legend>
        <button
          type="button"
          class={isProposed ? 'button small' : 'quiet small'}
          aria-pressed={areMine === true}
          onClick={() => stateWalletsMine(query.addresses, true)}
        >
          All mine: carry the cost over
        </button>
        <button
          type="button"
          class="quiet small"
          aria-pressed={areMine === false}
          onClick={() => stateWalletsMine(query.addresses, false)}
        >
          Not all mine
        </button>
      </fieldset>
    </>
  );
}

/** Asks for coins elsewhere, because they change the cost of all coins of a person. */
function AllWallets({ shown: { query, stated, taxYear } }: { readonly shown: Report }) {
  const symbols = taxYear?.disposals.quantity_by_asset.map(({ symbol }) => symbol) ?? [];
  const coins = symbols.length === 1 ? symbols[0] : 'ATOM';
  const areAll = areAllWallets(query.addresses, stated);
  return (
    <>
      <p>
        Are these all the wallets in which you hold {coins}? By these rules, all coins that you own count together, also
        coins on exchanges and in other wallets. If you have more, add their addresses to this report. Costs and gains
        are shown only if these are all.
      </p>
      <fieldset class="choices">
        <legend class="whole">Are these all the wallets in which you hold {coins}?</legend>
        <button
          type="button"
          class="quiet small"
          aria-pressed={areAll === true}
          onClick={() => stateAllWallets(query.addresses, true)}
        >
          Yes, these are all
        </button>
        <button
          type="button"
          class="quiet small"
          aria-pressed={areAll === false}
          onClick={() => stateAllWallets(query.addresses, false)}
        >
          No, I have more
        </button>
      </fieldset>
    </>
  );
}

function OpeningCoins({ shown }: { readonly shown: Report }) {
  const indexStart = shown.summary.coverage.index_start;
  const holdings = openingHoldings(shown);
  const wallets = [...new Set(holdings.map(({ address }) => address))];
  const isLong = wallets.length > WALLETS_UNFOLDED_MAX;
  return (
    <>
      <p>
        The records begin on {readableDay(indexStart)}. They do not contain the cost of coins that you acquired before.
        Those coins count as sold first. If you do not know their cost, leave it unknown: no gain is computed for them,
        and your files note it.
      </p>
      {wallets.map((wallet) => {
        const holdingsOfWallet = holdings.filter(({ address }) => address === wallet);
        const open = holdingsOfWallet.filter(({ unstated }) => !isZero(unstated)).length;
        return (
          <Unfold
            key={wallet}
            summary={
              <>
                <Address value={wallet} />: {open} of {holdingsOfWallet.length} open
              </>
            }
            isFolded={isLong}
          >
            {() => (
              <ul class="items">
                {holdingsOfWallet.map((holding) => (
                  <Holding key={holding.denom} holding={holding} indexStart={indexStart} shown={shown} />
                ))}
              </ul>
            )}
          </Unfold>
        );
      })}
    </>
  );
}

/** Returns whether a lot counts. A country's year cannot convert a cost of a day before the index. */
const isCounted = (lot: OpeningLot): boolean => !country.value || !isForeign(lot);

interface HoldingProps {
  readonly holding: OpeningHolding;
  readonly indexStart: string;
  readonly shown: Report;
}

const Holding = ({ holding, indexStart, shown }: HoldingProps) => (
  <li class="item">
    <div class="item-head">
      <h4>
        <Coins value={holding.unstated} symbol={holding.asset} /> of unknown cost
      </h4>
      <p class="fine">
        <Address value={holding.address} />
        {holding.stated.some(isCounted) && (
          <>
            {' '}
            · entered so far:{' '}
            <Coins
              value={sumOf(holding.stated.filter(isCounted).map(({ quantity }) => quantity))}
              symbol={holding.asset}
            />
          </>
        )}
      </p>
    </div>
    <LotTable holding={holding} indexStart={indexStart} />
    {!isZero(holding.unstated) && (
      <p>
        <LeaveUnknown keys={[beforeKey(holding)]} stated={shown.stated} />
      </p>
    )}
  </li>
);

/**
 * Explains that coins received before the period lack a cost. The user enters this cost in the report of the earlier
 * period.
 */
function EarlierCosts({ shown }: { readonly shown: Report }) {
  const { query, summary } = shown;
  const days = { start: summary.coverage.index_start, end: dayBefore(summary.start) };
  return (
    <>
      <p>
        Some coins of unknown cost arrived before this period. Enter their cost in the report of those days: your answer
        counts here, too.
      </p>
      <div class="choices">
        <button type="button" class="quiet small" onClick={() => ask({ ...query, ...days })}>
          Show {readableDay(days.start)} to {readableDay(days.end)}
        </button>
        <LeaveUnknown keys={earlierHoldings(shown)} stated={shown.stated} />
      </div>
    </>
  );
}

const BLANK: LotLine = { quantity: '', day: '', cost: '' };

const columnsOf = () =>
  [
    ['quantity', 'Amount', 'decimal'],
    ['day', 'Date acquired', 'text'],
    ['cost', `Total cost, ${currency.value.words}`, 'decimal'],
  ] as const;

const lineOf = (lot: OpeningLot): LotLine => ({
  quantity: forInput(lot.quantity),
  day: lot.acquired_date,
  cost: forInput(amountOf(lot, 'cost_basis')),
});

/** The order of month and day in pasted dates, as chosen by the user. One choice applies to all tables. */
let dayOrder: DayOrder | undefined;

interface LotTableProps {
  readonly holding: OpeningHolding;
  readonly indexStart: string;
}

function LotTable({ holding: { address, denom, asset, stated }, indexStart }: LotTableProps) {
  const [lines, setLines] = useState<readonly LotLine[]>([BLANK]);
  const [undecidedPaste, setUndecided] = useState<{ readonly text: string; readonly day: string }>();
  // Shows the saved lots again after they change. Does not discard input in other tables.
  const shownLines = () => [...stated.filter((lot) => !isForeign(lot)).map(lineOf), BLANK];
  useLayoutEffect(() => setLines(shownLines()), [JSON.stringify(stated), currency.value]);
  const filled = lines.filter((line) => !isBlank(line));
  const columns = columnsOf();
  const faultsIn = (line: LotLine) => faultsOf(line, indexStart, currency.value);
  const faults = filled.flatMap((line) => Object.values(faultsIn(line))).filter(Boolean);
  const set = (i: number, line: LotLine) => {
    const changed = lines.map((other, at) => (at === i ? line : other));
    setLines(isBlank(changed.at(-1)!) ? changed : [...changed, BLANK]);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    const pasted = /[\t;,\n]/.test(text.trim()) ? pastedLots(text, asset, dayOrder, currency.value) : undefined;
    if (!pasted || pasted.lines.length === 0) return;
    event.preventDefault();
    if (pasted.ambiguous !== '') setUndecided({ text, day: pasted.ambiguous });
    else setLines([...filled, ...pasted.lines, BLANK]);
  };
  const decideOrder = (order: DayOrder) => {
    dayOrder = order;
    setLines([...filled, ...pastedLots(undecidedPaste!.text, asset, order, currency.value).lines, BLANK]);
    setUndecided(undefined);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (faults.length > 0) return;
    const isKept = (lot: OpeningLot) => lot.address !== address || lot.denom !== denom || isForeign(lot);
    const others = statements.peek().openingLots.filter(isKept);
    const typedLots = filled.map(({ quantity, day, cost }) => ({
      ...{ address, denom, quantity: typedDecimal(quantity)! },
      ...{ acquired_date: day, ...amountMembers('cost_basis', typedDecimal(cost)!) },
    }));
    stateLots([...others, ...typedLots]);
  };
  return (
    <form class="lots" onSubmit={save} onPaste={paste} noValidate>
      {stated.filter(isForeign).map((lot) => (
        <p class="fine">
          <Coins value={lot.quantity} symbol={asset} />, acquired on {readableDay(lot.acquired_date)} for{' '}
          {listed(lot.cost_basis ?? lot.cost_basis_usd ?? '')} {lot.currency ?? USUAL.currency.code}
          {country.value && `. It does not count here: enter the cost in ${currency.value.words}`}
        </p>
      ))}
      <table class="figures">
        <caption class="fine">
          What did they cost? Type one line per purchase, or paste lines from a spreadsheet.
        </caption>
        <thead>
          <tr>
            {columns.map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, i) => {
            const wrong = isBlank(line) ? undefined : faultsIn(line);
            return (
              <tr key={i}>
                {columns.map(([name, title, mode]) => (
                  <td key={name} data-title={title}>
                    <input
                      inputMode={mode}
                      autocomplete="off"
                      aria-label={`${title} of ${asset}, line ${i + 1}`}
                      placeholder={name === 'day' ? 'YYYY-MM-DD' : ''}
                      value={line[name]}
                      aria-invalid={wrong?.[name] !== undefined && line[name] !== ''}
                      onInput={(event) => set(i, { ...line, [name]: event.currentTarget.value })}
                      onChange={(event) =>
                        name === 'day' && set(i, { ...line, day: isoDay(event.currentTarget.value, dayOrder) })
                      }
                    />
                    {line[name] !== '' && wrong?.[name] && <p class="hint fault">{wrong[name]}</p>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {undecidedPaste && <OrderOfDay day={undecidedPaste.day} decide={decideOrder} />}
      <button type="submit" class="button small" disabled={faults.length > 0 || filled.length + stated.length === 0}>
        {filled.length === 0 && stated.length > 0 ? 'Take back' : 'Use these costs'}
      </button>
    </form>
  );
}

const isBlank = ({ quantity, day, cost }: LotLine): boolean => quantity + day + cost === '';
