/** x/staking and x/liquid. */
import type { MsgBeginRedelegate, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { parseMessageAmount } from '../../ledger/amount.js';
import {
  type Coin,
  type EventClassifier,
  type ModuleClassifiers,
  OTHER_TRIGGER,
  type Payment,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
  toldByEvents,
} from '../classifier.js';

/* x/staking: principal that is bonded, begins to unbond, moves between validators and becomes liquid again. */

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';

/** Bonded by delegation: a payment from the delegator to the pool of the validator's state. */
const delegate: EventClassifier = {
  eventType: 'delegate',
  categories: ['delegate'],
  classify: (event, scope) => explainBonding(event, scope, event.address('delegator')),
};

/** An operator's own first delegation; the event names only the operator. */
const createValidator: EventClassifier = {
  eventType: 'create_validator',
  categories: ['delegate'],
  classify(event, scope) {
    const operator = event.address('validator');
    explainBonding(event, scope, operator && scope.chain.accountOf(operator), 'Self-delegation of a new validator');
  },
};

/**
 * Begins to unbond: moves between the pools only. The amount is what the delegator asked for, as with a redelegation. A validator that
 * was slashed pays in whole shares, so that up to a unit less unbonds: the event says how much, and so does the detail then.
 */
const unbond: EventClassifier = {
  eventType: 'unbond',
  categories: ['undelegate'],
  classify(event, scope) {
    const completion = event.get('completion_time');
    const until = completion ? `Unbonds until ${completion}` : '';
    const unbonding = scope.coins(event, 'amount');
    const asked = unbonding.map((coin) => askedToUnbond(coin, scope) ?? coin);
    const rounded = unbonding.filter(({ amount }, i) => amount !== asked[i]!.amount);
    explainInside(event, scope, 'undelegate', event.address('delegator'), {
      validator: event.address('validator') ?? null,
      detail: [until, ...rounded.map(({ amount, denom }) => `${amount}${denom} after rounding to shares`)].join('; '),
      coins: asked,
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

/** Matured unbonding entries of one pair: the pool pays each entry by itself, then one event names their sum. */
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
      // Otherwise the event tells of something else than these payments: they stay unclassified.
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

/** Messages whose effects events alone tell. */
const stakingMessages = [
  toldByEvents('/cosmos.staking.v1beta1.MsgCreateValidator'),
  toldByEvents('/cosmos.staking.v1beta1.MsgDelegate', 'delegate'),
  toldByEvents(UNDELEGATE, 'undelegate'),
  toldByEvents('/cosmos.staking.v1beta1.MsgBeginRedelegate', 'redelegate'),
  toldByEvents('/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation', 'cancel_unbonding'),
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

/** The amount that an undelegation's own message names, where there is one: a contract's undelegation has only its event. */
function askedToUnbond({ denom }: Coin, { message }: Scope): Coin | undefined {
  if (message?.typeUrl !== UNDELEGATE) return undefined;
  const amount = parseMessageAmount((message.value as Partial<MsgUndelegate> | undefined)?.amount?.amount ?? '');
  return amount === undefined ? undefined : { denom, amount };
}

/** A row for coins that stay the wallet's and were not liquid before or after: the same amount on both sides. */
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
 * Finds the delegator of a redelegation, which its event does not say. Redelegating pays the reward of the source first, whose
 * event names the delegator, even where the reward is zero; else the message tells.
 */
function redelegator({ index }: ScopedEvent, scope: Scope): string | undefined {
  const asked = scope.message?.value as MsgBeginRedelegate | undefined;
  const reward = scope.eventBefore(index, 'withdraw_rewards');
  return reward?.address('delegator') ?? asked?.delegatorAddress?.toLowerCase();
}

/*
 * x/liquid: shares of a delegation as a token, and back. The module routes the coin through the wallet and on (and through the
 * account of the share record), in and out again within the message: only the share token stays or goes.
 */

/** Delegation → share token. What leaves the delegation is what the pool paid, which rounding can put below what was asked. */
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

/** Share token → delegation. */
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
 * Rewards of share records, passed on by each record's account, which is no wallet, to whoever owns the record. One event tells their sum;
 * the reward just before each payment tells record and validator.
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
  toldByEvents('/gaia.liquid.v1beta1.MsgTokenizeShares', 'tokenize'),
  toldByEvents('/gaia.liquid.v1beta1.MsgRedeemTokensForShares', 'redeem'),
  toldByEvents('/gaia.liquid.v1beta1.MsgWithdrawTokenizeShareRecordReward', 'claim'),
  toldByEvents('/gaia.liquid.v1beta1.MsgWithdrawAllTokenizeShareRecordReward', 'claim'),
];

interface Conversion {
  readonly category: 'tokenize_shares' | 'redeem_shares';
  /** The share token that the event tells. */
  readonly token: Coin | undefined;
  isShare(payment: Payment, delegator: string): boolean;
  sides(coin: Coin, share: Coin): { sent: Coin; received: Coin };
  readonly detail: string;
}

/** One row for the share's payment and the way of the coin, which the pool pays out and gets back. */
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
 * The same coin from one account to the next until it is with one of the chain's own. Undefined where it stays with a wallet.
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
