/** IBC transfers (ICS-20) and interchain accounts (ICS-27). */
import {
  type EventClassifier,
  explainSends,
  type ModuleClassifiers,
  type Payment,
  type PhaseClassifier,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
  sentRow,
  toldByEvents,
  transferCategory,
} from '../classifier.js';

/*
 * ICS-20: coins that leave for another chain, come from one, or come back because a packet failed. Told by the transfer
 * module's own events, so that a contract, an interchain account or a forwarded packet is read like a wallet's message. Coins
 * go to, and come from, the channel's escrow account, or the transfer module that burns and mints vouchers. What a callback
 * undid is told again under `ibccallbackerror-` types, which nothing here reads.
 */

/** Coins sent: announced after the packet, in IBC v1 and v2 alike. */
const transferSent: EventClassifier = {
  eventType: 'ibc_transfer',
  categories: ['ibc_out'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['send_packet']);
    const payment = packet && sentPayment(event, scope, packet);
    if (!payment) return;
    const receiver = lastReceiver(event.get('receiver') ?? '', event.get('memo') ?? '');
    const row = sentRow(payment, 'ibc_out', {
      counterparty: receiver,
      link: linkOf(packet),
      toOwnKey: scope.chain.isSameKey(payment.from!, receiver),
      detail: `Over ${packet.channel}`,
    });
    scope.explain([payment], [row, escrowIn(payment, scope)]);
  },
};

/**
 * Returns the account that a transfer pays in the end. Middlewares of the other chains read the memo: packet-forward-middleware
 * sends the coins on to `forward.receiver`, and then reads `next`, an object or its JSON text; ibc-hooks pays `wasm.contract`.
 * With a memo that they cannot read, the coins stay with the receiver so far. `ibc_callback` names no receiver: it is the contract
 * that the sending chain informs of the packet's end.
 * @example lastReceiver('osmo1a', '{"forward":{"receiver":"juno1b","next":{"forward":{"receiver":"stars1c"}}}}') === 'stars1c'
 */
function lastReceiver(receiver: string, memo: string): string {
  let last = receiver;
  let next: unknown = memo;
  for (;;) {
    const { wasm, forward } = membersOf(next);
    const { contract } = membersOf(wasm);
    if (isNamed(contract)) return contract;
    const step = membersOf(forward);
    if (!isNamed(step.receiver)) return last;
    last = step.receiver;
    next = step.next;
  }
}

/** Longest receiver that ibc-go sends coins to (MaximumReceiverLength): the next chain refuses a longer one, and the coins come back. */
const RECEIVER_MAX = 2048;

const isNamed = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= RECEIVER_MAX;

/** The members of an object or of its JSON text; none of anything else. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return {};
  try {
    return JSON.parse(value);
  } catch {
    return {};
  }
}

/** A packet's coins handed out here, or the answer to a packet sent from here. */
const packetHandled: EventClassifier = {
  eventType: 'fungible_token_packet',
  categories: ['ibc_in', 'ibc_refund'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['recv_packet', 'acknowledge_packet']);
    if (packet?.type === 'recv_packet') explainReceived(event, scope, packet);
    else if (packet) explainRefund(event, scope, packet, event.address('sender'), 'Refused by the other chain');
  },
};

/** A packet that nobody took in time. The event's keys have changed with ibc-go v10. */
const transferTimedOut: EventClassifier = {
  eventType: 'timeout',
  categories: ['ibc_refund'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['timeout_packet', 'timeout_on_close_packet']);
    const sender = event.address('receiver') ?? event.address('refund_receiver');
    if (packet) explainRefund(event, scope, packet, sender, 'Timed out');
  },
};

/** Messages whose effects events alone tell. */
const ibcMessages = [
  '/ibc.applications.transfer.v1.MsgTransfer',
  '/ibc.core.channel.v1.MsgAcknowledgement',
  '/ibc.core.channel.v1.MsgRecvPacket',
  '/ibc.core.channel.v1.MsgTimeout',
  '/ibc.core.channel.v1.MsgTimeoutOnClose',
  '/ibc.core.channel.v2.MsgAcknowledgement',
  '/ibc.core.channel.v2.MsgRecvPacket',
  '/ibc.core.channel.v2.MsgSendPacket',
  '/ibc.core.channel.v2.MsgTimeout',
].map((typeUrl) => toldByEvents(typeUrl));

interface Packet {
  /** Type of the event that tells of it. */
  readonly type: string;
  readonly index: number;
  /** This chain's end: where it was sent from, or where it arrived. */
  readonly port: string;
  /** Channel id, or in IBC v2 the light client's id. */
  readonly channel: string;
  readonly sequence: string;
}

/** The link that the refund of a packet shares with the row that sent it. */
const linkOf = ({ port, channel, sequence }: Packet) => `ibc-${port}/${channel}/${sequence}`;

