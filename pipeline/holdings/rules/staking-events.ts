/** Rules of x/staking's events in transactions. Each closes its message: what it withdrew was said before it. */
import { base64 } from '@scure/base';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import type { ChainEventRecord } from '../../chain/block.js';
import { parseMessageAmount } from '../../ledger/amount.js';
import { addEvidence, guessShares } from '../guesses/guesses.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { delegate, sharesToRemove, unbond } from '../modules/delegation.js';
import { addRedelegation, redelegationOrigin } from '../modules/redelegation.js';
import { delegationOf } from '../modules/reward-periods.js';
import { addUnbonding, cancelUnbonding } from '../modules/unbonding.js';
import { newValidator, validatorOf } from '../modules/validator.js';
import type { Validator } from '../state.js';
import { parseDecimal18 } from '../values/decimal18.js';
import { addressOf, attribute, claimEarlier, type EventRule, eventId, unitsOf, type Walk } from './event-walk.js';

/** 1 when the wallet delegates there already, so that delegating withdraws first. */
export const withdrawalsOf = ({ delegations }: Validator, delegator: string) => (delegations.has(delegator) ? 1 : 0);

const onDelegate: EventRule = (event, walk) => {
  const { context } = walk;
  const validator = validatorOf(context.state, attribute(event, 'validator'));
  const delegator = addressOf(event, 'delegator');
  const amount = unitsOf(attribute(event, 'amount'));
  claimEarlier(walk, withdrawalsOf(validator, delegator));
  const issued = delegate(context, validator, delegator, amount);
  expectEqual(parseDecimal18(attribute(event, 'new_shares')), issued, {
    what: 'issued shares',
    validator: validator.operator,
    wallet: delegator,
  });
  addEvidence(context.state, validator.operator);
};

/**
 * A validator that a contract or an interchain account founds has no message here. Its key is not known before consensus is told of it,
 * which nothing asks for before, and it is taken to ask for no more of its operator than the chain does.
 */
const onCreateValidator: EventRule = (event, walk) => {
  const { context } = walk;
  const operator = addressOf(event, 'validator');
  const message = walk.messages?.creation(event);
  claimEarlier(walk, 0);
  const key = message?.pubkey && base64.encode(PubKey.decode(message.pubkey.value).key);
  const validator = newValidator(context.state, operator, key ?? '');
  validator.minSelfDelegation = parseMessageAmount(message?.minSelfDelegation ?? '') ?? 1n;
  delegate(context, validator, validator.account, unitsOf(attribute(event, 'amount')));
};

/** The event says what was paid, the shares follow from what was asked. */
function unbondedShares(
  event: ChainEventRecord,
  walk: Walk,
  validator: Validator,
  delegator: string,
  paid: bigint,
): bigint {
  const delegation = delegationOf(validator, delegator);
  walk.messages?.expectAsked(event);
  const asked = walk.messages?.askedAmount(event, delegator, validator.operator);
  if (asked !== undefined) return sharesToRemove(validator, delegation, asked);
  return guessShares(walk.context.state, validator, delegation, { id: eventId(walk), paid }, walk.choiceOf);
}

const onUnbond: EventRule = (event, walk) => {
  const { context } = walk;
  const validator = validatorOf(context.state, attribute(event, 'validator'));
  const delegator = addressOf(event, 'delegator');
  const paid = unitsOf(attribute(event, 'amount'));
  claimEarlier(walk, 1);
  const found = unbond(context, validator, delegator, unbondedShares(event, walk, validator, delegator, paid));
  expectEqual(paid, found, { what: 'undelegated tokens', validator: validator.operator, wallet: delegator });
  addUnbonding(context, validator.operator, delegator, paid);
};

const onRedelegate: EventRule = (event, walk) => {
  const { context } = walk;
  const source = validatorOf(context.state, attribute(event, 'source_validator'));
  const destination = validatorOf(context.state, attribute(event, 'destination_validator'));
  const { withdrawals } = context;
  // The event does not name the wallet; the withdrawal at the source, last or last but one, does.
  const kept = withdrawals.at(-1)?.validator === source.operator ? 1 : 2;
  claimEarlier(walk, kept);
  const delegator = withdrawals[0]?.delegator ?? '';
  const delegation = delegationOf(source, delegator);
  const origin = redelegationOrigin(context, source);
  const asked = unitsOf(attribute(event, 'amount'));
  const moved = unbond(context, source, delegator, sharesToRemove(source, delegation, asked));
  if (moved === 0n) {
    // ErrTinyRedelegationAmount: such a message fails on the chain
    const about = { what: 'redelegated tokens', validator: source.operator, wallet: delegator };
    throw new Mismatch({ ...about, expected: 'more than 0', found: '0' });
  }
  const destinationShares = delegate(context, destination, delegator, moved);
  if (origin) {
    const entry = { ...origin, initialBalance: moved, destinationShares };
    addRedelegation(context.state, source.operator, delegator, destination.operator, entry);
  }
};

const onCancelUnbonding: EventRule = (event, walk) => {
  const { context } = walk;
  const validator = validatorOf(context.state, attribute(event, 'validator'));
  const delegator = addressOf(event, 'delegator');
  const amount = unitsOf(attribute(event, 'amount'));
  claimEarlier(walk, withdrawalsOf(validator, delegator));
  delegate(context, validator, delegator, amount);
  const creationHeight = Number(attribute(event, 'creation_height'));
  cancelUnbonding(context, validator.operator, delegator, creationHeight, amount);
};

export const stakingRules: Readonly<Record<string, EventRule>> = {
  delegate: onDelegate,
  create_validator: onCreateValidator,
  unbond: onUnbond,
  redelegate: onRedelegate,
  cancel_unbonding_delegation: onCancelUnbonding,
};
