/** Messages of x/liquid: share tokens of delegations; the record's account is the delegator. */
import { shareRecordAccount } from '../../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { message } from '../small-chain.js';
import { BOND_DENOM, type Chain, type Delegation, MINT, NOT_BONDED_POOL, pairKey, poolOf, type Rule } from './chain.js';
import { coin, coinsText, least, NO_COINS, truncateInt, UNIT, whole } from './decimal.js';
import { initializeDelegation, queryRewards, withdraw } from './distribution.js';
import { asked, canReturn, delegate, sharesFromTokens, unbond } from './staking.js';

const msgTokenizeShares: Rule = (chain, request) => {
  const { delegator, validator } = request;
  const wish = asked(chain, request);
  if (!wish || delegator === validator.account || !canReturn(validator, wish.shares)) return undefined;
  const { operator } = validator;
  const id = String(chain.nextShareRecord++);
  const account = shareRecordAccount(id, 'cosmos', sha256);
  const moved = unbond(chain, validator, delegator, wish.shares);
  chain.sendBonded(poolOf(validator), NOT_BONDED_POOL, moved);
  chain.sendBonded(NOT_BONDED_POOL, delegator, moved);
  const shares = validator.shares === 0n ? moved * UNIT : sharesFromTokens(validator, moved);
  const token = coin(`${operator}/${id}`, truncateInt(shares));
  chain.mint(MINT, token);
  chain.send(MINT, delegator, token);
  chain.sendBonded(delegator, account, moved);
  delegate(chain, validator, account, moved, account);
  chain.shareRecords.set(id, { owner: delegator, operator, account });
  const about = { delegator, validator: operator, share_owner: delegator, share_record_id: id };
  chain.emit('tokenize_shares', {
    ...about,
    amount: `${wish.amount}${BOND_DENOM}`,
    tokenized_shares: coinsText(token),
  });
  return message('/gaia.liquid.v1beta1.MsgTokenizeShares', {});
};

/** Shares for an amount of whole share tokens; the last whole share includes the fraction. */
const redeemed = ({ shares }: Delegation, amount: bigint) => (amount === truncateInt(shares) ? shares : amount * UNIT);

/** Pays the balance of a record's account to its owner. */
function payOwner(chain: Chain, { owner, account }: { readonly owner: string; readonly account: string }): void {
  const coins = chain.balances.get(account) ?? NO_COINS;
  if (coins.size === 0) return;
  chain.send(account, owner, coins);
  chain.emit('withdraw_tokenize_share_reward', { withdraw_address: owner, amount: coinsText(coins) });
}

const msgRedeemTokens: Rule = (chain, { amount: wished, choice }) => {
  const ids = [...chain.shareRecords.keys()];
  const id = ids[choice % (ids.length || 1)];
  const record = id === undefined ? undefined : chain.shareRecords.get(id)!;
  const validator = chain.validators.get(record?.operator ?? '');
  if (!id || !record || !validator || validator.tokens === 0n) return undefined;
  const delegation = chain.delegations.get(pairKey(record.account, record.operator))!;
  const amount = least(wished, truncateInt(delegation.shares));
  const shares = redeemed(delegation, amount);
  if (amount === 0n || !canReturn(validator, shares)) return undefined;
  const moved = unbond(chain, validator, record.account, shares);
  const { owner: delegator, operator } = record;
  const token = coin(`${operator}/${id}`, amount);
  chain.sendBonded(poolOf(validator), NOT_BONDED_POOL, moved);
  if (!chain.delegations.has(pairKey(record.account, operator))) {
    payOwner(chain, record);
    chain.shareRecords.delete(id);
  }
  chain.send(delegator, NOT_BONDED_POOL, token);
  chain.burn(NOT_BONDED_POOL, token);
  chain.sendBonded(NOT_BONDED_POOL, delegator, moved);
  delegate(chain, validator, delegator, moved, delegator);
  chain.emit('redeem_shares', { delegator, validator: operator, amount: coinsText(token) });
  return message('/gaia.liquid.v1beta1.MsgRedeemTokensForShares', {});
};

const msgWithdrawRecordReward: Rule = (chain, { choice }) => {
  const records = [...chain.shareRecords.values()];
  const record = records[choice % (records.length || 1)];
  const validator = chain.validators.get(record?.operator ?? '');
  if (!record || !validator || whole(queryRewards(chain, validator, record.account)).size === 0) return undefined;
  withdraw(chain, validator, record.account);
  initializeDelegation(chain, validator, record.account);
  payOwner(chain, record);
  return message('/gaia.liquid.v1beta1.MsgWithdrawTokenizeShareRecordReward', {});
};

export const LIQUID_RULES = {
  tokenize: msgTokenizeShares,
  redeem: msgRedeemTokens,
  claimRecord: msgWithdrawRecordReward,
} satisfies Record<string, Rule>;
