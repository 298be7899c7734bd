import { Address } from '../../parts/address.js';
import { Coins, Moment } from '../../parts/figure.js';
import type { Report } from '../../state/report.js';
import { carryOwn } from '../../state/statements.js';
import { Question } from './question.js';

export function OwnTransfers({ shown: { summary, stated } }: { readonly shown: Report }) {
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
        <button type="button" class="quiet small" aria-pressed={stated.carry} onClick={() => carryOwn(!stated.carry)}>
          All mine: carry the cost over
        </button>
      </fieldset>
    </Question>
  );
}
