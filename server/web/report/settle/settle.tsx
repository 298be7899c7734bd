/** Four kinds of questions that only the owner can answer. */

import { Address } from '../../parts/address.js';
import { Coins, Moment } from '../../parts/figure.js';
import { Section } from '../../parts/section.js';
import { account } from '../../state/account.js';
import { openingHoldings } from '../../state/opening-holdings.js';
import { type Report, undecided } from '../../state/report.js';
import { forgetStatements, hasStatements, isStored, statements } from '../../state/statements.js';
import { OpeningCoins } from './opening-coins.js';
import { Question } from './question.js';
import { Receipts } from './receipts.js';
import { hasUnknownCosts, UnknownCosts } from './unknown-costs.js';

export function Settle({ shown }: { readonly shown: Report }) {
  const opening = openingHoldings(shown);
  const hasTransfers = shown.summary.own_transfers.length > 0 || shown.stated.carry;
  const hasUnknown = hasUnknownCosts(shown);
  const isClear = shown.receipts.length === 0 && opening.length === 0 && !hasTransfers && !hasUnknown;
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

/** Where answers are stored, depending on whether this browser keeps data. */
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
