import type { EventClassifier, MessageClassifier, ModuleClassifiers, PhaseClassifier } from '../classifier.js';
import { bank } from './bank.js';
import { distribution } from './distribution.js';
import { gov } from './gov.js';
import { ibc } from './ibc.js';
import { staking } from './staking.js';
import { wasm } from './wasm.js';

/**
 * Classifiers in the order in which they run. distribution runs before staking, because staking actions also pay
 * rewards and commission. wasm runs before ibc and bank, which classify the payments that wasm skips.
 */
const MODULES: readonly ModuleClassifiers[] = [distribution, staking, gov, wasm, ibc, bank];

export const eventClassifiers: readonly EventClassifier[] = MODULES.flatMap(({ events = [] }) => events);
export const messageClassifiers: readonly MessageClassifier[] = MODULES.flatMap(({ messages = [] }) => messages);
export const phaseClassifiers: readonly PhaseClassifier[] = MODULES.flatMap(({ phases = [] }) => phases);

export const classifiersOfEvent: ReadonlyMap<string, readonly EventClassifier[]> = groupByType(eventClassifiers);
export const classifierOfMessage: ReadonlyMap<string, MessageClassifier> = new Map(
  messageClassifiers.map((classifier) => [classifier.typeUrl, classifier]),
);

function groupByType(classifiers: readonly EventClassifier[]): Map<string, EventClassifier[]> {
  const groups = new Map<string, EventClassifier[]>();
  for (const classifier of classifiers) {
    groups.set(classifier.eventType, [...(groups.get(classifier.eventType) ?? []), classifier]);
  }
  return groups;
}

/**
 * Message types that move no coins, each with the reason. If such a message did move coins, its payments would become
 * `unclassified` rows.
 */
