/**
 * Fees. The ante handler takes the whole fee from whoever pays it (the granter of a fee allowance, where there is one) into a
 * collector; x/feemarket then keeps its part and hands the rest, the tip, to the proposer. A failed transaction costs its fee
 * too. One row a transaction, since a transaction has one payer and x/feemarket takes one coin; while it is switched off, one a coin.
 */
import {
  byPayerAndDenom,
  explainEach,
  type Payment,
  type PhaseClassifier,
  type RowDraft,
  receivedRow,
  type Scope,
} from '../classifier.js';

export const transactionFee: PhaseClassifier = {
  phases: ['ante', 'post'],
  categories: ['fee', 'fee_failed'],
  classify(scope) {
    const { chain } = scope;
    const fees = scope
      .unexplained()
      .filter(({ from, to }) => chain.isWallet(from) && to !== null && chain.feeCollectors.includes(to));
    for (const payments of byPayerAndDenom(fees)) scope.explain(payments, [feeRow(payments, scope)]);
  },
};

/** The proposer's share of the fee, paid to its consensus address written as an account: no commission. */
export const proposerTip: PhaseClassifier = {
  phases: ['ante', 'post'],
  categories: ['transfer_in'],
  classify(scope) {
    const { chain } = scope;
    const isTip = ({ from, to }: Payment) => from !== null && chain.feeCollectors.includes(from) && chain.isWallet(to);
    const detail = "Tip of a transaction's fee to the block's proposer";
    explainEach(scope, scope.unexplained().filter(isTip), (tip) => receivedRow(tip, 'transfer_in', { detail }));
  },
};

function feeRow(payments: readonly Payment[], scope: Scope): RowDraft {
  const [{ from, denom, index }] = payments as [Payment];
  const grant = scope.events.find((event) => event.type === 'use_feegrant' && event.get('granter') === from);
  const details = [
    ...(grant ? [`Fee allowance used by ${grant.get('grantee')}`] : []),
    ...(scope.succeeded ? [] : ['Failed transaction']),
  ];
  return {
    address: from!,
    category: scope.succeeded ? 'fee' : 'fee_failed',
    event: index,
    fee: { denom, amount: payments.reduce((sum, { amount }) => sum + amount, 0n) },
    detail: details.join('; '),
  };
}
