/** Targets of webhooks: only the public internet, by https. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public IP addresses of cloud metadata services (Azure). */
const METADATA = new Set(['168.63.129.16']);
/** The range of public IPv6 addresses (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Matches host names that are not public: reserved by RFC 6761, 6762, 8375 or 9476, or usual in clusters and home
 * networks.
 */
const PRIVATE_NAME =
  /^[^.]*$|\.\.|^\.|\.$|(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\.arpa|fritz\.box|svc|consul|test|invalid|onion|alt)$/;
/** Returns true for allowed ports. Well-known ports other than 443 may belong to internal services. */
const isOpenPort = (port: string) => port === '' || Number(port) > 1023;

export function isPublicAddress(text: string): boolean {
  if (!isIP(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** Returns why a URL is rejected; undefined if it is allowed. Does not resolve the host name. */
export function targetFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (url.hash !== '') return 'must not contain a fragment';
  if (!isOpenPort(url.port)) return 'must use port 443 or a port above 1023';
  const isPublic = isIP(host) ? isPublicAddress(host) : !PRIVATE_NAME.test(host.replace(/\.$/, ''));
  return isPublic ? undefined : 'must lead to the public internet';
}
