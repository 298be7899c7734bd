import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the key that identifies a client in quotas: an IPv4 address, or the /56 network of an IPv6 address, which
 * belongs to one household. For example, '[2001:db8:1:2ff::1]:5000' becomes '2001:db8:1:200::/56'.
 * @returns undefined if the text is not an address
 */
function addressKey(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const withoutPort = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const bare = withoutPort.replace(/%.*$/, '');
  if (isIP(bare) === 0) return undefined; // checked first, because ipaddr.js also accepts texts like 0x7f.1
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const [first, second, third, fourth] = address.parts as [number, number, number, number];
  return `${[first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(':')}::/56`;
}

/**
 * Returns the entry of a forwarding header that the outermost trusted proxy added. It is the `hops`-th entry from the
 * right. Clients can forge all entries to its left.
 */
export function forwardedValue(header: string | string[] | undefined, hops: number): string | undefined {
  if (header === undefined || hops === 0) return undefined;
  const list = String(header)
    .split(',')
    .map((entry) => entry.trim());
  return list.at(-hops) ?? list[0];
}

/**
 * Returns the key of the client that the outermost trusted proxy saw.
 * @param hops trusted proxies; 0 ignores the header X-Forwarded-For
 */
export function forwardedAddress({ headers, socket }: IncomingMessage, hops: number): string {
  const forwarded = forwardedValue(headers['x-forwarded-for'], hops) ?? '';
  return addressKey(forwarded) ?? addressOfSocket(socket); // X-Forwarded-For may contain any text
}

export const addressOfSocket = ({ remoteAddress = '' }: Socket): string => addressKey(remoteAddress) ?? remoteAddress;

export const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/i.test(address);
