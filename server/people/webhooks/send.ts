/**
 * Sends deliveries to URLs that users have chosen. A user may choose a URL to attack our own network, so URLs and IP
 * addresses are checked.
 */

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LIMITS } from '../../http/limits.js';

const { max: TIMEOUT_MS } = LIMITS.webhooks.answer;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a message and returns the HTTP status. Errors do not contain the reason, which would reveal hosts and open
 * ports of our network.
 */
export type Send = (message: Message) => Promise<number>;

interface Network {
  readonly resolve: (name: string) => Promise<LookupAddress[]>;
  readonly allows: (address: string) => boolean;
  readonly timeoutMs: number;
  readonly ca?: string;
}

/** Timeout of the first DNS query. The second query gets twice this time. */
const NAME_SERVER_MS = 1500;

/**
 * Resolves names by querying name servers directly. The system's lookup would occupy a thread of Node's thread pool, so
 * names that never resolve would delay other connections.
 */
export function nameResolver(servers?: readonly string[]): Network['resolve'] {
  const resolver = new Resolver({ timeout: NAME_SERVER_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const none = (): string[] => [];
  return async (name) => {
    const [four, six] = await Promise.all([resolver.resolve4(name).catch(none), resolver.resolve6(name).catch(none)]);
    return [...four.map((address) => ({ address, family: 4 })), ...six.map((address) => ({ address, family: 6 }))];
  };
}

const internet = (): Network => ({ resolve: nameResolver(), allows: isPublicAddress, timeoutMs: TIMEOUT_MS });

/**
 * Returns a function that sends messages. It connects to the checked IP address, so that a second DNS lookup cannot
 * change the target.
 */
export function sender(network: Partial<Network> = {}): Send {
  const { resolve, allows, timeoutMs, ca } = { ...internet(), ...network };
  const guarded = guardedLookup(resolve, allows);
  return ({ url, headers, body }) =>
    new Promise((answered, failed) => {
      const fault = targetFault(url);
      if (fault) throw new Error(`the URL ${fault}`);
      const length = { 'Content-Length': String(Buffer.byteLength(body)) };
      const options = { method: 'POST', headers: { ...headers, ...length }, agent: false, lookup: guarded };
      const sending = request(url, ca === undefined ? options : { ...options, ca });
      const end = () => {
        clearTimeout(deadline);
        failed(new Error(`no answer over https within ${timeoutMs / 1000} seconds`));
        sending.destroy();
      };
      // A separate timer is needed, because some requests end without any event.
      const deadline = setTimeout(end, timeoutMs);
      const answer = ({ statusCode }: IncomingMessage) => {
        answered(statusCode!);
        end();
      };
      sending.on('response', answer).on('error', end).on('close', end);
      sending.on('upgrade', (response, socket) => {
        answer(response);
        socket.destroy(); // Node.js does not close the socket after a protocol upgrade
      });
      sending.end(body);
    });
}

function guardedLookup(resolve: Network['resolve'], allows: Network['allows']): LookupFunction {
  const lookUp = async (name: string) => {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new Error(`${name} has no address`);
    if (!addresses.every(({ address }) => allows(address))) {
      throw new Error(`${name} does not resolve to the public internet`);
    }
    return addresses;
  };
  return (name, { all }, callback) => {
    lookUp(name).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error) => callback(error, ''),
    );
  };
}

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
