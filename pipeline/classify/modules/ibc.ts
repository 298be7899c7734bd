import {
  type EventClassifier,
  explainedByEvents,
  explainSends,
  type ModuleClassifiers,
  type Payment,
  type PhaseClassifier,
  type RowDraft,
  receivedRow,
  type Scope,
  type ScopedEvent,
  sentRow,
  transferCategory,
} from '../classifier.js';

/**
 * Classifies sent IBC transfers. The transfer module's events identify a transfer, so contracts, interchain accounts
 * and forwarded packets need no special case. Coins go to the channel's escrow account, or to the transfer module,
 * which mints and burns vouchers. A reverted callback emits its events again as `ibccallbackerror-…`, which no
 * classifier reads.
 */
const transferSent: EventClassifier = {
  eventType: 'ibc_transfer',
  categories: ['ibc_out'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['send_packet']);
    const payment = packet && sentPayment(event, scope, packet);
    if (!payment) return;
    const sender = payment.from!;
    const [named, memo] = [event.get('receiver') ?? '', event.get('memo') ?? ''];
    const receiver = scope.chain.lastReceiver({ sender, receiver: named, memo });
    const row = sentRow(payment, 'ibc_out', {
      counterparty: receiver,
      link: linkOf(packet),
      toOwnKey: receiver !== null && scope.chain.isSameKey(sender, receiver),
      detail: `Over ${packet.channel}${receiver === null ? ', with an unknown action in the memo' : ''}`,
    });
    scope.explain([payment], [row, escrowIn(payment, scope)]);
  },
};

const packetHandled: EventClassifier = {
  eventType: 'fungible_token_packet',
  categories: ['ibc_in', 'ibc_refund'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['recv_packet', 'acknowledge_packet']);
    if (packet?.type === 'recv_packet') explainReceived(event, scope, packet);
    else if (packet) explainRefund(event, scope, packet, event.address('sender'), 'Refused by the other chain');
  },
};

const transferTimedOut: EventClassifier = {
  eventType: 'timeout',
  categories: ['ibc_refund'],
  classify(event, scope) {
    const packet = packetBefore(event, scope, ['timeout_packet', 'timeout_on_close_packet']);
    const sender = event.address('receiver') ?? event.address('refund_receiver');
    if (packet) explainRefund(event, scope, packet, sender, 'Timed out');
  },
};

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
].map((typeUrl) => explainedByEvents(typeUrl));

interface Packet {
  readonly type: string;
  readonly index: number;
  readonly port: string;
  readonly channel: string;
  readonly sequence: string;
}

const linkOf = ({ port, channel, sequence }: Packet) => `ibc-${port}/${channel}/${sequence}`;

function packetBefore({ index }: ScopedEvent, scope: Scope, types: readonly string[]): Packet | undefined {
  const found = scope.eventBefore(index, ...types);
  if (!found) return undefined;
  const received = found.type === 'recv_packet';
  const client = found.get(received ? 'packet_dest_client' : 'packet_source_client');
  const side = received ? 'dst' : 'src';
  return {
    type: found.type,
    index: found.index,
    port: client === undefined ? (found.get(`packet_${side}_port`) ?? '') : 'transfer',
    channel: client ?? found.get(`packet_${side}_channel`) ?? '',
    sequence: found.get('packet_sequence') ?? '',
  };
}

/** Returns true for the channel's escrow account and for the module that mints its vouchers. */
function isBridge(account: string | null, { port, channel }: Packet, { chain }: Scope): boolean {
  return account === chain.module('transfer') || account === chain.escrow(port, channel);
}

function sentPayment(event: ScopedEvent, scope: Scope, packet: Packet): Payment | undefined {
  const sender = event.address('sender');
  const amount = event.get('amount');
  const isSent = ({ from, to, amount: paid }: Payment) =>
    from === sender && String(paid) === amount && isBridge(to, packet, scope);
  return scope.paymentBefore(event, isSent);
}

function paidOut(event: ScopedEvent, scope: Scope, packet: Packet, to: string | undefined): Payment | undefined {
  const isPaid = (payment: Payment) => payment.to === to && isBridge(payment.from, packet, scope);
  return scope.paymentBefore(event, isPaid, packet.index);
}

function explainReceived(event: ScopedEvent, scope: Scope, packet: Packet): void {
  const payment = event.get('success') === 'true' && paidOut(event, scope, packet, event.address('receiver'));
  if (!payment) return;
  explainArrival(payment, scope, {
    ...receivedRow(payment, 'ibc_in', { counterparty: event.get('sender') ?? null }),
    detail: `Over ${packet.channel}, packet ${packet.sequence}`,
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

function explainArrival(payment: Payment, scope: Scope, row: RowDraft): void {
  const onward = onwardPayment(payment, scope);
  if (onward) scope.explain([payment, onward], [escrowOut(payment, scope), escrowIn(onward, scope)]);
  else scope.explain([payment], [row, escrowOut(payment, scope)]);
}

/**
 * Finds the payment by which the receiver sent the same coins on. Within one message, only packet forwarding does this.
 * A wallet would have to sign another message, and a contract would be in `contracts`.
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

/**
 * Returns rows of the channel's escrow account. They are dropped if the chain's reference file lists this account, as
 * it should.
 */
const escrowIn = (payment: Payment, { chain }: Scope) =>
  receivedRow(payment, transferCategory('in', payment.denom, chain));
const escrowOut = (payment: Payment, { chain }: Scope) =>
  sentRow(payment, transferCategory('out', payment.denom, chain));

/** Classifies bank sends by interchain accounts. Staking and IBC transfers are classified by their events. */
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

const interchainAccountMessages = [
  explainedByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgRegisterInterchainAccount'),
  explainedByEvents('/ibc.applications.interchain_accounts.controller.v1.MsgSendTx'),
];

export const ibc: ModuleClassifiers = {
  events: [transferSent, packetHandled, transferTimedOut],
  messages: [...ibcMessages, ...interchainAccountMessages],
  phases: [interchainAccountPayments],
};
