/**
 * x/liquid: shares of a delegation as a token, and back. The module routes the coin through the wallet and on (and through the
 * account of the share record), in and out again within the message: only the share token stays or goes.
 */
import {
  type Coin,
  type EventClassifier,
  OTHER_TRIGGER,
  type Payment,
  receivedRow,
  type Scope,
  type ScopedEvent,
  toldByEvents,
} from '../classifier.js';

/** Delegation → share token. What leaves the delegation is what the pool paid, which rounding can put below what was asked. */
export const tokenizeShares: EventClassifier = {
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
export const redeemShares: EventClassifier = {
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
export const shareReward: EventClassifier = {
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

export const liquidMessages = [
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
