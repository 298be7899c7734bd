/** Targets of deliveries: https on the public internet alone, so that nobody reaches the service's own network through it. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of a cloud's own machinery that lie among the public ones. */
const METADATA = new Set(['168.63.129.16']);
/** The part of IPv6 that is given out to the public (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Names that only mean something on a private network (RFC 6761, 6762, 8375, 9476, and what clusters, routers and service directories
 * have), names without a dot, and names with an empty part.
 */
const PRIVATE_NAME =
  /^[^.]*$|\.\.|^\.|\.$|(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\.arpa|fritz\.box|svc|consul|test|invalid|onion|alt)$/;
/** The port of https, and those that are nobody's well-known ones. */
const isOpenPort = (port: string) => port === '' || Number(port) > 1023;

/** Tells whether an IP address is a public one; IPv4 in IPv6 counts as what it stands for. */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** The fault of a URL to deliver to, as far as can be said without resolving its name; undefined when there is none. */
export function targetFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, ''); // an IPv6 literal stands in brackets
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password';
  if (url.hash !== '') return 'must not hold a fragment';
  if (!isOpenPort(url.port)) return 'must have port 443, or one above 1023';
  const isPublic = isIP(host) ? isPublicAddress(host) : !PRIVATE_NAME.test(host.replace(/\.$/, ''));
  return isPublic ? undefined : 'must lead to the public internet';
}
