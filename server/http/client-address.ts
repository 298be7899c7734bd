/** Who asks: the unit that a quota is charged to. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';

/**
 * What the outermost trusted proxy wrote into a list header: the entry `hops` from the right, because what stands further
 * left was sent by the client and can be anything. A shorter list was begun by a trusted proxy too.
 */
export function forwardedValue(header: string | string[] | undefined, hops: number): string | undefined {
  if (header === undefined || hops === 0) return undefined;
  const list = String(header)
    .split(',')
    .map((entry) => entry.trim());
  return list.at(-hops) ?? list[0];
}

/**
 * The client as a key: its IPv4 address, or the /56 of its IPv6 address, which is what one household gets.
 * @param trustedHops proxies in front whose X-Forwarded-For is believed
 */
export function clientKey(request: IncomingMessage, trustedHops: number): string {
  const forwarded = forwardedValue(request.headers['x-forwarded-for'], trustedHops);
  return (forwarded && addressKey(forwarded)) || addressKey(request.socket.remoteAddress ?? '') || 'unknown';
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** '203.0.113.7:5000' → '203.0.113.7'; '[2001:db8:1:2ff::1]:5000' → '2001:db8:1:200::/56'; undefined for no address. */
export function addressKey(text: string): string | undefined {
  if (isIPv4(text)) return text; // what most sockets say
  const address = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const bare = address.replace(/%.*$/, '');
  const mapped = MAPPED_IPV4.exec(bare)?.[1] ?? bare;
  switch (isIP(mapped)) {
    case 4:
      return mapped;
    case 6:
      return network56(mapped);
    default:
      return undefined;
  }
}

function network56(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // '::' stands for at least one group; only the first four matter here, and an IPv4 tail never reaches them.
  const filled = tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  const groups = filled.slice(0, 4).map((group) => Number.parseInt(group, 16));
  groups[3]! &= 0xff00;
  return `${groups.map((group) => group.toString(16)).join(':')}::/56`;
}
