/** The interchain-security provider (x/ccv/provider): signing validators, and faults on consumer chains. */
import { BinaryWriter } from 'cosmjs-types/binary';
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import { consensus, message } from '../small-chain.js';
import type { Chain, Rule, Validator } from './chain.js';
import { truncateInt, UNIT } from './decimal.js';
import { askedOfLeaving, canBeSlashed, type Slashed, slash } from './slashing.js';
import { byRank, powerOf } from './staking.js';

/** ProviderValidatorUpdates. @returns changed CometBFT powers by public key */
export function providerUpdates(chain: Chain): Map<string, number> {
  const bonded = [...chain.validators.values()].filter(({ status }) => status === 'BOND_STATUS_BONDED').sort(byRank);
  const next = new Map<string, number>();
  for (const { operator } of bonded.slice(0, chain.parameters.providerLimit)) {
    next.set(operator, chain.lastPowers.get(operator)!);
  }
  const current = chain.powers.at(-1)!;
  chain.powers.push(next);
  const updates = new Map<string, number>();
  for (const { operator, publicKey } of chain.validators.values()) {
    const [before, after] = [current.get(operator), next.get(operator)];
    if (before !== after) updates.set(publicKey, after ?? 0);
  }
  return updates;
}

/** A proposal of a message of the provider or of x/upgrade. */
function submit(chain: Chain, proposal: typeof chain.proposals extends Map<number, infer P> ? P : never, any: object) {
  const id = chain.nextProposal++;
  chain.proposals.set(id, proposal);
  chain.emit('submit_proposal', { proposal_id: String(id) });
  return message('/cosmos.gov.v1.MsgSubmitProposal', { messages: [any] });
}

const NAMES = ['v28.0.0', 'v27.6.0', 'v99.0.0'];

/** MsgSoftwareUpgrade in a proposal, or MsgCancelUpgrade. */
export const proposeUpgrade: Rule = (chain, { choice }) => {
  if (choice % 7 === 0) {
    return submit(chain, { plan: null }, { typeUrl: MsgCancelUpgrade.typeUrl, value: new Uint8Array() });
  }
  const plan = { name: NAMES[choice % 5] ?? NAMES[0]!, height: chain.height + 1 + (choice % 6) };
  const upgrade = MsgSoftwareUpgrade.fromPartial({ plan: { ...plan, height: BigInt(plan.height) } });
  return submit(
    chain,
    { plan },
    { typeUrl: MsgSoftwareUpgrade.typeUrl, value: MsgSoftwareUpgrade.encode(upgrade).finish() },
  );
};

/** MsgUpdateParams of the provider in a proposal. */
export const proposeProviderLimit: Rule = (chain, { choice }) => {
  const providerLimit = 1 + (choice % 4);
  const params = new BinaryWriter()
    .uint32((12 << 3) | 0)
    .int64(BigInt(providerLimit))
    .finish();
  const value = new BinaryWriter()
    .uint32((2 << 3) | 2)
    .bytes(params)
    .finish();
  const typeUrl = '/interchain_security.ccv.provider.v1.MsgUpdateParams';
  return submit(chain, { providerLimit }, { typeUrl, value });
};

const FRACTIONS = [0n, 0n, UNIT / 10_000n, UNIT / 100n, UNIT / 20n];
const isTold = (chain: Chain, validator: Validator) =>
  (chain.lastPowers.get(validator.operator) ?? 0) ===
  (validator.status === 'BOND_STATUS_BONDED' ? powerOf(validator) : 0);

/** Base units that a slash takes from the validator's tokens. */
function ownPart(
  chain: Chain,
  { operator, tokens }: Validator,
  power: number,
  height: number,
  fraction: bigint,
): bigint {
  const asked = askedOfLeaving(chain, operator, { height, power, fraction });
  const left = truncateInt(BigInt(power) * 1_000_000n * fraction) - asked.parts;
  if (left <= 0n) return 0n;
  return left < tokens ? left : tokens;
}

/**
 * HandleSlashPacket in a MsgRecvPacket. Skips faults that burned amounts cannot reveal: all tokens, no tokens while other
 * stake burns, or a power that has almost left.
 */
export const consumerDowntime: Rule = (chain, { validator, choice }) => {
  if (chain.parameters.providerLimit === 0 || !canBeSlashed(chain, validator) || validator.tombstoned) return undefined;
  const [power, height] = [powerOf(validator), Math.max(1, chain.height - 1 - (choice % 6))];
  const wished = FRACTIONS[choice % FRACTIONS.length]!;
  const own = ownPart(chain, validator, power, height, wished);
  const { initial } = askedOfLeaving(chain, validator.operator, { height, power, fraction: wished });
  const shows = own > 0n && own < validator.tokens && 2n * initial < BigInt(power) * 1_000_000n;
  const fraction = shows && height < chain.height ? wished : 0n;
  if (!validator.jailed) {
    const { losses } = slash(chain, validator, { height, power, fraction });
    note(chain, { operator: validator.operator, reason: 'consumer_missing_signature', losses });
    validator.jailed = true;
  }
  chain.emit('execute_consumer_chain_slash', {
    validator_address: consensus(validator.number),
    infraction_type: 'INFRACTION_DOWNTIME',
    infraction_height: String(height),
  });
  const data = { type: 'CONSUMER_PACKET_TYPE_SLASH', slashPacketData: { validator: { power: String(power) } } };
  return message('/ibc.core.channel.v1.MsgRecvPacket', {
    packet: { destinationPort: 'provider', data: new TextEncoder().encode(JSON.stringify(data)) },
  });
};

function note(chain: Chain, slashed: Slashed): void {
  if (slashed.losses.size > 0) chain.slashed.push(slashed);
}

/** HandleConsumerDoubleVoting. Only if the burned amount identifies the validator. */
export const consumerDoubleVoting: Rule = (chain, { validator }) => {
  if (chain.parameters.providerLimit === 0 || !canBeSlashed(chain, validator) || validator.tombstoned) return undefined;
  const fraction = chain.parameters.doubleSign;
  const others = [...chain.validators.values()].filter(({ status }) => status !== 'BOND_STATUS_UNBONDED');
  if (!others.every((one) => isTold(chain, one))) return undefined;
  const burns = new Map(others.map((one) => [one, ownPart(chain, one, totalPower(chain, one), 0, fraction)]));
  const burned = burns.get(validator)!;
  if (burned === 0n || [...burns.values()].filter((one) => one === burned).length > 1) return undefined;
  const { losses } = slash(chain, validator, { height: 0, power: totalPower(chain, validator), fraction });
  note(chain, { operator: validator.operator, reason: 'consumer_double_sign', losses });
  validator.jailed = true;
  validator.tombstoned = true;
  chain.emit('submit_consumer_double_voting', { consumer_id: '1' });
  return message('/interchain_security.ccv.provider.v1.MsgSubmitConsumerDoubleVoting', undefined);
};

/** ComputePowerToSlash. */
function totalPower(chain: Chain, { operator }: Validator): number {
  const { initial } = askedOfLeaving(chain, operator, { height: 0, power: 0, fraction: UNIT });
  return (chain.lastPowers.get(operator) ?? 0) + Number(initial / 1_000_000n);
}
