/**
 * The parameters that holdings depend on, and the proposals that change them or plan an upgrade: these messages have no event of
 * their own.
 */
import { BinaryReader } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import type { Plan } from 'cosmjs-types/cosmos/upgrade/v1beta1/upgrade';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import { MsgIBCSoftwareUpgrade } from 'cosmjs-types/ibc/core/client/v1/tx';
import { decodeWhole } from '../chain/protobuf.js';
import { parseMessageAmount } from '../ledger/amount.js';
import { Mismatch } from './holdings-error.js';
import type { HoldingsState, ProposedChanges, StakingParameters, UpgradePlan } from './state.js';
import type { JsonItem } from './values/json-item.js';

/** Type URL of the interchain-security provider's message, which cosmjs-types does not have. */
const PROVIDER_UPDATE = '/interchain_security.ccv.provider.v1.MsgUpdateParams';

/** Reads what one message of a proposal changes when it passes; it comes as protobuf bytes. */
const CHANGES: Readonly<Record<string, (value: Uint8Array) => ProposedChanges>> = {
  [StakingUpdate.typeUrl]: (value) => {
    const { unbondingTime, maxValidators } = decodeWhole(StakingUpdate, value).params;
    return { unbondingTime: unbondingTime.seconds * 1_000_000_000n + BigInt(unbondingTime.nanos), maxValidators };
  },
  [SlashingUpdate.typeUrl]: (value) => {
    const { slashFractionDowntime, slashFractionDoubleSign } = decodeWhole(SlashingUpdate, value).params;
    return {
      slashFractionDowntime: parseBytes(slashFractionDowntime),
      slashFractionDoubleSign: parseBytes(slashFractionDoubleSign),
    };
  },
  [PROVIDER_UPDATE]: (value) => ({ maxProviderConsensusValidators: readProviderLimit(value) }),
  [MsgSoftwareUpgrade.typeUrl]: (value) => planned(decodeWhole(MsgSoftwareUpgrade, value)),
  [MsgIBCSoftwareUpgrade.typeUrl]: (value) => planned(decodeWhole(MsgIBCSoftwareUpgrade, value)),
  [MsgCancelUpgrade.typeUrl]: () => ({ upgradePlan: null }),
  [MsgExec.typeUrl]: (value) => mergedChanges(MsgExec.decode(value).msgs),
};

/** The plan of an upgrade. One that changes what other chains know of this one goes through ibc-go's light clients to the same keeper. */
const planned = ({ plan: { name, height } }: { plan: Plan }): ProposedChanges => ({
  upgradePlan: { name, height: Number(height) },
});

/** A decimal in a protobuf bytes field is the text of its 10^18-fold. @throws RangeError when it is none, or below zero */
function parseBytes(bytes: Uint8Array): bigint {
  const text = new TextDecoder().decode(bytes);
  const decimal = parseMessageAmount(text);
  if (decimal === undefined) throw new RangeError(`${JSON.stringify(text)} is no fraction`);
  return decimal;
}

/** Field numbers in interchain_security/ccv/provider/v1/tx.proto MsgUpdateParams, and in provider.proto Params. */
const [PARAMS_FIELD, LIMIT_FIELD] = [2, 12];

/** max_provider_consensus_validators of a provider's MsgUpdateParams; 0 where protobuf leaves it out. */
function readProviderLimit(bytes: Uint8Array): number {
  let limit = 0;
  readFields(new BinaryReader(bytes), bytes.length, PARAMS_FIELD, (reader) => {
    const end = reader.uint32() + reader.pos;
    readFields(reader, end, LIMIT_FIELD, () => {
      limit = Number(reader.int64());
    });
  });
  return limit;
}

/** Reads one field of a protobuf message, and passes over the others. */
function readFields(reader: BinaryReader, end: number, field: number, read: (reader: BinaryReader) => void): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === field) read(reader);
    else reader.skipType(tag & 7);
  }
}

