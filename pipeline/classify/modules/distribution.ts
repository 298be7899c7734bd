/**
 * Classifies rewards, commission and the community pool (x/distribution). Coins are paid to the withdraw address, but
 * the income belongs to the account that earned the coins.
 */
import { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { Message } from '../../chain/block.js';
import { packetMessages } from '../../chain/protobuf.js';
import {
  contractLabel,
  type EventClassifier,
  explainEach,
  explainedByEvents,
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
} from '../classifier.js';

const withdrawRewards: EventClassifier = {
  eventType: 'withdraw_rewards',
  categories: ['staking_reward', 'reward_redirected', 'redirected_reward_in'],
  classify(event, scope) {
    const delegator = event.address('delegator');
    if (!delegator || staysInPool(event, scope)) return;
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
 * Returns true for a reward that goes to the community pool, because neither the withdraw address nor the owner may
 * receive coins (SDK 0.53.8). Nobody is paid.
 */
function staysInPool(reward: ScopedEvent, scope: Scope): boolean {
  const isSame = (event: ScopedEvent, key: string) => event.address(key) === reward.address(key);
  return scope
    .eventsOf('withdraw_addr_redirected')
    .filter((event) => event.get('withdraw_address') === 'community_pool')
    .some((event) => isSame(event, 'delegator') && isSame(event, 'validator'));
}

/**
 * Classifies withdrawn commission. The event names neither validator nor receiver. The payment names the receiver, and
 * the message names the validator. If a contract withdraws commission, the contract is the operator. If its commission
 * went to another account, the payment stays unclassified.
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
 * Classifies the last commission of a removed validator. An unbonded validator is removed when it loses its last
 * delegation, and its commission is then paid. This payment has no event of its own. It follows the delegator's reward
 * (x/distribution AfterValidatorRemoved).
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
 * Classifies the last commission of a validator that is removed because a redelegation to it was slashed. The preceding
 * reward event names the validator.
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
 * Classifies the last commission of a validator that is removed in EndBlock. This happens at the end of its unbonding
 * if it has no delegations. Only bank events show the payment.
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

const payoutMessages = [
  explainedByEvents('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', 'claim'),
  explainedByEvents(MsgWithdrawValidatorCommission.typeUrl, 'claim'),
  explainedByEvents('/cosmos.distribution.v1beta1.MsgCommunityPoolSpend'),
  explainedByEvents('/cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool'),
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

/** Classifies a deposit for a validator's delegators (x/distribution DepositValidatorRewardsPool). */
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

const isDeposit =
  ({ chain }: Scope) =>
  ({ from, to }: Payment) =>
    from !== null && to === chain.module('distribution');

function payoutBefore(event: ScopedEvent, scope: Scope): readonly Payment[] {
  const coins = scope.coins(event, 'amount');
  return coins.length === 0 ? [] : scope.sendBefore(event, coins, (payment) => isPayout(payment, scope));
}

/**
 * Adds the rows of a payout. If a module or escrow account receives the coins, `payments` is empty and the event
 * contains the amount.
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

function withdrawingOperator(event: ScopedEvent, scope: Scope, [payment]: readonly Payment[]) {
  const { chain, contracts } = scope;
  const requested = withdrawals(scope.message);
  const events = scope.eventsOf('withdraw_commission');
  if (requested.length === events.length) return requested[events.indexOf(event)]?.validatorAddress.toLowerCase();
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

/**
 * Makes an income row for the account that earned the coins. If another account received the coins, adds two rows: a
 * transfer from the earner, and a receipt by the other account.
 */
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
 * Finds the operator of a validator that is removed in EndBlock. An operator that undelegated its whole stake gets the
 * stake back in the same block. If there is not exactly one such operator, the receiver is assumed to be the operator.
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
