/** Questions that the chain cannot answer and the owner can, of four kinds. */
import { Section } from '../../parts/section.js';
import { account } from '../../state/account.js';
import { openingHoldings } from '../../state/opening-holdings.js';
import { type Report, undecided } from '../../state/report.js';
import { forgetStatements, hasStatements, statements } from '../../state/statements.js';
import { OpeningCoins } from './opening-coins.js';
import { OwnTransfers } from './own-transfers.js';
import { Receipts } from './receipts.js';
import { hasUnknownCosts, UnknownCosts } from './unknown-costs.js';

export function Settle({ shown }: { readonly shown: Report }) {
  const opening = openingHoldings(shown);
  const hasTransfers = shown.summary.own_transfers.length > 0 || shown.stated.carry;
  const isClear = shown.receipts.length === 0 && opening.length === 0 && !hasTransfers && !hasUnknownCosts(shown);
  return (
    <Section id="settle" title="To settle" aside={<WhereKept />}>
      {isClear && <p class="lead">Nothing: every figure of these days is known.</p>}
      {shown.receipts.length > 0 && <Receipts receipts={shown.receipts} left={undecided(shown).length} />}
      {hasTransfers && shown.asked.addresses.length > 1 && <OwnTransfers shown={shown} />}
      {opening.length > 0 && <OpeningCoins holdings={opening} indexStart={shown.summary.coverage.index_start} />}
      <UnknownCosts shown={shown} />
    </Section>
  );
}

const WhereKept = () => (
  <p class="fine screen">
    {account.value ? 'Saved with your account; tags stay in this browser.' : 'Your answers are kept in this browser.'}{' '}
    {hasStatements(statements.value) && (
      <button type="button" class="link" onClick={forgetStatements}>
        Forget them all
      </button>
    )}
  </p>
);
