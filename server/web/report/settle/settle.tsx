/** Four kinds of questions that only the wallet's owner can answer. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Address, Coins, Moment, Section } from '../../parts.js';
import { account } from '../../state/account.js';
import { type Report, undecided } from '../../state/report.js';
import {
  forgetStatements,
  hasStatements,
  isStored,
  type OpeningLot,
  stateLots,
  statements,
} from '../../state/statements.js';
import { readableDay } from '../../values/dates.js';
import { isZero, sumOf, typedDecimal } from '../../values/decimal.js';
import { faultsOf, type LotLine, pastedLots } from '../../values/pasted-table.js';
import { Question } from './question.js';
import { Receipts } from './receipts.js';
import { hasUnknownCosts, UnknownCosts } from './unknown-costs.js';

export function Settle({ shown }: { readonly shown: Report }) {
  const opening = openingHoldings(shown);
  const hasTransfers = shown.summary.own_transfers.length > 0 || shown.stated.carry;
  const isClear = shown.receipts.length === 0 && opening.length === 0 && !hasTransfers && !hasUnknownCosts(shown);
  return (
    <Section id="settle" title="Open questions" aside={<StorageNote />}>
      <p class="lead">{isClear ? 'There are no open questions.' : <Duty hasReceipts={shown.receipts.length > 0} />}</p>
      {shown.receipts.length > 0 && <Receipts receipts={shown.receipts} left={undecided(shown)} />}
      {hasTransfers && shown.asked.addresses.length > 1 && <OwnTransfers shown={shown} />}
      {opening.length > 0 && <OpeningCoins holdings={opening} indexStart={shown.summary.coverage.index_start} />}
      <UnknownCosts shown={shown} />
    </Section>
  );
}

const Duty = ({ hasReceipts }: { readonly hasReceipts: boolean }) => (
  <>
    {hasReceipts
      ? 'You can download files once you have decided about the suspicious incoming transfers. Everything else is optional:'
      : 'You can download your files without answering these. Answer what you know:'}{' '}
    each answer makes your gains more complete. Coins of unknown cost are part of no gain, and your files note it.
  </>
);

const STORAGE_WORDS = {
  true: {
    account: 'Saved with your account; tags stay in this browser.',
    browser: 'Your answers are stored in this browser.',
  },
  false: {
    account: 'Saved with your account; this browser stores nothing, so tags are lost when you leave this page.',
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

function OwnTransfers({ shown: { summary, stated } }: { readonly shown: Report }) {
  return (
    <Question
      id="own-transfers"
      title="Transfers between these wallets"
      left={stated.carry ? 0 : summary.own_transfers.length}
      isFirst
    >
      <p>
        Are all of these wallets yours? If so, moving coins between them is not a sale: the coins keep their cost and
        age. If not, each transfer is a sale on one side and an incoming transfer of unknown cost on the other: leave
        this as it is if one of the wallets belongs to somebody else.
      </p>
      <ul class="items">
        {summary.own_transfers.map((one) => (
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
          class="quiet small"
          aria-pressed={stated.carry}
          onClick={() => (statements.value = { ...statements.value, carry: !stated.carry })}
        >
          All mine: carry the cost over
        </button>
      </fieldset>
    </Question>
  );
}

interface OpeningCoinsProps {
  readonly holdings: readonly OpeningHolding[];
  readonly indexStart: string;
}

function OpeningCoins({ holdings, indexStart }: OpeningCoinsProps) {
  const open = holdings.filter(({ unstated }) => !isZero(unstated));
  return (
    <Question id="opening-coins" title="Coins from before the records" left={open.length} isFirst={false}>
      <p>
        The records begin on {readableDay(indexStart)}. They do not contain the cost of coins that you acquired before.
        Those coins count as sold first. If you do not know their cost, leave this open: no gain is computed for them,
        and your files note it.
      </p>
      <ul class="items">
        {holdings.map((holding) => (
          <li key={`${holding.address} ${holding.denom}`} class="item">
            <div class="item-head">
              <h4>
                <Coins value={holding.unstated} symbol={holding.asset} /> of unknown cost
              </h4>
              <p class="fine">
                <Address value={holding.address} />
                {holding.stated.length > 0 && (
                  <>
                    {' '}
                    · entered so far:{' '}
                    <Coins value={sumOf(holding.stated.map(({ quantity }) => quantity))} symbol={holding.asset} />
                  </>
                )}
              </p>
            </div>
            <LotTable holding={holding} indexStart={indexStart} />
          </li>
        ))}
      </ul>
    </Question>
  );
}

const BLANK: LotLine = { quantity: '', day: '', cost: '' };

const COLUMNS = [
  ['quantity', 'Amount', 'decimal'],
  ['day', 'Date acquired', 'text'],
  ['cost', 'Total cost, US dollars', 'decimal'],
] as const;

const lineOf = (lot: OpeningLot): LotLine => ({
  quantity: lot.quantity,
  day: lot.acquired_date,
  cost: lot.cost_basis_usd,
});

interface LotTableProps {
  readonly holding: OpeningHolding;
  readonly indexStart: string;
}

function LotTable({ holding: { address, denom, asset, stated }, indexStart }: LotTableProps) {
  const [lines, setLines] = useState<readonly LotLine[]>([BLANK]);
  // Shows the lots that were applied. Does not discard input in other tables.
  useLayoutEffect(() => setLines([...stated.map(lineOf), BLANK]), [JSON.stringify(stated)]);
  const filled = lines.filter((line) => !isBlank(line));
  const faults = filled.flatMap((line) => Object.values(faultsOf(line, indexStart))).filter(Boolean);
  const set = (i: number, line: LotLine) => {
    const changed = lines.map((other, at) => (at === i ? line : other));
    setLines(isBlank(changed.at(-1)!) ? changed : [...changed, BLANK]);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    const pasted = /[\t;,\n]/.test(text.trim()) ? pastedLots(text) : [];
    if (pasted.length === 0) return;
    event.preventDefault();
    setLines([...filled, ...pasted, BLANK]);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (faults.length > 0) return;
    const others = statements.peek().openingLots.filter((lot) => lot.address !== address || lot.denom !== denom);
    const own = filled.map(({ quantity, day, cost }) => ({
      ...{ address, denom, quantity: typedDecimal(quantity)! },
      ...{ acquired_date: day, cost_basis_usd: typedDecimal(cost)! },
    }));
    stateLots([...others, ...own]);
  };
  return (
    <form class="lots" onSubmit={save} onPaste={paste} noValidate>
      <table class="figures">
        <caption class="fine">
          What did they cost? Type one line per purchase, or paste lines from a spreadsheet.
        </caption>
        <thead>
          <tr>
            {COLUMNS.map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, i) => {
            const wrong = isBlank(line) ? undefined : faultsOf(line, indexStart);
            return (
              <tr key={i}>
                {COLUMNS.map(([name, title, mode]) => (
                  <td key={name} data-title={title}>
                    <input
                      inputMode={mode}
                      autocomplete="off"
                      aria-label={`${title} of ${asset}, line ${i + 1}`}
                      placeholder={name === 'day' ? 'YYYY-MM-DD' : ''}
                      value={line[name]}
                      aria-invalid={wrong?.[name] !== undefined && line[name] !== ''}
                      onInput={(event) => set(i, { ...line, [name]: event.currentTarget.value })}
                    />
                    {line[name] !== '' && wrong?.[name] && <p class="hint fault">{wrong[name]}</p>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <button type="submit" class="button small" disabled={faults.length > 0 || filled.length + stated.length === 0}>
        {filled.length === 0 && stated.length > 0 ? 'Take back' : 'Use these costs'}
      </button>
    </form>
  );
}

const isBlank = ({ quantity, day, cost }: LotLine): boolean => quantity + day + cost === '';

interface OpeningHolding {
  readonly address: string;
  readonly denom: string;
  readonly asset: string;
  readonly unstated: string;
  readonly stated: readonly OpeningLot[];
}

/** Returns coins held at the start of the index for which the user has stated lots or should do so. */
function openingHoldings({ summary, stated }: Report): OpeningHolding[] {
  return summary.wallets.flatMap(({ address, assets }) =>
    assets.flatMap(({ denom, asset, opening_before_index_quantity: unstated }) => {
      const lots = stated.openingLots.filter((lot) => lot.address === address && lot.denom === denom);
      return isZero(unstated) && lots.length === 0 ? [] : [{ address, denom, asset, unstated, stated: lots }];
    }),
  );
}