/** The packet that an event of the transfer module belongs to: the nearest one before it. */
function packetBefore({ index }: ScopedEvent, scope: Scope, types: readonly string[]): Packet | undefined {
  const told = scope.eventBefore(index, ...types);
  if (!told) return undefined;
  const received = told.type === 'recv_packet';
  const client = told.get(received ? 'packet_dest_client' : 'packet_source_client');
  const side = received ? 'dst' : 'src';
  return {
    type: told.type,
    index: told.index,
    port: client === undefined ? (told.get(`packet_${side}_port`) ?? '') : 'transfer',
    channel: client ?? told.get(`packet_${side}_channel`) ?? '',
    sequence: told.get('packet_sequence') ?? '',
  };
}

/** Tells whether the account is the other side of every transfer over this packet's channel. */
function isBridge(account: string | null, { port, channel }: Packet, { chain }: Scope): boolean {
  return account === chain.module('transfer') || account === chain.escrow(port, channel);
}

/** The payment that an ibc_transfer event announces. */
function sentPayment(event: ScopedEvent, scope: Scope, packet: Packet): Payment | undefined {
  const sender = event.address('sender');
  const amount = event.get('amount');
  const isSent = ({ from, to, amount: paid }: Payment) =>
    from === sender && String(paid) === amount && isBridge(to, packet, scope);
  return scope.paymentBefore(event, isSent);
}

/** Finds the payment out of the bridge to an account, between the packet and the event that tells of it. */
function paidOut(event: ScopedEvent, scope: Scope, packet: Packet, to: string | undefined): Payment | undefined {
  const isPaid = (payment: Payment) => payment.to === to && isBridge(payment.from, packet, scope);
  return scope.paymentBefore(event, isPaid, packet.index);
}

function explainReceived(event: ScopedEvent, scope: Scope, packet: Packet): void {
  const payment = event.get('success') === 'true' && paidOut(event, scope, packet, event.address('receiver'));
  if (!payment) return;
  explainArrival(payment, scope, {
    ...receivedRow(payment, 'ibc_in', { counterparty: event.get('sender') ?? null }),
    detail: `Over ${packet.channel}`,
  });
}

function explainRefund(
  event: ScopedEvent,
  scope: Scope,
  packet: Packet,
  sender: string | undefined,
  detail: string,
): void {
  const payment = paidOut(event, scope, packet, sender);
  if (payment) explainArrival(payment, scope, receivedRow(payment, 'ibc_refund', { link: linkOf(packet), detail }));
}

/** One row, or none where the coins only pass through an account of packet forwarding. */
function explainArrival(payment: Payment, scope: Scope, row: RowDraft): void {
  const onward = onwardPayment(payment, scope);
  if (onward) scope.explain([payment, onward], [escrowOut(payment, scope), escrowIn(onward, scope)]);
  else scope.explain([payment], [row, escrowOut(payment, scope)]);
}

/**
 * The same coins sent on by the account that a relayer's message has just given them to. Nobody but packet forwarding can do
 * that: a wallet would have to sign, and a contract would show up among those that ran.
 */
function onwardPayment({ index, to, denom, amount }: Payment, scope: Scope): Payment | undefined {
  if (to === null || scope.contracts.has(to)) return undefined;
  const sent = scope
    .eventsOf('ibc_transfer')
    .find((event) => event.index > index && event.address('sender') === to && event.get('amount') === String(amount));
  const packet = sent && packetBefore(sent, scope, ['send_packet']);
  const payment = packet && sentPayment(sent, scope, packet);
  return payment?.denom === denom && payment.index > index ? payment : undefined;
}

/** Rows of the bridge itself. They are dropped, but for an escrow account that the chain's file does not reach. */
const escrowIn = (payment: Payment, { chain }: Scope) =>
  receivedRow(payment, transferCategory('in', payment.denom, chain));
const escrowOut = (payment: Payment, { chain }: Scope) =>
  sentRow(payment, transferCategory('out', payment.denom, chain));

/*
 * ICS-27: an account here that another chain controls. Its staking and transfers are told by their own modules' events inside the
 * packet; what is left are its bank messages. A packet that was refused leaves no bank events.
 */

const interchainAccountPayments: PhaseClassifier = {
  phases: ['message'],
  categories: [
    'transfer_in',
    'transfer_out',
    'self_transfer',
    'share_transfer_in',
    'share_transfer_out',
    'community_pool_deposit',
  ],
  classify(scope) {
    if (scope.eventsOf('ics27_packet').length > 0) explainSends(scope);
  },
};

/** The controller's side: a packet to another chain, whose coins are there. */
const interchainAccountMessages = [
  toldByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgRegisterInterchainAccount'),
  toldByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgSendTx'),
];

export const ibc: ModuleClassifiers = {
  events: [transferSent, packetHandled, transferTimedOut],
  messages: [...ibcMessages, ...interchainAccountMessages],
  phases: [interchainAccountPayments],
};
