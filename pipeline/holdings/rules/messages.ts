/**
 * Reads data from messages that events lack: requested amounts, and changes by silent messages (messages without an
 * event). An event belongs to the message with the same path. A path is the message's index, followed by its indexes
 * inside MsgExec. Example: [2, 0] is the first message inside the third.
 */

import type { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/gov/v1/tx';
import type { MsgUnjail } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { type MsgCreateValidator, type MsgEditValidator, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { parseCoins, parseMessageAmount } from '../../base/values/amount.js';
import type { ChainEventRecord, Message } from '../../chain/block.js';
import { type MessageType, packetMessages } from '../../chain/protobuf.js';
import { Mismatch } from '../holdings-error.js';
import { setCommissionRate, validatorOf } from '../modules/validator.js';
import type { BlockContext, HoldingsState } from '../state.js';

type Path = readonly number[];

/**
 * Returns the path of an event's message; empty if no message caused it. Events list the innermost authz_msg_index
 * first.
 */
function eventPath({ attributes }: ChainEventRecord): Path {
  const path: number[] = [];
  let outer: number | undefined;
  for (const { key, value } of attributes) {
    if (key === 'authz_msg_index') path.unshift(Number(value));
    else if (key === 'msg_index') outer = Number(value);
  }
  return outer === undefined ? [] : [outer, ...path];
}

function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';
const RECEIVE_PACKET = '/ibc.core.channel.v1.MsgRecvPacket';

export const areOfOneMessage = (one: ChainEventRecord, other: ChainEventRecord): boolean =>
  comparePaths(eventPath(one), eventPath(other)) === 0;

const EDIT_VALIDATOR = '/cosmos.staking.v1beta1.MsgEditValidator';
const SILENT = new Set([EDIT_VALIDATOR, '/cosmos.slashing.v1beta1.MsgUnjail']);

function silentMessages(messages: readonly Message[], outer: Path): { path: Path; message: Message }[] {
  const silent: { path: Path; message: Message }[] = [];
  for (const [i, message] of messages.entries()) {
    if (SILENT.has(message.typeUrl)) silent.push({ path: [...outer, i], message });
    if (message.inner.length > 0) silent.push(...silentMessages(message.inner, [...outer, i]));
  }
  return silent;
}

/** Messages in a transaction's IBC packets that have not been assigned to an event yet. */
class Carried<Value> {
  private readonly left = new Map<Message, Value[]>();

  constructor(private readonly type: MessageType<Value>) {}

  take(packet: Message | undefined, fits: (one: Value) => boolean): Value | undefined {
    if (packet?.typeUrl !== RECEIVE_PACKET || packet.value === undefined) return undefined;
    const left = this.left.get(packet) ?? packetMessages(packet.value as MsgRecvPacket, this.type);
    this.left.set(packet, left);
    const index = left.findIndex(fits);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  }
}

export class TransactionMessages {
  private readonly silent: { path: Path; message: Message }[];
  private readonly undelegations = new Carried(MsgUndelegate);
  private readonly proposals = new Carried(MsgSubmitProposal);

  constructor(private readonly messages: readonly Message[]) {
    this.silent = silentMessages(messages, []);
  }

  /**
   * Returns the message at a path. For a message that a contract or packet executed, returns the message that called
   * the contract or carried the packet.
   */
  private at(path: Path): Message | undefined {
    let message = this.messages[path[0] ?? -1];
    for (const index of path.slice(1)) message = message?.inner[index] ?? message;
    return message;
  }

  of<Value>(event: ChainEventRecord, typeUrl: string): Value | undefined {
    this.expectReadable(event, [typeUrl]);
    const message = this.at(eventPath(event));
    return message?.typeUrl === typeUrl ? (message.value as Value) : undefined;
  }

  private expectReadable(event: ChainEventRecord, typeUrls: readonly string[]): void {
    const path = eventPath(event);
    for (let length = 1; length < path.length; length++) expectDecoded(this.at(path.slice(0, length)));
    const message = this.at(path);
    if (message && typeUrls.includes(message.typeUrl)) expectDecoded(message);
  }

  expectRequested(event: ChainEventRecord): void {
    this.expectReadable(event, [UNDELEGATE, RECEIVE_PACKET]);
  }

  /**
   * Returns the requested base units. Undefined for contracts and unreadable amounts. An amount in a packet must fit
   * the payment, because the chain may parse a packet differently.
   */
  requestedAmount(event: ChainEventRecord, delegator: string, validator: string): bigint | undefined {
    const message = this.at(eventPath(event));
    if (message?.value === undefined) return undefined;
    if (message.typeUrl === UNDELEGATE) return amountOf(message.value as MsgUndelegate);
    const paid = paidBy(event);
    const requested = this.undelegations.take(
      message,
      (one) =>
        one.delegatorAddress.toLowerCase() === delegator &&
        one.validatorAddress.toLowerCase() === validator &&
        canPay(amountOf(one), paid),
    );
    return requested && amountOf(requested);
  }

  proposal(event: ChainEventRecord, types: string | undefined): MsgSubmitProposal | undefined {
    const sent = this.of<MsgSubmitProposal>(event, MsgSubmitProposal.typeUrl);
    if (sent) return sent;
    return this.proposals.take(
      this.at(eventPath(event)),
      ({ messages }) => messages.map(({ typeUrl }) => `,${typeUrl}`).join('') === types,
    );
  }

  creation(event: ChainEventRecord): MsgCreateValidator | undefined {
    return this.of(event, '/cosmos.staking.v1beta1.MsgCreateValidator');
  }

  hasEdit(event: ChainEventRecord): boolean {
    return this.of(event, EDIT_VALIDATOR) !== undefined;
  }

  packet(event: ChainEventRecord): MsgRecvPacket | undefined {
    return this.of(event, RECEIVE_PACKET);
  }

  commissionWithdrawal(event: ChainEventRecord): MsgWithdrawValidatorCommission | undefined {
    return this.of(event, '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission');
  }

  /** Applies the silent messages that come before this event's message. Without `event`, applies all remaining ones. */
  applySilent(context: BlockContext, event?: ChainEventRecord): void {
    if (this.silent.length === 0) return;
    const path = event && eventPath(event);
    while (this.silent[0] && (path === undefined || comparePaths(this.silent[0].path, path) < 0)) {
      applySilentMessage(context.state, this.silent.shift()!.message);
      context.moved = true;
    }
  }
}

function paidBy({ attributes }: ChainEventRecord): bigint {
  const [coin] = parseCoins(attributes.find(({ key }) => key === 'amount')?.value ?? '');
  return coin?.amount ?? 0n;
}

const amountOf = ({ amount }: MsgUndelegate): bigint | undefined => parseMessageAmount(amount.amount);

/**
 * Returns true if the payment can belong to the requested amount. Because of rounding, the chain may pay one unit less.
 */
const canPay = (requested: bigint | undefined, paid: bigint) => requested === paid || requested === paid + 1n;

function expectDecoded(message: Message | undefined): void {
  if (message?.fault === undefined) return;
  throw new Mismatch({ what: `message ${message.typeUrl}`, expected: 'a readable message', found: message.fault });
}

function applySilentMessage(state: HoldingsState, message: Message): void {
  expectDecoded(message);
  const { typeUrl, value } = message;
  if (typeUrl === '/cosmos.slashing.v1beta1.MsgUnjail') {
    validatorOf(state, (value as MsgUnjail).validatorAddr).jailed = false;
    return;
  }
  const { validatorAddress, minSelfDelegation, commissionRate } = value as MsgEditValidator;
  const least = parseMessageAmount(minSelfDelegation);
  const rate = parseMessageAmount(commissionRate);
  if (least !== undefined) validatorOf(state, validatorAddress).minSelfDelegation = least;
  if (rate !== undefined) setCommissionRate(validatorOf(state, validatorAddress), rate);
}
