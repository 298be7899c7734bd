/**
 * Kinds of rows, as programs that read a wallet's history tell them apart: what a category is when no tag says more. Treatment decides
 * figures here; over there the program does, by the word that its profile has for the kind.
 */

/** The tags of data/reference/tags.json, and beside them the kinds that rows have by themselves. */
export type Kind =
  | 'income'
  | 'reward'
  | 'airdrop'
  | 'payment'
  | 'purchase'
  | 'sale'
  | 'own_transfer'
  | 'gift'
  | 'donation'
  | 'lost'
  | 'expense'
  | 'loan'
  | 'loan_repayment'
  | 'ignore'
  /** A payment to or from somebody, who may be the owner of the wallet elsewhere. */
  | 'transfer'
  /** A payment between two places of one owner, as the chain itself shows. */
  | 'own_key'
  | 'fee'
  | 'trade'
  /** One coin for another of one's own, without a gain: shares of one's stake. */
  | 'exchange';

/**
 * The kind of each category (data/reference/categories.json). `inside` moves coins within what the wallet holds, staked and deposited
 * ones among them: such a row is no transaction for a program that counts holdings from rows.
 */
export const KINDS: Readonly<Record<string, Kind | 'inside'>> = {
  staking_reward: 'reward',
  validator_commission: 'reward',
  liquid_stake_reward: 'reward',
  reward_redirected: 'own_key',
  redirected_reward_in: 'own_key',
  delegate: 'inside',
  undelegate: 'inside',
  unbonding_complete: 'inside',
  redelegate: 'inside',
  cancel_unbonding: 'inside',
  tokenize_shares: 'exchange',
  redeem_shares: 'exchange',
  share_transfer_in: 'transfer',
  share_transfer_out: 'transfer',
  slash: 'lost',
  community_pool_income: 'income',
  airdrop: 'airdrop',
  contract_income: 'income',
  transfer_in: 'transfer',
  transfer_out: 'transfer',
  self_transfer: 'inside',
  gov_deposit: 'transfer',
  gov_refund: 'transfer',
  gov_deposit_burned: 'lost',
  community_pool_deposit: 'expense',
  vesting_receipt: 'transfer',
  contract_deposit: 'transfer',
  contract_withdrawal: 'transfer',
  token_mint: 'transfer',
  token_burn: 'lost',
  ibc_in: 'transfer',
  ibc_refund: 'transfer',
  ibc_out: 'transfer',
  swap: 'trade',
  liquidity_add: 'transfer',
  liquidity_remove: 'transfer',
  fee: 'fee',
  fee_failed: 'fee',
  unclassified: 'transfer',
};
