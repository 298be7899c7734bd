/**
 * Traces of IBC vouchers, such as `transfer/channel-141/uosmo`: the hops that a coin took here, the last one first, then its denom
 * on the chain that it came from. A voucher's denom is the hash of its trace, so that only packets name the coin behind it.
 */
import type { ScopedEvent } from '../classifier.js';

/** Events of the transfer module that name a coin. */
const NAMING = new Set(['denomination', 'fungible_token_packet', 'ibc_transfer']);
/** Events that announce a packet whose coins `fungible_token_packet` names as the sending chain does. */
const PACKETS = new Set(['recv_packet', 'acknowledge_packet', 'timeout_packet', 'timeout_on_close_packet']);

/** Returns the traces that the events of one scope name: of vouchers received, sent and refunded. */
export function voucherTraces(events: readonly ScopedEvent[]): string[] {
  const traces: string[] = [];
  let packet: ScopedEvent | undefined;
  for (const event of events) {
    if (PACKETS.has(event.type)) packet = event;
    const trace = traceOf(event, packet);
    if (trace?.includes('/')) traces.push(trace);
  }
  return traces;
}

function traceOf(event: ScopedEvent, packet: ScopedEvent | undefined): string | undefined {
  if (!NAMING.has(event.type)) return undefined;
  const denom = event.get('denom');
  if (denom === undefined || event.type === 'ibc_transfer') return denom;
  if (event.type === 'denomination') return readDenomination(denom);
  return packet?.type === 'recv_packet' ? traceHere(denom, packet) : denom;
}

/** Returns the trace here of a coin received under a denom of the sending chain: one hop more, or one less on its way back. */
function traceHere(denom: string, packet: ScopedEvent): string {
  const sourceHop = `${hopOf(packet, 'src', 'source')}/`;
  return denom.startsWith(sourceHop) ? denom.slice(sourceHop.length) : `${hopOf(packet, 'dst', 'dest')}/${denom}`;
}

/** The port and channel of one end of a packet. IBC v2 names a light client, and transfers have but one port. */
function hopOf(packet: ScopedEvent, end: string, endOfClient: string): string {
  const client = packet.get(`packet_${endOfClient}_client`);
  if (client !== undefined) return `transfer/${client}`;
  return `${packet.get(`packet_${end}_port`) ?? ''}/${packet.get(`packet_${end}_channel`) ?? ''}`;
}

/** Reads the JSON of ibc-go's Denom. */
function readDenomination(text: string): string | undefined {
  try {
    const { base, trace } = JSON.parse(text) as Denomination;
    return [...trace.map(({ port_id, channel_id }) => `${port_id}/${channel_id}`), base].join('/');
  } catch {
    return undefined;
  }
}

interface Denomination {
  readonly base: string;
  readonly trace: readonly { readonly port_id: string; readonly channel_id: string }[];
}
