/** x/gov: deposits into a proposal, their refund, and what a passed proposal spends of the community pool. */
import {
  type EventClassifier,
  explainEach,
  type ModuleClassifiers,
  type Payment,
  receivedRow,
  type Scope,
  type ScopedEvent,
  sentRow,
  toldByEvents,
  transferCategory,
} from '../classifier.js';

/** The first event of a deposit; the second of that type only tells that voting has begun, and has no amount. */
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
 * The end of a proposal: its deposits came back before this event, each by itself. What governance's own account paid after them the
 * proposal's messages had it send.
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

/** A passed proposal's messages run before this event, and a spend of the community pool has no event of its own. */
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

/** Messages whose deposits and refunds events alone tell. */
const govMessages = [
  '/cosmos.gov.v1.MsgSubmitProposal',
  '/cosmos.gov.v1.MsgDeposit',
  '/cosmos.gov.v1.MsgCancelProposal',
  '/cosmos.gov.v1beta1.MsgSubmitProposal',
  '/cosmos.gov.v1beta1.MsgDeposit',
].map((typeUrl) => toldByEvents(typeUrl));

/**
 * Finds the index from which on payments are no refunds. x/gov pays those first, one to each depositor in the order of their addresses
 * (EndBlocker, IterateDeposits); then it runs the messages, which are a passed proposal's alone, and pays the contracts that they call.
 */
function endOfRefunds(event: ScopedEvent, scope: Scope): number {
  if (event.get('proposal_result') !== 'proposal_passed') return event.index;
  const gov = scope.chain.module('gov');
  const since = scope.eventBefore(event.index, 'active_proposal', 'inactive_proposal')?.index ?? -1;
  const own = scope.payments.filter(({ index }) => index > since && index < event.index);
  const first = own.findIndex(({ from }) => from === gov);
  if (first < 0) return event.index;
  const refunds = own.slice(first);
  const isNext = ({ index, from, to }: Payment, i: number) => {
    const last = refunds[i - 1];
    if (from !== gov || to === null || scope.contracts.has(to)) return false;
    return !last || last.index === index || scope.chain.compareAddresses(last.to!, to) < 0;
  };
  const other = refunds.find((payment, i) => !isNext(payment, i))?.index ?? event.index;
  const act = scope.events.find(({ index }) => index > refunds[0]!.index)!.index;
  return Math.min(other, act);
}

/** Unexplained payments of a module account to wallets that came before the event. */
function paidBefore(event: ScopedEvent, scope: Scope, module: string) {
  const { chain } = scope;
  const account = chain.module(module);
  return scope.unexplained({ before: event.index }).filter(({ from, to }) => from === account && chain.isWallet(to));
}

/** Deposits and refunds of one proposal share a link. */
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
