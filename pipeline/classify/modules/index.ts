/** The registry of classifiers. A new one is added here, and nowhere else. */

import type { EventClassifier, MessageClassifier, PhaseClassifier } from '../classifier.js';
import * as bank from './bank.js';
import { chainActs } from './chain-acts.js';
import * as distribution from './distribution.js';
import * as fees from './fees.js';
import * as gov from './gov.js';
import * as ibcTransfer from './ibc-transfer.js';
import * as interchainAccounts from './interchain-accounts.js';
import * as liquid from './liquid.js';
import { MOVES_NOTHING } from './moves-nothing.js';
import * as staking from './staking.js';
import * as tokenfactory from './tokenfactory.js';
import { vestingMessages } from './vesting.js';
import * as wasm from './wasm.js';

/** Classifiers of events. Where several take one event, the first in this list runs first. */
export const eventClassifiers: readonly EventClassifier[] = [
  distribution.withdrawRewards,
  distribution.withdrawCommission,
  distribution.leftoverCommissionAtUnbond,
  distribution.leftoverCommissionAtRedelegate,
  ...distribution.leftoverCommissionAtSlash,
  distribution.rewardsDeposit,
  staking.delegate,
  staking.createValidator,
  staking.unbond,
  staking.redelegate,
  staking.cancelUnbondingDelegation,
  staking.completeUnbonding,
  gov.proposalDeposit,
  gov.refundOfActiveProposal,
  gov.refundOfInactiveProposal,
  gov.refundOfCancelledProposal,
  gov.communityPoolSpend,
  liquid.tokenizeShares,
  liquid.redeemShares,
  liquid.shareReward,
  ibcTransfer.transferSent,
  ibcTransfer.packetHandled,
  ibcTransfer.transferTimedOut,
  tokenfactory.createDenom,
  tokenfactory.mint,
  tokenfactory.burn,
];

export const messageClassifiers: readonly MessageClassifier[] = [
  bank.msgSend,
  bank.msgMultiSend,
  ...staking.stakingMessages,
  ...distribution.payoutMessages,
  distribution.msgFundCommunityPool,
  ...gov.govMessages,
  ...liquid.liquidMessages,
  ...ibcTransfer.ibcMessages,
  ...interchainAccounts.interchainAccountMessages,
  ...tokenfactory.tokenfactoryMessages,
  ...vestingMessages,
  ...wasm.wasmMessages,
];

export const phaseClassifiers: readonly PhaseClassifier[] = [
  fees.transactionFee,
  fees.proposerTip,
  distribution.leftoverCommissionAtBlockEnd,
  wasm.contractPayments,
  interchainAccounts.interchainAccountPayments,
  chainActs,
];

const byEventType = groupByType(eventClassifiers);
const byTypeUrl = new Map(messageClassifiers.map((classifier) => [classifier.typeUrl, classifier]));

export const classifiersOfEvent = (type: string): readonly EventClassifier[] => byEventType.get(type) ?? [];
export const classifierOfMessage = (typeUrl: string): MessageClassifier | undefined => byTypeUrl.get(typeUrl);

/** Every message type about which something is stated, sorted. */
export const knownTypes: readonly string[] = [...byTypeUrl.keys(), ...Object.keys(MOVES_NOTHING)].sort();

/** Tells whether anything is stated about a message type: by a classifier, or that it moves nothing. */
export const isKnownType = (typeUrl: string): boolean =>
  byTypeUrl.has(typeUrl) || Object.hasOwn(MOVES_NOTHING, typeUrl);

function groupByType(classifiers: readonly EventClassifier[]): Map<string, EventClassifier[]> {
  const groups = new Map<string, EventClassifier[]>();
  for (const classifier of classifiers) {
    groups.set(classifier.eventType, [...(groups.get(classifier.eventType) ?? []), classifier]);
  }
  return groups;
}
