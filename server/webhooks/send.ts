/** Sends deliveries: one POST each to an endpoint that a stranger has named. */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { LIMITS } from '../limits.js';
import { isPublicAddress, targetFault } from './target.js';

/** Time that an attempt may take, its look-up and connection included. */
const { max: TIMEOUT_MS } = LIMITS.webhooks.answer;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a message.
 * @returns the status of the answer, of which nothing else is read
 * @throws Error in one line when there is none. It does not say why: who chose the URL would else learn which names and ports of the
 * service's own network exist.
 */
export type Send = (message: Message) => Promise<number>;

export interface Network {
  /** Gives all addresses of a name. */
  readonly resolve: (name: string) => Promise<LookupAddress[]>;
  readonly allows: (address: string) => boolean;
  readonly timeoutMs: number;
  /** Certificate of an authority to trust besides the well-known ones. */
  readonly ca?: string;
}

/** Time that a name server has to answer, of two tries the first; the second has twice as much. */
const NAME_SERVER_MS = 1500;

/**
 * Makes what asks the name servers itself. The system's own look-up holds one of two threads of this process until it is over: strangers'
 * names that nobody answers for would keep all others waiting, those of the nodes and the store among them.
 * @param servers in place of the system's
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

/** The public internet. */
const internet = (): Network => ({ resolve: nameResolver(), allows: isPublicAddress, timeoutMs: TIMEOUT_MS });

/**
 * Makes a function that sends. It connects to the very addresses that were checked: a name that answers otherwise the next time gains
 * nothing. Redirects are answers like others, and followed by nobody.
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
      // A timer of its own, which does not rest on any event of the request: not every end of one has an event.
      const deadline = setTimeout(end, timeoutMs);
      const answer = ({ statusCode }: IncomingMessage) => {
        answered(statusCode!);
        end();
      };
      sending.on('response', answer).on('error', end).on('close', end);
      sending.on('upgrade', (response, socket) => {
        answer(response);
        socket.destroy(); // it is no longer the request's
      });
      sending.end(body);
    });
}

/** Refuses a name as soon as one of its addresses is not allowed. */
function guardedLookup(resolve: Network['resolve'], allows: Network['allows']): LookupFunction {
  const lookUp = async (name: string) => {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new Error(`${name} has no address`);
    if (!addresses.every(({ address }) => allows(address))) {
      throw new Error(`${name} does not lead to the public internet`);
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
