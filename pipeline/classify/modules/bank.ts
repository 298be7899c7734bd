/** x/bank: sends. Every payment inside a send message is the send itself. */
import {
  byPayerAndDenom,
  type MessageClassifier,
  type Payment,
  type RowDraft,
  receivedRow,
  type Scope,
  selfTransferRow,
  sentRow,
  transferCategory,
} from '../classifier.js';

export const msgSend: MessageClassifier = {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  categories: ['transfer_in', 'transfer_out', 'self_transfer', 'share_transfer_in', 'share_transfer_out'],
  classify: classifySends,
};

/** One sender, many receivers: the sender's row is the whole of what it sent of a denom to others. */
export const msgMultiSend: MessageClassifier = {
  typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend',
  categories: msgSend.categories,
  classify: classifySends,
};

function classifySends(scope: Scope): void {
  const payments = scope.unexplained();
  const own = payments.filter(({ from, to }) => from === to);
  const sent = payments.filter(({ from, to }) => from !== to);
  scope.explain(own, own.map(selfTransferRow));
  scope.explain(sent, [
    ...byPayerAndDenom(sent).map((group) => transferOut(group, scope)),
    ...sent
      .filter(({ to }) => to !== null)
      .map((payment) => receivedRow(payment, transferCategory('in', payment.denom, scope.chain))),
  ]);
}

/** The payments of one sender and denom to everybody else: one row. */
function transferOut(group: readonly Payment[], scope: Scope): RowDraft {
  const [first] = group as [Payment];
  const amount = group.reduce((sum, payment) => sum + payment.amount, 0n);
  const receivers = new Set(group.map(({ to }) => to));
  return {
    ...sentRow(first, transferCategory('out', first.denom, scope.chain)),
    sent: { denom: first.denom, amount },
    counterparty: receivers.size === 1 ? first.to : null,
    ...(receivers.size > 1 ? { detail: `To ${receivers.size} receivers` } : {}),
  };
}
