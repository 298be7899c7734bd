/** x/staking: principal that is bonded, begins to unbond, moves between validators and becomes liquid again. */
import type { MsgBeginRedelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { Coin, EventClassifier, MessageClassifier, Payment, RowDraft, Scope, ScopedEvent } from './classifier.js';

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

/** Begins to unbond. Moves between the pools only; the event's amount counts, which share rounding can lower by a unit. */
export const unbond: EventClassifier = {
  eventType: 'unbond',
  categories: ['undelegate'],
  classify(event, scope) {
    const completion = event.get('completion_time');
    explainInside(event, scope, 'undelegate', event.address('delegator'), {
      validator: event.address('validator') ?? null,
      detail: completion ? `Unbonds until ${completion}` : '',
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
      .unexplained()
      .filter(({ index, from, to }) => index < event.index && from === pool && to === delegator);
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

const message = (name: string, trigger?: string): MessageClassifier => ({
  typeUrl: `/cosmos.staking.v1beta1.${name}`,
  categories: [],
  ...(trigger ? { trigger } : {}),
});

/** What these messages do is told by events alone. */
export const stakingMessages: readonly MessageClassifier[] = [
  message('MsgCreateValidator'),
  message('MsgDelegate', 'delegate'),
  message('MsgUndelegate', 'undelegate'),
  message('MsgBeginRedelegate', 'redelegate'),
  message('MsgCancelUnbondingDelegation', 'cancel_unbonding'),
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

/** A row for coins that stay the wallet's and were not liquid before or after: the same amount on both sides. */
function explainInside(
  event: ScopedEvent,
  scope: Scope,
  category: string,
  address: string | undefined,
  details: Pick<RowDraft, 'validator' | 'detail'>,
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
  scope.explain([], scope.coins(event, 'amount').map(row));
}

/**
 * Who redelegated: the event does not say. Redelegating pays the reward of the source first, whose event names the delegator, even
 * where the reward is zero; else the message tells.
 */
function redelegator(event: ScopedEvent, { events, message }: Scope): string | undefined {
  const reward = events.findLast(({ type, index }) => type === 'withdraw_rewards' && index < event.index);
  return (
    reward?.address('delegator') ?? (message?.value as MsgBeginRedelegate | undefined)?.delegatorAddress?.toLowerCase()
  );
}
