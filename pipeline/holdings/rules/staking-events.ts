/** Rules for events of x/staking and x/liquid. Withdrawals caused by a message come before the message's own event. */
import { base64 } from '@scure/base';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import { parseMessageAmount } from '../../base/values/amount.js';
import type { ChainEventRecord } from '../../chain/block.js';
import { addEvidence, guessShares } from '../guesses.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { delegate, delegationOf, sharesToRemove, unbond } from '../modules/delegation.js';
import { addUnbonding, beginRedelegation, cancelUnbonding } from '../modules/unbonding.js';
import {
  addressPrefix,
  knownCommissionRate,
  newValidator,
  setCommissionRate,
  shareRecordAccount,
  validatorOf,
} from '../modules/validator.js';
import type { HoldingsState, ShareRecord, Validator } from '../state.js';
import { ONE, parseDecimal18, wholePart } from '../values/decimal18.js';
import { addressOf, attribute, claimEarlier, type EventRule, unitsOf, type Walk } from './event-walk.js';

/**
 * Returns the number of withdrawals that a new delegation causes: 1 if the wallet already delegates to the validator,
 * else 0.
 */
const withdrawalsOf = ({ delegations }: Validator, delegator: string) => (delegations.has(delegator) ? 1 : 0);

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
 * Adds a validator. Without a message, a contract or an interchain account created it. A later validator update then
 * reveals its key, and its minimum self-delegation is assumed to be 1.
 */
const onCreateValidator: EventRule = (event, walk) => {
  const { context } = walk;
  const operator = addressOf(event, 'validator');
  const message = walk.messages?.creation(event);
  claimEarlier(walk, 0);
  const key = message?.pubkey && base64.encode(PubKey.decode(message.pubkey.value).key);
  const validator = newValidator(context.state, operator, key ?? '');
  validator.minSelfDelegation = parseMessageAmount(message?.minSelfDelegation ?? '') ?? 1n;
  validator.commissionRate = parseMessageAmount(message?.commission?.rate ?? '') ?? null;
  delegate(context, validator, validator.account, unitsOf(attribute(event, 'amount')));
};

/**
 * Handles a validator's edit without a message, by a contract, interchain account or governance. Its event does not
 * name the validator. Any validator with another commission rate may be the edited one. So the rates of all these
 * validators are unknown until their next commission.
 */
const onEditValidator: EventRule = (event, { context: { state }, messages }) => {
  if (messages?.hasEdit(event)) return;
  const rate = /\brate:"(\d+)"/.exec(attribute(event, 'commission_rate'))?.[1];
  for (const validator of state.validators.values()) {
    if (String(knownCommissionRate(validator)) !== rate) setCommissionRate(validator, null);
  }
};

/**
 * Returns the removed shares, computed from the requested amount in the message. Without a message, guesses them from
 * the payment.
 */
function unbondedShares(
  event: ChainEventRecord,
  walk: Walk,
  validator: Validator,
  delegator: string,
  paid: bigint,
): bigint {
  const delegation = delegationOf(validator, delegator);
  walk.messages?.expectRequested(event);
  const requested = walk.messages?.requestedAmount(event, delegator, validator.operator);
  if (requested !== undefined) return sharesToRemove(validator, delegation, requested);
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
  // The event does not name the wallet. The withdrawals show it. There are two if the wallet already delegates to the
  // destination, otherwise one.
  const kept = withdrawals.at(-1)?.validator === source.operator ? 1 : 2;
  claimEarlier(walk, kept);
  const delegator = withdrawals[0]?.delegator ?? '';
  beginRedelegation(context, source, destination, delegator, unitsOf(attribute(event, 'amount')));
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

/** Turns a delegation into share tokens. The account of the share record is now the delegator. */
const onTokenize: EventRule = (event, walk) => {
  const { context } = walk;
  const { state } = context;
  const validator = validatorOf(state, attribute(event, 'validator'));
  const delegator = addressOf(event, 'delegator');
  const id = attribute(event, 'share_record_id');
  const account = shareRecordAccount(id, addressPrefix(delegator), state.sha256);
  claimEarlier(walk, 1);
  const shares = sharesToRemove(validator, delegationOf(validator, delegator), unitsOf(attribute(event, 'amount')));
  const moved = unbond(context, validator, delegator, shares);
  delegate(context, validator, account, moved);
  state.shareRecords.set(id, { owner: addressOf(event, 'share_owner'), validator: validator.operator, account });
};

function shareRecordOf({ shareRecords }: HoldingsState, id: string): ShareRecord {
  const record = shareRecords.get(id);
  if (record) return record;
  throw new Mismatch({ what: `share record ${id}`, expected: 'one', found: 'none' });
}

/**
 * Redeems share tokens, whose denom is `<validator>/<record>`. Redeeming all whole shares also removes the remaining
 * fraction of a share and the record.
 */
const onRedeem: EventRule = (event, walk) => {
  const { context } = walk;
  const { state } = context;
  const validator = validatorOf(state, attribute(event, 'validator'));
  const delegator = addressOf(event, 'delegator');
  const token = attribute(event, 'amount');
  const id = token.slice(token.lastIndexOf('/') + 1);
  const { account } = shareRecordOf(state, id);
  claimEarlier(walk, 1 + withdrawalsOf(validator, delegator));
  const { shares } = delegationOf(validator, account);
  const redeemed = unitsOf(token);
  const moved = unbond(context, validator, account, redeemed === wholePart(shares) ? shares : redeemed * ONE);
  if (!validator.delegations.has(account)) state.shareRecords.delete(id);
  delegate(context, validator, delegator, moved);
};

const onTransferRecord: EventRule = (event, { context: { state } }) => {
  const id = attribute(event, 'share_record_id');
  state.shareRecords.set(id, { ...shareRecordOf(state, id), owner: addressOf(event, 'share_owner') });
};

export const stakingRules: Readonly<Record<string, EventRule>> = {
  delegate: onDelegate,
  create_validator: onCreateValidator,
  edit_validator: onEditValidator,
  unbond: onUnbond,
  redelegate: onRedelegate,
  cancel_unbonding_delegation: onCancelUnbonding,
  tokenize_shares: onTokenize,
  redeem_shares: onRedeem,
  transfer_tokenize_share_record: onTransferRecord,
};

const eventId = ({ context, place, index }: Walk) => `${context.height}/${place}/${index}`;
