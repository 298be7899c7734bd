/**
 * Reads what only a transaction's messages tell: amounts asked for, and changes that no event announces. A message and its events
 * find each other by path: the message's place, then its places inside MsgExec.
 */

import type { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/gov/v1/tx';
import type { MsgUnjail } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { type MsgCreateValidator, type MsgEditValidator, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { ChainEventRecord, Message } from '../../chain/block.js';
import { type MessageType, packetMessages } from '../../chain/interchain-packet.js';
import { parseCoins, parseMessageAmount } from '../../ledger/amount.js';
import { Mismatch } from '../holdings-error.js';
import { validatorOf } from '../modules/validator.js';
import type { BlockContext, HoldingsState } from '../state.js';

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

const UNDELEGATE = '/cosmos.staking.v1beta1.MsgUndelegate';
/** Type URL of the message that brings a packet of another chain. */
export const RECEIVE_PACKET = '/ibc.core.channel.v1.MsgRecvPacket';

/** Tells whether two events of a transaction belong to the same message. */
export const areOfOneMessage = (one: ChainEventRecord, other: ChainEventRecord): boolean =>
  comparePaths(eventPath(one), eventPath(other)) === 0;

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

/** Messages of one type in a transaction's packets that no event has taken yet. */
class Carried<Value> {
  private readonly left = new Map<Message, Value[]>();

  constructor(private readonly type: MessageType<Value>) {}

  /** Takes the first one that fits; undefined where there is none, or the message is no packet that can be read. */
  take(packet: Message | undefined, fits: (one: Value) => boolean): Value | undefined {
    if (packet?.typeUrl !== RECEIVE_PACKET || packet.value === undefined) return undefined;
    const left = this.left.get(packet) ?? packetMessages(packet.value as MsgRecvPacket, this.type);
    this.left.set(packet, left);
    const index = left.findIndex(fits);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  }
}

/** The messages of one successful transaction. Nothing is computed before it is asked for. */
export class TransactionMessages {
  private readonly silent: { path: Path; message: Message }[];
  private readonly undelegations = new Carried(MsgUndelegate);
  private readonly proposals = new Carried(MsgSubmitProposal);

  constructor(private readonly messages: readonly Message[]) {
    this.silent = silentMessages(messages, []);
  }

  /** The message at a path; where the path leads into what a contract or a packet runs, that contract's or packet's. */
  private at(path: Path): Message | undefined {
    let message = this.messages[path[0] ?? -1];
    for (const index of path.slice(1)) message = message?.inner[index] ?? message;
    return message;
  }

  /** The decoded message of an event, if it is of that type. @throws Mismatch when it cannot be read */
  of<Value>(event: ChainEventRecord, typeUrl: string): Value | undefined {
    this.expectReadable(event, [typeUrl]);
    const message = this.at(eventPath(event));
    return message?.typeUrl === typeUrl ? (message.value as Value) : undefined;
  }

  /** @throws Mismatch when the event's message is of one of these types by name and not by its bytes, or is inside such a MsgExec */
  private expectReadable(event: ChainEventRecord, typeUrls: readonly string[]): void {
    const path = eventPath(event);
    for (let length = 1; length < path.length; length++) expectDecoded(this.at(path.slice(0, length)));
    const message = this.at(path);
    if (message && typeUrls.includes(message.typeUrl)) expectDecoded(message);
  }

  /** @throws Mismatch when the message that asked for an unbond event's amount cannot be read */
  expectAsked(event: ChainEventRecord): void {
    this.expectReadable(event, [UNDELEGATE, RECEIVE_PACKET]);
  }

  /**
   * Base units that an unbond event's message asked for; undefined where a contract asked, and where no amount can be read. A packet may
   * be written in ways that the chain alone reads right: what it asks for counts where that can have paid so much.
   */
  askedAmount(event: ChainEventRecord, delegator: string, validator: string): bigint | undefined {
    const message = this.at(eventPath(event));
    if (message?.value === undefined) return undefined;
    if (message.typeUrl === UNDELEGATE) return amountOf(message.value as MsgUndelegate);
    const paid = paidBy(event);
    const asked = this.undelegations.take(
      message,
      (one) =>
        one.delegatorAddress.toLowerCase() === delegator &&
        one.validatorAddress.toLowerCase() === validator &&
        canPay(amountOf(one), paid),
    );
    return asked && amountOf(asked);
  }

  /** The proposal that an event tells of; undefined where a contract submitted it. @param types of its messages, as the event says */
  proposal(event: ChainEventRecord, types: string | undefined): MsgSubmitProposal | undefined {
    const own = this.of<MsgSubmitProposal>(event, MsgSubmitProposal.typeUrl);
    if (own) return own;
    return this.proposals.take(
      this.at(eventPath(event)),
      ({ messages }) => messages.map(({ typeUrl }) => `,${typeUrl}`).join('') === types,
    );
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

/** Base units that an unbond event says were paid. */
function paidBy({ attributes }: ChainEventRecord): bigint {
  const [coin] = parseCoins(attributes.find(({ key }) => key === 'amount')?.value ?? '');
  return coin?.amount ?? 0n;
}

const amountOf = ({ amount }: MsgUndelegate): bigint | undefined => parseMessageAmount(amount.amount);

/** Tells whether an undelegation of so much can pay that: rounding to shares takes one at the most. */
const canPay = (asked: bigint | undefined, paid: bigint) => asked === paid || asked === paid + 1n;

/** @throws Mismatch when the bytes of a message are not of its type */
function expectDecoded(message: Message | undefined): void {
  if (message?.fault === undefined) return;
  throw new Mismatch({ what: `message ${message.typeUrl}`, expected: 'that it ran', found: message.fault });
}

/** @throws Mismatch when its bytes are not of its type */
function applySilentMessage(state: HoldingsState, message: Message): void {
  expectDecoded(message);
  const { typeUrl, value } = message;
  if (typeUrl === '/cosmos.slashing.v1beta1.MsgUnjail') {
    validatorOf(state, (value as MsgUnjail).validatorAddr).jailed = false;
    return;
  }
  const { validatorAddress, minSelfDelegation } = value as MsgEditValidator;
  const least = parseMessageAmount(minSelfDelegation);
  if (least !== undefined) validatorOf(state, validatorAddress).minSelfDelegation = least;
}
