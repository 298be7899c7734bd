import {
  type EventClassifier,
  explainEach,
  explainedByEvents,
  type ModuleClassifiers,
  type Payment,
  receivedRow,
  type Scope,
  type ScopedEvent,
  sentRow,
  transferCategory,
} from '../classifier.js';

const proposalDeposit: EventClassifier = {
  eventType: 'proposal_deposit',
  categories: ['gov_deposit'],
  classify(event, scope) {
    const gov = scope.chain.module('gov');
    const coins = scope.coins(event, 'amount');
    if (coins.length === 0) return;
    const deposit = scope.sendBefore(event, coins, ({ from, to }) => from !== null && to === gov);
    explainEach(scope, deposit, (payment) => sentRow(payment, 'gov_deposit', proposal(event, 'Deposit into')));
  },
};

/**
 * Returns the classifier of refunds. It classifies payments of the governance account before this event. Each deposit
 * is refunded by one payment. Payments after the refunds belong to the proposal's messages.
 */
const refund = (eventType: string): EventClassifier => ({
  eventType,
  categories: ['gov_refund', 'transfer_in', 'share_transfer_in'],
  classify(event, scope) {
    const end = endOfRefunds(event, scope);
    const { detail } = proposal(event, 'Sent by');
    explainEach(scope, paidBefore(event, scope, 'gov'), (payment) =>
      payment.index < end
        ? receivedRow(payment, 'gov_refund', proposal(event, 'Deposit back from'))
        : receivedRow(payment, transferCategory('in', payment.denom, scope.chain), { detail }),
    );
  },
});

const refundOfActiveProposal = refund('active_proposal');
const refundOfInactiveProposal = refund('inactive_proposal');
const refundOfCancelledProposal = refund('cancel_proposal');

/**
 * Classifies a community pool spend, which has no event of its own. The messages of a passed proposal run before this
 * event.
 */
const communityPoolSpend: EventClassifier = {
  eventType: 'active_proposal',
  categories: ['community_pool_income'],
  classify(event, scope) {
    if (event.get('proposal_result') !== 'proposal_passed') return;
    explainEach(scope, paidBefore(event, scope, 'distribution'), (payment) =>
      receivedRow(payment, 'community_pool_income', proposal(event, 'Community pool spend of')),
    );
  },
};

const govMessages = [
  '/cosmos.gov.v1.MsgSubmitProposal',
  '/cosmos.gov.v1.MsgDeposit',
  '/cosmos.gov.v1.MsgCancelProposal',
  '/cosmos.gov.v1beta1.MsgSubmitProposal',
  '/cosmos.gov.v1beta1.MsgDeposit',
].map((typeUrl) => explainedByEvents(typeUrl));

/**
 * Returns the index of the first event after the refunds. x/gov first pays all refunds, ordered by depositor
 * (EndBlocker, IterateDeposits). Then it runs the messages of a passed proposal.
 */
function endOfRefunds(event: ScopedEvent, scope: Scope): number {
  if (event.get('proposal_result') !== 'proposal_passed') return event.index;
  const gov = scope.chain.module('gov');
  const since = scope.eventBefore(event.index, 'active_proposal', 'inactive_proposal')?.index ?? -1;
  const paymentsSince = scope.payments.filter(({ index }) => index > since && index < event.index);
  const first = paymentsSince.findIndex(({ from }) => from === gov);
  if (first < 0) return event.index;
  const refunds = paymentsSince.slice(first);
  const isNext = ({ index, from, to }: Payment, i: number) => {
    const last = refunds[i - 1];
    if (from !== gov || to === null || scope.contracts.has(to)) return false;
    return !last || last.index === index || scope.chain.compareAddresses(last.to!, to) < 0;
  };
  const other = refunds.find((payment, i) => !isNext(payment, i))?.index ?? event.index;
  const act = scope.events.find(({ index }) => index > refunds[0]!.index)!.index;
  return Math.min(other, act);
}

function paidBefore(event: ScopedEvent, scope: Scope, module: string) {
  const { chain } = scope;
  const account = chain.module(module);
  return scope.unexplained({ before: event.index }).filter(({ from, to }) => from === account && chain.isWallet(to));
}

function proposal(event: ScopedEvent, what: string) {
  const id = event.get('proposal_id');
  return { detail: `${what} proposal ${id}`, link: `proposal-${id}` };
}

export const gov: ModuleClassifiers = {
  events: [
    proposalDeposit,
    refundOfActiveProposal,
    refundOfInactiveProposal,
    refundOfCancelledProposal,
    communityPoolSpend,
  ],
  messages: [...govMessages],
};
