/**
 * x/distribution: rewards and commission that are paid out, and what is given to the community pool. A payment goes to the
 * withdraw address; income belongs to who earned it.
 */
import { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { Message } from '../../chain/block.js';
import { packetMessages } from '../../chain/interchain-packet.js';
import {
  contractLabel,
  type EventClassifier,
  explainEach,
  type MessageClassifier,
  type ModuleClassifiers,
  OTHER_TRIGGER,
  type Payment,
  type PhaseClassifier,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
  SLASHES,
  sentRow,
  toldByEvents,
} from '../classifier.js';

/** A reward wherever it is paid: claimed, or paid out by another staking act, a contract, or the slash of a redelegation. */
const withdrawRewards: EventClassifier = {
  eventType: 'withdraw_rewards',
  categories: ['staking_reward', 'reward_redirected', 'redirected_reward_in'],
  classify(event, scope) {
    const delegator = event.address('delegator');
    if (!delegator) return;
    const earned: Earned = {
      category: 'staking_reward',
      earner: delegator,
      validator: event.address('validator') ?? null,
      trigger: scope.via ?? scope.cause ?? OTHER_TRIGGER,
      detail: payoutDetail(scope),
    };
    explainPayout(event, scope, payoutBefore(event, scope), earned);
  },
};

/**
 * The event names neither validator nor receiver: the receiver is the payment's, the validator the message's. A contract that
 * withdraws commission is an operator itself; what it has paid to somebody else stays unclassified, since nothing says whose it was.
 */
const withdrawCommission: EventClassifier = {
  eventType: 'withdraw_commission',
  categories: ['validator_commission', 'reward_redirected', 'redirected_reward_in'],
  classify(event, scope) {
    const payments = payoutBefore(event, scope);
    const validator = withdrawingOperator(event, scope, payments);
    if (!validator) return;
    explainPayout(event, scope, payments, {
      category: 'validator_commission',
      earner: scope.chain.accountOf(validator),
      validator,
      trigger: scope.via ?? 'claim',
      detail: payoutDetail(scope),
    });
  },
};

/**
 * When the last delegation of an unbonded validator ends, the validator is removed within that message and its leftover commission
 * paid without an event of its own, after the delegator's reward (AfterValidatorRemoved of x/distribution).
 */
const leftoverCommission = (eventType: string, validatorKey: string): EventClassifier => ({
  eventType,
  categories: withdrawCommission.categories,
  classify(event, scope) {
    const validator = event.address(validatorKey);
    const since = rewardBefore(event, validator, scope)?.index ?? -1;
    const payments = scope
      .unexplained({ after: since, before: event.index })
      .filter((payment) => isPayout(payment, scope));
    if (!validator || payments.length === 0) return;
    explainPayout(event, scope, payments, removedValidator(validator, scope));
  },
});

const leftoverCommissionAtUnbond = leftoverCommission('unbond', 'validator');
const leftoverCommissionAtRedelegate = leftoverCommission('redelegate', 'source_validator');

/**
 * The slash of a redelegation undelegates where the coins are now, and so removes an unbonded validator of which that was the last: the
 * commission left there is paid after the delegator's reward, whose event names the validator.
 */
const leftoverCommissionAtSlash: readonly EventClassifier[] = SLASHES.map((eventType) => ({
  eventType,
  categories: withdrawCommission.categories,
  classify(event, scope) {
    for (const payment of scope.unexplained({ before: event.index })) {
      const reward = isPayout(payment, scope) ? scope.eventBefore(payment.index, 'withdraw_rewards') : undefined;
      const validator = reward?.address('validator');
      if (validator) scope.explain([payment], payoutRows(payment, scope, payment, removedValidator(validator, scope)));
    }
  },
}));

/**
 * A validator without delegations is removed when its own unbonding ends, in EndBlock, with bank events only. What the distribution
 * account pays there beside rewards and what proposals spend is that commission.
 */
const leftoverCommissionAtBlockEnd: PhaseClassifier = {
  phases: ['EndBlock'],
  categories: withdrawCommission.categories,
  classify(scope) {
    for (const payment of scope.unexplained()) {
      if (!isPayout(payment, scope)) continue;
      const earned = removedValidator(removedOperator(payment, scope), scope);
      scope.explain([payment], payoutRows(payment, scope, payment, earned));
    }
  },
};

/** Messages whose effects events alone tell. A spend of the community pool is run by governance: its proposal's end explains it. */
const payoutMessages = [
  toldByEvents('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', 'claim'),
  toldByEvents(MsgWithdrawValidatorCommission.typeUrl, 'claim'),
  toldByEvents('/cosmos.distribution.v1beta1.MsgCommunityPoolSpend'),
  toldByEvents('/cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool'),
];

const msgFundCommunityPool: MessageClassifier = {
  typeUrl: '/cosmos.distribution.v1beta1.MsgFundCommunityPool',
  categories: ['community_pool_deposit'],
  classify(scope) {
    explainEach(scope, scope.unexplained().filter(isDeposit(scope)), (payment) =>
      sentRow(payment, 'community_pool_deposit'),
    );
  },
};

/**
 * A gift to a validator's delegators, whoever gives it: it leaves the wallet for good. The coins come right before they are shared out
 * (x/distribution DepositValidatorRewardsPool), and within messages nothing else is.
 */
const rewardsDeposit: EventClassifier = {
  eventType: 'rewards',
  categories: ['transfer_out'],
  classify(event, scope) {
    const last = scope.paymentBefore(event, isDeposit(scope));
    const gift = scope.unexplained({ before: event.index }).filter(({ index }) => index === last?.index);
    const validator = event.address('validator') ?? null;
    explainEach(scope, gift, (payment) =>
      sentRow(payment, 'transfer_out', { validator, detail: `Deposit into the rewards pool of ${validator}` }),
    );
  },
};

interface Earned {
  readonly category: 'staking_reward' | 'validator_commission';
  readonly earner: string;
  readonly validator: string | null;
  readonly trigger: string;
  readonly detail: string;
}

function rewardBefore({ index }: ScopedEvent, validator: string | undefined, scope: Scope): ScopedEvent | undefined {
  let reward = scope.eventBefore(index, 'withdraw_rewards');
  while (reward && reward.address('validator') !== validator) {
    reward = scope.eventBefore(reward.index, 'withdraw_rewards');
  }
  return reward;
}

const isPayout = ({ from, to }: Payment, { chain }: Scope) =>
  from === chain.module('distribution') && chain.isWallet(to);

/** Tells payments into the distribution account, which holds the community pool and what delegators have not claimed. */
const isDeposit =
  ({ chain }: Scope) =>
  ({ from, to }: Payment) =>
    from !== null && to === chain.module('distribution');

/** The payments that the event announces. A reward of zero (`0stake`, `0uatom`, nothing) has none. */
function payoutBefore(event: ScopedEvent, scope: Scope): readonly Payment[] {
  const coins = scope.coins(event, 'amount');
  return coins.length === 0 ? [] : scope.sendBefore(event, coins, (payment) => isPayout(payment, scope));
}

/**
 * Explains a payout: what its event announces is earned, whoever got it. Where no account but the chain's own did (a withdraw
 * address may be that of governance or of an escrow), there is no payment that needs a row.
 */
function explainPayout(event: ScopedEvent, scope: Scope, payments: readonly Payment[], earned: Earned): void {
  const payouts = payments.length > 0 ? payments : unseen(event, scope);
  scope.explain(
    payments,
    payouts.flatMap((payout) => payoutRows(event, scope, payout, earned)),
  );
}

const unseen = (event: ScopedEvent, scope: Scope): Payment[] =>
  scope.coins(event, 'amount').map((coin) => ({ ...coin, index: event.index, from: null, to: null }));

/** The event does not name the operator: the message does, also one in a packet, or the contract that is paid is the operator itself. */
function withdrawingOperator(event: ScopedEvent, scope: Scope, [payment]: readonly Payment[]) {
  const { chain, contracts } = scope;
  const asked = withdrawals(scope.message);
  const events = scope.eventsOf('withdraw_commission');
  // Each of these messages has its event. Where a contract withdrew as well, nobody can tell which is whose.
  if (asked.length === events.length) return asked[events.indexOf(event)]?.validatorAddress.toLowerCase();
  const receiver = payment?.to;
  return receiver && contracts.has(receiver) ? chain.operatorOf(receiver) : undefined;
}

function withdrawals(message: Message | undefined): readonly MsgWithdrawValidatorCommission[] {
  if (message?.value === undefined) return [];
  if (message.typeUrl === MsgWithdrawValidatorCommission.typeUrl)
    return [message.value as MsgWithdrawValidatorCommission];
  if (message.typeUrl !== MsgRecvPacket.typeUrl) return [];
  return packetMessages(message.value as MsgRecvPacket, MsgWithdrawValidatorCommission);
}

/** One row of income; three where the coins went to another account: income, the same coins leaving, and their arrival. */
function payoutRows(
  { index }: Pick<ScopedEvent, 'index'>,
  { place }: Scope,
  payment: Payment,
  earned: Earned,
): RowDraft[] {
  const { earner: address, category, validator, trigger: rewardTrigger, detail } = earned;
  const elsewhere = payment.to !== address;
  const link = elsewhere ? `${place}-${index}-${payment.denom}` : null;
  const income: RowDraft = {
    address,
    category,
    event: index,
    received: payment,
    validator,
    rewardTrigger,
    detail,
    link,
  };
  if (!elsewhere) return [income];
  const leaves: RowDraft = {
    address,
    category: 'reward_redirected',
    event: index,
    sent: payment,
    counterparty: payment.to,
    validator,
    link,
  };
  if (payment.to === null) return [income, leaves];
  const arrives: RowDraft = {
    ...receivedRow(payment, 'redirected_reward_in', { counterparty: address, validator, link }),
    event: index,
    detail: `Earned by ${address}`,
  };
  return [income, leaves, arrives];
}

/**
 * Finds the operator of a leftover commission that is paid at a block's end, which no event says. An operator that takes out the
 * last of its own stake makes its validator leave, and has the stake back in the block in which that is removed; else the operator
 * is taken to be the receiver.
 */
function removedOperator({ index, to }: Payment, scope: Scope): string {
  const { chain } = scope;
  const left = scope
    .eventsOf('complete_unbonding')
    .filter((event) => event.index > index)
    .filter((event) => event.address('delegator') === chain.accountOf(event.address('validator')!))
    .map((event) => event.address('validator')!);
  return left.length === 1 ? left[0]! : chain.operatorOf(to!);
}

const removedValidator = (validator: string, { chain }: Scope): Earned => ({
  category: 'validator_commission',
  earner: chain.accountOf(validator),
  validator,
  trigger: 'validator_removed',
  detail: 'Commission left over when the validator was removed',
});

/** Names the cause of a payout for people: also the inner one where someone else acted. It is empty for a plain claim. */
function payoutDetail({ via, cause, contracts, chain }: Scope): string {
  const act = cause?.replaceAll('_', ' ');
  switch (via) {
    case 'authz':
      return act ? `Authz: ${act}` : 'Authz';
    case 'interchain_account':
      return 'Interchain account';
    case 'contract':
      return contractLabel([...contracts][0]!, chain);
    default:
      return act === undefined || act === 'claim' ? '' : `Auto-claim: ${act}`;
  }
}

export const distribution: ModuleClassifiers = {
  events: [
    withdrawRewards,
    withdrawCommission,
    leftoverCommissionAtUnbond,
    leftoverCommissionAtRedelegate,
    ...leftoverCommissionAtSlash,
    rewardsDeposit,
  ],
  messages: [...payoutMessages, msgFundCommunityPool],
  phases: [leftoverCommissionAtBlockEnd],
};
