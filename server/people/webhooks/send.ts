/**
 * Sends deliveries to URLs that users have chosen. A user may choose a URL to attack our own network, so URLs and IP
 * addresses are checked.
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { LIMITS } from '../../http/limits.js';
import { isPublicAddress, targetFault } from './target.js';

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

export const internet = (): Network => ({ resolve: nameResolver(), allows: isPublicAddress, timeoutMs: TIMEOUT_MS });

/**
 * Returns a function that sends messages. It connects to the checked IP address, so that a second DNS lookup cannot
 * change the target.
 */
export function sender(network: Partial<Network> = {}): Send {
  const { resolve, allows, timeoutMs, ca } = { ...internet(), ...network };
  const guarded = guardedLookup(resolve, allows);
  return ({ url, headers, body }) =>
    new Promise((delivered, failed) => {
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
      const onReply = ({ statusCode }: IncomingMessage) => {
        delivered(statusCode!);
        end();
      };
      sending.on('response', onReply).on('error', end).on('close', end);
      sending.on('upgrade', (response, socket) => {
        onReply(response);
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
