/** The parameters that holdings depend on, and the proposals that change them: MsgUpdateParams has no event of its own. */
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import type { HoldingsState, StakingParameters } from './state.js';
import type { JsonItem } from './values/json-item.js';

/** Reads what the messages of a proposal change when it passes. */
function proposedChanges(messages: readonly Any[]): Partial<StakingParameters> {
  const changes: Partial<StakingParameters> = {};
  for (const { typeUrl, value } of messages) {
    if (typeUrl === StakingUpdate.typeUrl) {
      const { unbondingTime, maxValidators } = StakingUpdate.decode(value).params;
      changes.unbondingTime = unbondingTime.seconds * 1_000_000_000n + BigInt(unbondingTime.nanos);
      changes.maxValidators = maxValidators;
    } else if (typeUrl === SlashingUpdate.typeUrl) {
      const { slashFractionDowntime, slashFractionDoubleSign } = SlashingUpdate.decode(value).params;
      changes.slashFractionDowntime = parseBytes(slashFractionDowntime);
      changes.slashFractionDoubleSign = parseBytes(slashFractionDoubleSign);
    }
  }
  return changes;
}

/** A decimal in a protobuf bytes field is the text of its 10^18-fold. */
const parseBytes = (bytes: Uint8Array) => BigInt(new TextDecoder().decode(bytes));

/** Keeps what a submitted proposal would change. */
export function keepProposal({ proposals }: HoldingsState, id: string, messages: readonly Any[]): void {
  const changes = proposedChanges(messages);
  if (Object.keys(changes).length > 0) proposals.set(id, changes);
}

/** A proposal passed and its messages were executed. */
export function applyProposal({ proposals, parameters }: HoldingsState, id: string): void {
  Object.assign(parameters, proposals.get(id));
  proposals.delete(id);
}

/** Reads what the messages of a proposal in an export change when it passes. */
export function exportedChanges(messages: readonly JsonItem[]): Partial<StakingParameters> {
  const changes: Partial<StakingParameters> = {};
  for (const message of messages) {
    const typeUrl = message.member('@type').text();
    if (typeUrl === StakingUpdate.typeUrl) Object.assign(changes, stakingParameters(message.member('params')));
    if (typeUrl === SlashingUpdate.typeUrl) Object.assign(changes, slashingParameters(message.member('params')));
  }
  return changes;
}

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
