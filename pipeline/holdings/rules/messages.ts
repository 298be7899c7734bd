/**
 * Reads what only a transaction's messages tell: amounts asked for, and changes that no event announces. A message and its events
 * find each other by path: the message's place, then its places inside MsgExec.
 */

import type { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import type { MsgUnjail } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import type { MsgCreateValidator, MsgEditValidator, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { ChainEventRecord, Message } from '../../chain/block.js';
import { validatorOf } from '../modules/validator.js';
import type { BlockContext, HoldingsState } from '../state.js';
import { packetUndelegations } from './interchain-account.js';

type Path = readonly number[];

/** Path of the message that an event belongs to; the innermost authz_msg_index is listed first. Empty outside messages. */
function eventPath({ attributes }: ChainEventRecord): Path {
  const path: number[] = [];
  let outer: number | undefined;
  for (const { key, value } of attributes) {
    if (key === 'authz_msg_index') path.unshift(Number(value));
    else if (key === 'msg_index') outer = Number(value);
  }
  return outer === undefined ? [] : [outer, ...path];
}

/** Path of the message that an event belongs to; the order of paths is the order of messages. */
function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}

const SILENT = new Set(['/cosmos.staking.v1beta1.MsgEditValidator', '/cosmos.slashing.v1beta1.MsgUnjail']);

/** Lists the messages, also inside others, that no event announces, in their order. */
function silentMessages(messages: readonly Message[], outer: Path): { path: Path; message: Message }[] {
  const silent: { path: Path; message: Message }[] = [];
  for (const [i, message] of messages.entries()) {
    if (SILENT.has(message.typeUrl)) silent.push({ path: [...outer, i], message });
    if (message.inner.length > 0) silent.push(...silentMessages(message.inner, [...outer, i]));
  }
  return silent;
}

/** The messages of one successful transaction. Nothing is computed before it is asked for. */
export class TransactionMessages {
  private readonly silent: { path: Path; message: Message }[];
  /** Undelegations of packets that no event has taken yet, by the packet message's place. */
  private readonly packets = new Map<Message, MsgUndelegate[]>();

  constructor(private readonly messages: readonly Message[]) {
    this.silent = silentMessages(messages, []);
  }

  private at(path: Path): Message | undefined {
    let message = this.messages[path[0] ?? -1];
    for (const index of path.slice(1)) message = message?.inner[index];
    return message;
  }

  /** The decoded message of an event, if it is of that type. */
  of<Value>(event: ChainEventRecord, typeUrl: string): Value | undefined {
    const message = this.at(eventPath(event));
    return message?.typeUrl === typeUrl ? (message.value as Value) : undefined;
  }

  /** Base units that an unbond event's message asked for; undefined where a contract asked. */
  askedAmount(event: ChainEventRecord, delegator: string, validator: string): bigint | undefined {
    const undelegate = this.of<MsgUndelegate>(event, '/cosmos.staking.v1beta1.MsgUndelegate');
    if (undelegate) return BigInt(undelegate.amount.amount);
    const message = this.at(eventPath(event));
    if (message?.typeUrl !== '/ibc.core.channel.v1.MsgRecvPacket') return undefined;
    const asked = this.packets.get(message) ?? packetUndelegations(message.value as MsgRecvPacket);
    this.packets.set(message, asked);
    const index = asked.findIndex(
      (one) => one.delegatorAddress.toLowerCase() === delegator && one.validatorAddress.toLowerCase() === validator,
    );
    return index < 0 ? undefined : BigInt(asked.splice(index, 1)[0]!.amount.amount);
  }

  creation(event: ChainEventRecord): MsgCreateValidator | undefined {
    return this.of(event, '/cosmos.staking.v1beta1.MsgCreateValidator');
  }

  commissionWithdrawal(event: ChainEventRecord): MsgWithdrawValidatorCommission | undefined {
    return this.of(event, '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission');
  }

  /** Applies the silent messages before an event's own; all that are left when no event is given. */
  applySilent(context: BlockContext, event?: ChainEventRecord): void {
    if (this.silent.length === 0) return;
    const path = event && eventPath(event);
    while (this.silent[0] && (path === undefined || comparePaths(this.silent[0].path, path) < 0)) {
      applySilentMessage(context.state, this.silent.shift()!.message);
      context.moved = true;
    }
  }
}

function applySilentMessage(state: HoldingsState, { typeUrl, value }: Message): void {
  if (typeUrl === '/cosmos.slashing.v1beta1.MsgUnjail') {
    validatorOf(state, (value as MsgUnjail).validatorAddr).jailed = false;
    return;
  }
  const { validatorAddress, minSelfDelegation } = value as MsgEditValidator;
  if (!minSelfDelegation) return;
  validatorOf(state, validatorAddress).minSelfDelegation = BigInt(minSelfDelegation);
}
