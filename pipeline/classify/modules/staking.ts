import type { MsgBeginRedelegate, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { parseMessageAmount } from '../../base/values/amount.js';
import {
  type Coin,
  type EventClassifier,
  explainedByEvents,
  type ModuleClassifiers,
  OTHER_TRIGGER,
  type Payment,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
} from '../classifier.js';

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';

const delegate: EventClassifier = {
  eventType: 'delegate',
  categories: ['delegate'],
  classify: (event, scope) => explainBonding(event, scope, event.address('delegator')),
};

/**
 * Classifies the creation of a validator. The event does not name the operator's account, so it is derived from the
 * operator address.
 */
const createValidator: EventClassifier = {
  eventType: 'create_validator',
  categories: ['delegate'],
  classify(event, scope) {
    const operator = event.address('validator');
    explainBonding(event, scope, operator && scope.chain.accountOf(operator), 'Self-delegation of a new validator');
  },
};

/**
 * Classifies undelegations. Coins move only between the staking pools. The row contains the requested amount. A slashed
 * validator pays out whole shares, so the unbonding amount may be one unit smaller. In this case, `detail` contains the
 * unbonding amount.
 */
const unbond: EventClassifier = {
  eventType: 'unbond',
  categories: ['undelegate'],
  classify(event, scope) {
    const completion = event.get('completion_time');
    const until = completion ? `Unbonds until ${completion}` : '';
    const unbonding = scope.coins(event, 'amount');
    const requested = unbonding.map((coin) => requestedUnbonding(coin, scope) ?? coin);
    const rounded = unbonding.filter(({ amount }, i) => amount !== requested[i]!.amount);
    explainInside(event, scope, 'undelegate', event.address('delegator'), {
      validator: event.address('validator') ?? null,
      detail: [until, ...rounded.map(({ amount, denom }) => `${amount}${denom} after rounding to shares`)].join('; '),
      coins: requested,
    });
  },
};

const redelegate: EventClassifier = {
  eventType: 'redelegate',
  categories: ['redelegate'],
  classify(event, scope) {
    explainInside(event, scope, 'redelegate', redelegator(event, scope), {
      validator: event.address('destination_validator') ?? null,
      detail: `From ${event.address('source_validator')}`,
    });
  },
};

const cancelUnbondingDelegation: EventClassifier = {
  eventType: 'cancel_unbonding_delegation',
  categories: ['cancel_unbonding'],
  classify(event, scope) {
    explainInside(event, scope, 'cancel_unbonding', event.address('delegator'), {
      validator: event.address('validator') ?? null,
      detail: `Begun at height ${event.get('creation_height')}`,
    });
  },
};

/**
 * Classifies completed unbondings. The pool pays each unbonding entry separately. One event contains the sum of the
 * entries.
 */
const completeUnbonding: EventClassifier = {
  eventType: 'complete_unbonding',
  categories: ['unbonding_complete'],
  classify(event, scope) {
    const delegator = event.address('delegator');
    const pool = scope.chain.module('not_bonded_tokens_pool');
    const payments = scope
      .unexplained({ before: event.index })
      .filter(({ from, to }) => from === pool && to === delegator);
    for (const { denom, amount } of scope.coins(event, 'amount')) {
      const entries = payments.filter((payment) => payment.denom === denom);
      if (!delegator || entries.reduce((sum, entry) => sum + entry.amount, 0n) !== amount) continue;
      const row: RowDraft = {
        address: delegator,
        category: 'unbonding_complete',
        event: event.index,
        received: { denom, amount },
        validator: event.address('validator') ?? null,
        ...(entries.length > 1 ? { detail: `${entries.length} unbondings` } : {}),
      };
      scope.explain(entries, [row]);
    }
  },
};

const stakingMessages = [
  explainedByEvents('/cosmos.staking.v1beta1.MsgCreateValidator'),
  explainedByEvents('/cosmos.staking.v1beta1.MsgDelegate', 'delegate'),
  explainedByEvents(UNDELEGATE, 'undelegate'),
  explainedByEvents('/cosmos.staking.v1beta1.MsgBeginRedelegate', 'redelegate'),
  explainedByEvents('/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation', 'cancel_unbonding'),
];

function explainBonding(event: ScopedEvent, scope: Scope, delegator: string | undefined, detail = ''): void {
  const pools = [scope.chain.module('bonded_tokens_pool'), scope.chain.module('not_bonded_tokens_pool')];
  const isBonding = ({ from, to }: Payment) => from === delegator && to !== null && pools.includes(to);
  const payments = scope.sendBefore(event, scope.coins(event, 'amount'), isBonding);
  const rows = payments.map((sent): RowDraft => {
    return {
      address: sent.from!,
      category: 'delegate',
      event: event.index,
      sent,
      validator: event.address('validator') ?? null,
      detail,
    };
  });
  scope.explain(payments, rows);
}

/**
 * Returns the amount that the message requested. Returns undefined if a contract undelegated, because there is no
 * message then.
 */
function requestedUnbonding({ denom }: Coin, { message }: Scope): Coin | undefined {
  if (message?.typeUrl !== UNDELEGATE) return undefined;
  const amount = parseMessageAmount((message.value as Partial<MsgUndelegate> | undefined)?.amount?.amount ?? '');
  return amount === undefined ? undefined : { denom, amount };
}

/** Makes rows that send and receive the same coins, because the coins stay staked or unbonding. */
function explainInside(
  event: ScopedEvent,
  scope: Scope,
  category: string,
  address: string | undefined,
  {
    coins = scope.coins(event, 'amount'),
    ...details
  }: Pick<RowDraft, 'validator' | 'detail'> & { coins?: readonly Coin[] },
): void {
  if (!address) return;
  const row = (coin: Coin): RowDraft => ({
    address,
    category,
    event: event.index,
    sent: coin,
    received: coin,
    ...details,
  });
  scope.explain([], coins.map(row));
}

/**
 * Finds the delegator, because the event does not name it. The preceding reward event names the delegator, even if the
 * reward is zero. If there is no such event, reads the message.
 */
function redelegator({ index }: ScopedEvent, scope: Scope): string | undefined {
  const requested = scope.message?.value as MsgBeginRedelegate | undefined;
  const reward = scope.eventBefore(index, 'withdraw_rewards');
  return reward?.address('delegator') ?? requested?.delegatorAddress?.toLowerCase();
}

/**
 * Tokenized shares (x/liquid). In one message, the coin passes through the wallet and the account of the share record.
 * Only the share token stays in the wallet.
 */

/** The row contains the amount that the pool paid. Rounding may make this amount smaller than the requested one. */
const tokenizeShares: EventClassifier = {
  eventType: 'tokenize_shares',
  categories: ['tokenize_shares'],
  classify: (event, scope) =>
    explainConversion(event, scope, {
      category: 'tokenize_shares',
      token: scope.coins(event, 'tokenized_shares')[0],
      isShare: ({ to }, delegator) => to === delegator,
      sides: (coin, share) => ({ sent: coin, received: share }),
      detail: `Share record ${event.get('share_record_id')}`,
    }),
};

const redeemShares: EventClassifier = {
  eventType: 'redeem_shares',
  categories: ['redeem_shares'],
  classify: (event, scope) =>
    explainConversion(event, scope, {
      category: 'redeem_shares',
      token: scope.coins(event, 'amount')[0],
      isShare: ({ from }, delegator) => from === delegator,
      sides: (coin, share) => ({ sent: share, received: coin }),
      detail: '',
    }),
};

/**
 * Classifies rewards of share records, which are paid to the record's owner. This event contains only the total. The
 * reward event before each payment names the record and the validator.
 */
const shareReward: EventClassifier = {
  eventType: 'withdraw_tokenize_share_reward',
  categories: ['liquid_stake_reward'],
  classify(event, scope) {
    const owner = event.address('withdraw_address');
    for (const payment of scope.unexplained({ before: event.index })) {
      if (payment.to !== owner || scope.chain.isWallet(payment.from)) continue;
      const reward = scope.eventBefore(payment.index, 'withdraw_rewards');
      if (!reward || reward.address('delegator') !== payment.from) continue;
      const income = receivedRow(payment, 'liquid_stake_reward', {
        counterparty: null,
        validator: reward.address('validator') ?? null,
        rewardTrigger: scope.via ?? scope.cause ?? OTHER_TRIGGER,
        detail: 'Reward of a share record',
      });
      scope.explain([payment], [income]);
    }
  },
};

const liquidMessages = [
  explainedByEvents('/gaia.liquid.v1beta1.MsgTokenizeShares', 'tokenize'),
  explainedByEvents('/gaia.liquid.v1beta1.MsgRedeemTokensForShares', 'redeem'),
  explainedByEvents('/gaia.liquid.v1beta1.MsgWithdrawTokenizeShareRecordReward', 'claim'),
  explainedByEvents('/gaia.liquid.v1beta1.MsgWithdrawAllTokenizeShareRecordReward', 'claim'),
];

interface Conversion {
  readonly category: 'tokenize_shares' | 'redeem_shares';
  readonly token: Coin | undefined;
  isShare(payment: Payment, delegator: string): boolean;
  sides(coin: Coin, share: Coin): { sent: Coin; received: Coin };
  readonly detail: string;
}

function explainConversion(event: ScopedEvent, scope: Scope, conversion: Conversion): void {
  const { category, token, isShare, sides, detail } = conversion;
  const pool = scope.chain.module('not_bonded_tokens_pool');
  const delegator = event.address('delegator');
  if (!delegator || !token) return;
  const share = scope.paymentBefore(event, (payment) => isCoin(payment, token) && isShare(payment, delegator));
  const isPaidOut = ({ from, to, denom }: Payment) => from === pool && to === delegator && denom !== token.denom;
  const paidOut = scope.paymentBefore(event, isPaidOut);
  const way = paidOut && wayBack(paidOut, scope.unexplained({ after: paidOut.index, before: event.index }), scope);
  if (!share || !way) return;
  const validator = event.address('validator') ?? null;
  const row = { address: delegator, category, event: event.index, ...sides(paidOut, share), validator, detail };
  scope.explain([share, ...way], [row]);
}

/**
 * Follows a coin from its first receiver to a module account, and returns the payments on this way. Returns undefined
 * if a wallet keeps the coin.
 */
function wayBack(first: Payment, payments: readonly Payment[], { chain }: Scope): Payment[] | undefined {
  const way = [first];
  for (;;) {
    const last = way.at(-1)!;
    if (!chain.isWallet(last.to)) return way;
    const next = payments.find((one) => one.index > last.index && one.from === last.to && isCoin(one, last));
    if (!next) return undefined;
    way.push(next);
  }
}

const isCoin = (payment: Coin, { denom, amount }: Coin) => payment.denom === denom && payment.amount === amount;

export const staking: ModuleClassifiers = {
  events: [
    delegate,
    createValidator,
    unbond,
    redelegate,
    cancelUnbondingDelegation,
    completeUnbonding,
    tokenizeShares,
    redeemShares,
    shareReward,
  ],
  messages: [...stakingMessages, ...liquidMessages],
};