/** Reads the changes of one message; what cannot be read is the chain's to refuse, once it runs the message. */
function changesBy(typeUrl: string, read: () => ProposedChanges | undefined): ProposedChanges | undefined {
  try {
    return read();
  } catch (error) {
    return { unreadable: `${typeUrl}: ${(error as Error).message}` };
  }
}

/** Later messages win, as when they run. */
const mergedChanges = (messages: readonly Any[]): ProposedChanges =>
  Object.assign({}, ...messages.map(({ typeUrl, value }) => changesBy(typeUrl, () => CHANGES[typeUrl]?.(value))));

/** Keeps what a submitted proposal would change: anybody submits any, which the chain does not look into before it runs. */
export function keepProposal({ proposals }: HoldingsState, id: string, messages: readonly Any[]): void {
  const changes = mergedChanges(messages);
  if (Object.keys(changes).length > 0) proposals.set(id, changes);
}

/**
 * A proposal passed and its messages were executed. A plan replaces the one there is (x/upgrade ScheduleUpgrade).
 * @throws Mismatch when a change of it could not be read
 */
export function applyProposal(state: HoldingsState, id: string): void {
  const { upgradePlan, unreadable, ...parameters } = state.proposals.get(id) ?? {};
  if (unreadable !== undefined)
    throw new Mismatch({ what: `message of proposal ${id}`, expected: 'that it ran', found: unreadable });
  Object.assign(state.parameters, parameters);
  if (upgradePlan !== undefined) state.upgradePlan = upgradePlan;
  state.proposals.delete(id);
}

/** Forgets a proposal that changes nothing any more. */
export function dropProposal({ proposals }: HoldingsState, id: string): void {
  proposals.delete(id);
}

/** Reads what one message of a proposal in an export changes when it passes. */
const EXPORTED_CHANGES: Readonly<Record<string, (message: JsonItem) => ProposedChanges>> = {
  [StakingUpdate.typeUrl]: (message) => stakingParameters(message.member('params')),
  [SlashingUpdate.typeUrl]: (message) => slashingParameters(message.member('params')),
  [PROVIDER_UPDATE]: (message) => providerParameters(message.member('params')),
  [MsgSoftwareUpgrade.typeUrl]: (message) => ({ upgradePlan: readPlan(message.member('plan')) }),
  [MsgIBCSoftwareUpgrade.typeUrl]: (message) => ({ upgradePlan: readPlan(message.member('plan')) }),
  [MsgCancelUpgrade.typeUrl]: () => ({ upgradePlan: null }),
  [MsgExec.typeUrl]: (message) => exportedChanges(message.member('msgs').list()),
};

/** Reads what the messages of a proposal in an export change when it passes. */
export const exportedChanges = (messages: readonly JsonItem[]): ProposedChanges =>
  Object.assign({}, ...messages.map(exportedChange));

function exportedChange(message: JsonItem): ProposedChanges | undefined {
  const typeUrl = message.member('@type').text();
  return changesBy(typeUrl, () => EXPORTED_CHANGES[typeUrl]?.(message));
}

const readPlan = (plan: JsonItem): UpgradePlan => ({
  name: plan.member('name').text(),
  height: plan.member('height').count(),
});

/** Reads x/staking's parameters from JSON. */
export function stakingParameters(params: JsonItem): Pick<StakingParameters, 'unbondingTime' | 'maxValidators'> {
  return {
    unbondingTime: params.member('unbonding_time').duration(),
    maxValidators: params.member('max_validators').count(),
  };
}

/** Reads x/slashing's parameters from JSON. */
export function slashingParameters(
  params: JsonItem,
): Pick<StakingParameters, 'slashFractionDowntime' | 'slashFractionDoubleSign'> {
  return {
    slashFractionDowntime: params.member('slash_fraction_downtime').decimal(),
    slashFractionDoubleSign: params.member('slash_fraction_double_sign').decimal(),
  };
}

/** Reads the parameters of the interchain-security provider from JSON; one of an earlier program version has no limit. */
export function providerParameters(params: JsonItem): Pick<StakingParameters, 'maxProviderConsensusValidators'> {
  return { maxProviderConsensusValidators: params.member('max_provider_consensus_validators').countOr(0) };
}
