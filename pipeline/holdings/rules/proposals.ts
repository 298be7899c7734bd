/**
 * Governance proposals that change parameters or plan an upgrade. They are read from blocks and exports, because their
 * messages emit no event.
 */
import { BinaryReader } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import type { Plan } from 'cosmjs-types/cosmos/upgrade/v1beta1/upgrade';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import { MsgIBCSoftwareUpgrade } from 'cosmjs-types/ibc/core/client/v1/tx';
import { parseMessageAmount } from '../../base/values/amount.js';
import { decodeWhole } from '../../chain/protobuf.js';
import { Mismatch } from '../holdings-error.js';
import type { HoldingsState, ProposedChanges, StakingParameters, UpgradePlan } from '../state.js';
import type { JsonItem } from '../values/json-item.js';
import { attribute, attributeOrNone, type EventRule } from './event-walk.js';

const PROVIDER_UPDATE = '/interchain_security.ccv.provider.v1.MsgUpdateParams';

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

const planned = ({ plan: { name, height } }: { plan: Plan }): ProposedChanges => ({
  upgradePlan: { name, height: Number(height) },
});

/** Parses a decimal in a bytes field, which contains it as text multiplied by 10^18. */
function parseBytes(bytes: Uint8Array): bigint {
  const text = new TextDecoder().decode(bytes);
  const decimal = parseMessageAmount(text);
  if (decimal === undefined) throw new RangeError(`${JSON.stringify(text)} is not a fraction`);
  return decimal;
}

const [PARAMS_FIELD, LIMIT_FIELD] = [2, 12];

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

function readFields(reader: BinaryReader, end: number, field: number, read: (reader: BinaryReader) => void): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === field) read(reader);
    else reader.skipType(tag & 7);
  }
}

/**
 * Returns the changes of a message. Stores a decoding error instead of throwing it, because it matters only if the
 * proposal passes.
 */
function changesBy(typeUrl: string, read: () => ProposedChanges | undefined): ProposedChanges | undefined {
  try {
    return read();
  } catch (error) {
    return { unreadable: `${typeUrl}: ${(error as Error).message}` };
  }
}

/** Merges the changes of a proposal's messages. A later message overrides an earlier one, as on the chain. */
const mergedChanges = (messages: readonly Any[]): ProposedChanges =>
  Object.assign({}, ...messages.map(({ typeUrl, value }) => changesBy(typeUrl, () => CHANGES[typeUrl]?.(value))));

/**
 * Applies a passed proposal. A new upgrade plan replaces the current one (x/upgrade ScheduleUpgrade).
 * @throws Mismatch if a message of the proposal is unreadable
 */
function applyProposal(state: HoldingsState, id: string): void {
  const { upgradePlan, unreadable, ...parameters } = state.proposals.get(id) ?? {};
  if (unreadable !== undefined)
    throw new Mismatch({ what: `message of proposal ${id}`, expected: 'a readable message', found: unreadable });
  Object.assign(state.parameters, parameters);
  if (upgradePlan !== undefined) state.upgradePlan = upgradePlan;
  state.proposals.delete(id);
}

const onSubmitProposal: EventRule = (event, { context, messages }) => {
  const id = attributeOrNone(event, 'proposal_id');
  if (id === undefined) return;
  const message = messages?.proposal(event, attributeOrNone(event, 'proposal_messages'));
  if (!message) return;
  const changes = mergedChanges(message.messages);
  if (Object.keys(changes).length > 0) context.state.proposals.set(id, changes);
};

/** Result of a failed expedited proposal, which stays open as a regular proposal. */
const OPEN_AGAIN = 'expedited_proposal_rejected';

const onActiveProposal: EventRule = (event, { context }) => {
  const [id, result] = [attribute(event, 'proposal_id'), attribute(event, 'proposal_result')];
  if (result === 'proposal_passed') {
    applyProposal(context.state, id);
    context.moved = true;
  } else if (result !== OPEN_AGAIN) context.state.proposals.delete(id);
};

const onProposalDropped: EventRule = (event, { context }) => {
  context.state.proposals.delete(attribute(event, 'proposal_id'));
};

export const proposalRules: Readonly<Record<string, EventRule>> = {
  submit_proposal: onSubmitProposal,
  active_proposal: onActiveProposal,
  inactive_proposal: onProposalDropped,
  cancel_proposal: onProposalDropped,
};

const EXPORTED_CHANGES: Readonly<Record<string, (message: JsonItem) => ProposedChanges>> = {
  [StakingUpdate.typeUrl]: (message) => exportedParameters.staking(message.member('params')),
  [SlashingUpdate.typeUrl]: (message) => exportedParameters.slashing(message.member('params')),
  [PROVIDER_UPDATE]: (message) => exportedParameters.provider(message.member('params')),
  [MsgSoftwareUpgrade.typeUrl]: (message) => ({ upgradePlan: readPlan(message.member('plan')) }),
  [MsgIBCSoftwareUpgrade.typeUrl]: (message) => ({ upgradePlan: readPlan(message.member('plan')) }),
  [MsgCancelUpgrade.typeUrl]: () => ({ upgradePlan: null }),
  [MsgExec.typeUrl]: (message) => exportedChanges(message.member('msgs').list()),
};

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

export const exportedParameters = {
  staking: (params: JsonItem): Pick<StakingParameters, 'unbondingTime' | 'maxValidators'> => ({
    unbondingTime: params.member('unbonding_time').duration(),
    maxValidators: params.member('max_validators').count(),
  }),
  slashing: (params: JsonItem): Pick<StakingParameters, 'slashFractionDowntime' | 'slashFractionDoubleSign'> => ({
    slashFractionDowntime: params.member('slash_fraction_downtime').decimal(),
    slashFractionDoubleSign: params.member('slash_fraction_double_sign').decimal(),
  }),
  provider: (params: JsonItem): Pick<StakingParameters, 'maxProviderConsensusValidators'> => ({
    maxProviderConsensusValidators: params.member('max_provider_consensus_validators').countOr(0),
  }),
};
