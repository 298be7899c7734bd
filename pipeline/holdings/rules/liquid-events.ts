/**
 * Rules of x/liquid's events: delegations that are turned into share tokens. A share record's own account is the delegator
 * from then on.
 */

import { Mismatch } from '../holdings-error.js';
import { addressPrefix, shareRecordAccount } from '../modules/addresses.js';
import { delegate, sharesToRemove, unbond } from '../modules/delegation.js';
import { delegationOf } from '../modules/reward-periods.js';
import { validatorOf } from '../modules/validator.js';
import type { HoldingsState, ShareRecord } from '../state.js';
import { ONE, wholePart } from '../values/decimal18.js';
import { addressOf, attribute, claimEarlier, type EventRule, unitsOf } from './event-walk.js';
import { withdrawalsOf } from './staking-events.js';

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
  throw new Mismatch({ what: `share record ${id}`, expected: 'there is one', found: 'none' });
}

/** A share token is named `<validator>/<record>`; redeeming all whole shares takes the fraction along and ends the record. */
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

export const liquidRules: Readonly<Record<string, EventRule>> = {
  tokenize_shares: onTokenize,
  redeem_shares: onRedeem,
  transfer_tokenize_share_record: onTransferRecord,
};
