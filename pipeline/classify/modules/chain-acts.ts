/**
 * Coins that the chain's own program moves before a block's transactions: at a fork, or in an upgrade's handler. No message asks for
 * them and no module's event announces them. A reviewed act says what they are. Moves that no act names are no sale either: the coins
 * that leave wait in an escrow, and come back from it with their lots when the chain returns them. What a module pays in BeginBlock is
 * no such move, and stays unclassified without an act.
 */
import {
  type ChainFacts,
  type Payment,
  type PhaseClassifier,
  type ReviewedAct,
  type RowDraft,
  receivedRow,
  selfTransferRow,
  sentRow,
} from '../classifier.js';

/** Detail of rows that no reviewed act explains; a night counts them. */
export const NOT_REVIEWED = 'Moved by the chain itself; not reviewed';

const UNREVIEWED: ReviewedAct = {
  sentAs: 'contract_deposit',
  receivedAs: 'contract_withdrawal',
  escrow: undefined,
  detail: NOT_REVIEWED,
};

export const chainActs: PhaseClassifier = {
  phases: ['PreBlock', 'BeginBlock'],
  categories: [
    ...['contract_deposit', 'community_pool_deposit', 'transfer_out', 'self_transfer'],
    ...['contract_withdrawal', 'community_pool_income', 'transfer_in', 'vesting_receipt'],
  ],
  classify(scope) {
    const { chain, phase, height } = scope;
    for (const payment of scope.unexplained()) {
      const isMove = phase === 'PreBlock' || (chain.isWallet(payment.from) && chain.isWallet(payment.to));
      const act = chain.actOf(payment, height) ?? (isMove ? UNREVIEWED : undefined);
      if (act) scope.explain([payment], rowsOf(payment, act, chain));
    }
  },
};

function rowsOf(payment: Payment, { sentAs, receivedAs, escrow, detail }: ReviewedAct, chain: ChainFacts): RowDraft[] {
  const { from, to } = payment;
  if (from === to) return [selfTransferRow(payment)];
  const rows: RowDraft[] = [];
  if (chain.isWallet(from)) rows.push(sentRow(payment, sentAs, { detail }));
  if (chain.isWallet(to)) rows.push(receivedRow(payment, receivedAs, { counterparty: escrow ?? from, detail }));
  return rows;
}