export const MOVES_NOTHING: Readonly<Record<string, string>> = {
  '/cosmos.auth.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.authz.v1beta1.MsgExec': 'its inner messages are looked at one by one',
  '/cosmos.authz.v1beta1.MsgGrant': 'a permission',
  '/cosmos.authz.v1beta1.MsgRevoke': 'a permission',
  '/cosmos.bank.v1beta1.MsgSetSendEnabled': 'a parameter',
  '/cosmos.bank.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.consensus.v1.MsgUpdateParams': 'a parameter',
  '/cosmos.crisis.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.crisis.v1beta1.MsgVerifyInvariant': 'a check of the chain',
  '/cosmos.distribution.v1beta1.MsgSetWithdrawAddress': 'says where later rewards go',
  '/cosmos.distribution.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.evidence.v1beta1.MsgSubmitEvidence': 'says that a validator misbehaved',
  '/cosmos.feegrant.v1beta1.MsgGrantAllowance': 'a permission; the granter pays with the fee itself',
  '/cosmos.feegrant.v1beta1.MsgPruneAllowances': 'removes permissions that have ended',
  '/cosmos.feegrant.v1beta1.MsgRevokeAllowance': 'a permission',
  '/cosmos.gov.v1.MsgExecLegacyContent': 'run by the chain inside a proposal',
  '/cosmos.gov.v1.MsgUpdateParams': 'a parameter',
  '/cosmos.gov.v1.MsgVote': 'a vote costs its fee alone',
  '/cosmos.gov.v1.MsgVoteWeighted': 'a vote costs its fee alone',
  '/cosmos.gov.v1beta1.MsgVote': 'a vote costs its fee alone',
  '/cosmos.gov.v1beta1.MsgVoteWeighted': 'a vote costs its fee alone',
  '/cosmos.mint.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.slashing.v1beta1.MsgUnjail': "changes a validator's state",
  '/cosmos.slashing.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.staking.v1beta1.MsgEditValidator': "changes a validator's description",
  '/cosmos.staking.v1beta1.MsgUpdateParams': 'a parameter',
  '/cosmos.upgrade.v1beta1.MsgCancelUpgrade': 'a plan for the program',
  '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade': 'a plan for the program',
  '/cosmwasm.wasm.v1.MsgAddCodeUploadParamsAddresses': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgClearAdmin': 'who may change a contract, or its name',
  '/cosmwasm.wasm.v1.MsgPinCodes': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgRemoveCodeUploadParamsAddresses': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgStoreCode': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgUnpinCodes': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgUpdateAdmin': 'who may change a contract, or its name',
  '/cosmwasm.wasm.v1.MsgUpdateContractLabel': 'who may change a contract, or its name',
  '/cosmwasm.wasm.v1.MsgUpdateInstantiateConfig': 'code of contracts',
  '/cosmwasm.wasm.v1.MsgUpdateParams': 'a parameter',
  '/feemarket.feemarket.v1.MsgParams': 'a parameter',
  '/gaia.liquid.v1beta1.MsgDisableTokenizeShares': 'a permission',
  '/gaia.liquid.v1beta1.MsgEnableTokenizeShares': 'a permission',
  '/gaia.liquid.v1beta1.MsgTransferTokenizeShareRecord': 'who later rewards of a share record go to',
  '/gaia.liquid.v1beta1.MsgUpdateParams': 'a parameter',
  '/ibc.applications.gmp.v1.MsgSendCall': 'a call on another chain, which moves no coins here',
  '/ibc.applications.interchain_accounts.controller.v1.MsgUpdateParams': 'a parameter',
  '/ibc.applications.interchain_accounts.host.v1.MsgModuleQuerySafe': 'a query',
  '/ibc.applications.interchain_accounts.host.v1.MsgUpdateParams': 'a parameter',
  '/ibc.applications.rate_limiting.v1.MsgAddRateLimit': 'a limit for transfers between chains',
  '/ibc.applications.rate_limiting.v1.MsgRemoveRateLimit': 'a limit for transfers between chains',
  '/ibc.applications.rate_limiting.v1.MsgResetRateLimit': 'a limit for transfers between chains',
  '/ibc.applications.rate_limiting.v1.MsgUpdateRateLimit': 'a limit for transfers between chains',
  '/ibc.applications.transfer.v1.MsgUpdateParams': 'a parameter',
  '/ibc.core.channel.v1.MsgChannelCloseConfirm': 'a channel between chains',
  '/ibc.core.channel.v1.MsgChannelCloseInit': 'a channel between chains',
  '/ibc.core.channel.v1.MsgChannelOpenAck': 'a channel between chains',
  '/ibc.core.channel.v1.MsgChannelOpenConfirm': 'a channel between chains',
  '/ibc.core.channel.v1.MsgChannelOpenInit': 'a channel between chains',
  '/ibc.core.channel.v1.MsgChannelOpenTry': 'a channel between chains',
  '/ibc.core.channel.v1.MsgUpdateParams': 'a parameter',
  '/ibc.core.client.v1.MsgCreateClient': 'a light client of another chain',
  '/ibc.core.client.v1.MsgDeleteClientCreator': 'a light client of another chain',
  '/ibc.core.client.v1.MsgIBCSoftwareUpgrade': 'a plan for the program',
  '/ibc.core.client.v1.MsgRecoverClient': 'a light client of another chain',
  '/ibc.core.client.v1.MsgSubmitMisbehaviour': 'a light client of another chain',
  '/ibc.core.client.v1.MsgUpdateClient': 'a light client of another chain',
  '/ibc.core.client.v1.MsgUpdateParams': 'a parameter',
  '/ibc.core.client.v1.MsgUpgradeClient': 'a light client of another chain',
  '/ibc.core.client.v2.MsgRegisterCounterparty': 'a light client of another chain',
  '/ibc.core.client.v2.MsgUpdateClientConfig': 'a light client of another chain',
  '/ibc.core.connection.v1.MsgConnectionOpenAck': 'a connection between chains',
  '/ibc.core.connection.v1.MsgConnectionOpenConfirm': 'a connection between chains',
  '/ibc.core.connection.v1.MsgConnectionOpenInit': 'a connection between chains',
  '/ibc.core.connection.v1.MsgConnectionOpenTry': 'a connection between chains',
  '/ibc.core.connection.v1.MsgUpdateParams': 'a parameter',
  '/ibc.lightclients.wasm.v1.MsgMigrateContract': 'code of light clients',
  '/ibc.lightclients.wasm.v1.MsgRemoveChecksum': 'code of light clients',
  '/ibc.lightclients.wasm.v1.MsgStoreCode': 'code of light clients',
  '/interchain_security.ccv.provider.v1.MsgAssignConsumerKey': "a validator's settings on a consumer chain",
  '/interchain_security.ccv.provider.v1.MsgChangeRewardDenoms': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgConsumerAddition': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgConsumerModification': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgConsumerRemoval': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgCreateConsumer': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgOptIn': "a validator's settings on a consumer chain",
  '/interchain_security.ccv.provider.v1.MsgOptOut': "a validator's settings on a consumer chain",
  '/interchain_security.ccv.provider.v1.MsgRemoveConsumer': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgSetConsumerCommissionRate': "a validator's settings on a consumer chain",
  '/interchain_security.ccv.provider.v1.MsgSubmitConsumerDoubleVoting': 'says that a validator misbehaved',
  '/interchain_security.ccv.provider.v1.MsgSubmitConsumerMisbehaviour': 'says that a validator misbehaved',
  '/interchain_security.ccv.provider.v1.MsgUpdateConsumer': 'settings of a consumer chain',
  '/interchain_security.ccv.provider.v1.MsgUpdateParams': 'a parameter',
  '/osmosis.tokenfactory.v1beta1.MsgChangeAdmin': 'who may mint a denom',
  '/osmosis.tokenfactory.v1beta1.MsgSetDenomMetadata': 'names of a denom',
  '/osmosis.tokenfactory.v1beta1.MsgUpdateParams': 'a parameter',
  '/ratelimit.v1.MsgAddRateLimit': 'a limit for transfers between chains',
  '/ratelimit.v1.MsgRemoveRateLimit': 'a limit for transfers between chains',
  '/ratelimit.v1.MsgResetRateLimit': 'a limit for transfers between chains',
  '/ratelimit.v1.MsgUpdateRateLimit': 'a limit for transfers between chains',
};

export const knownTypes: ReadonlySet<string> = new Set(
  [...classifierOfMessage.keys(), ...Object.keys(MOVES_NOTHING)].sort(),
);
