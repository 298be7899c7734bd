/** x/staking: principal that is bonded, begins to unbond, moves between validators and becomes liquid again. */
import type { MsgBeginRedelegate, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { parseMessageAmount } from '../../ledger/amount.js';
import {
  type Coin,
  type EventClassifier,
  type Payment,
  type RowDraft,
  type Scope,
  type ScopedEvent,
  toldByEvents,
} from '../classifier.js';

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';

/** Bonded by delegation: a payment from the delegator to the pool of the validator's state. */
export const delegate: EventClassifier = {
  eventType: 'delegate',
  categories: ['delegate'],
  classify: (event, scope) => explainBonding(event, scope, event.address('delegator')),
};

/** An operator's own first delegation; the event names only the operator. */
export const createValidator: EventClassifier = {
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
export const unbond: EventClassifier = {
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

export const redelegate: EventClassifier = {
  eventType: 'redelegate',
  categories: ['redelegate'],
  classify(event, scope) {
    explainInside(event, scope, 'redelegate', redelegator(event, scope), {
      validator: event.address('destination_validator') ?? null,
      detail: `From ${event.address('source_validator')}`,
    });
  },
};

export const cancelUnbondingDelegation: EventClassifier = {
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
export const completeUnbonding: EventClassifier = {
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
export const stakingMessages = [
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
