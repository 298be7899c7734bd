/** Allowed targets: https on the public internet only, to protect our own network. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Cloud metadata services with public addresses. */
const METADATA = new Set(['168.63.129.16']);
/** Global unicast (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Private names: RFC 6761, 6762, 8375, 9476, common names of clusters and routers, names without a dot, names with an
 * empty label.
 */
const PRIVATE_NAME =
  /^[^.]*$|\.\.|^\.|\.$|(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\.arpa|fritz\.box|svc|consul|test|invalid|onion|alt)$/;
/** Port 443 or any port outside the well-known range. */
const isOpenPort = (port: string) => port === '' || Number(port) > 1023;

/** IPv4 within IPv6 counts as IPv4. */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** Returns why a URL is refused, without resolving its name; undefined if it is allowed. */
export function targetFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, ''); // brackets of an IPv6 literal
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (url.hash !== '') return 'must not contain a fragment';
  if (!isOpenPort(url.port)) return 'must use port 443 or a port above 1023';
  const isPublic = isIP(host) ? isPublicAddress(host) : !PRIVATE_NAME.test(host.replace(/\.$/, ''));
  return isPublic ? undefined : 'must lead to the public internet';
}
