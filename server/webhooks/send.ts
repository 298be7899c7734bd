/** Sends deliveries: one POST each to an endpoint that a stranger has named. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, targetFault } from './target.js';

/** Time that an attempt may take: less than the shortest wait between two, so that one delivery is never made twice at a time. */
const TIMEOUT_MS = 8000;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a message. @returns the status of the answer, of which nothing else is read @throws Error in one line when there is none */
export type Send = (message: Message) => Promise<number>;

export interface Network {
  /** Gives all addresses of a name. */
  readonly resolve: (name: string) => Promise<LookupAddress[]>;
  readonly allows: (address: string) => boolean;
  readonly timeoutMs: number;
  /** Certificate of an authority to trust besides the well-known ones. */
  readonly ca?: string;
}

const INTERNET: Network = {
  resolve: (name) => lookup(name, { all: true }),
  allows: isPublicAddress,
  timeoutMs: TIMEOUT_MS,
};

/**
 * Makes a function that sends. It connects to the very addresses that were checked: a name that answers otherwise the next time gains
 * nothing. Redirects are answers like others, and followed by nobody.
 */
export function sender(network: Partial<Network> = {}): Send {
  const { resolve, allows, timeoutMs, ca } = { ...INTERNET, ...network };
  const guarded = guardedLookup(resolve, allows);
  return ({ url, headers, body }) =>
    new Promise((answered, failed) => {
      const fault = targetFault(url);
      if (fault) throw new Error(`the URL ${fault}`);
      const signal = AbortSignal.timeout(timeoutMs);
      const length = { 'Content-Length': String(Buffer.byteLength(body)) };
      const options = { method: 'POST', headers: { ...headers, ...length }, agent: false, lookup: guarded, signal };
      request(url, ca === undefined ? options : { ...options, ca })
        .on('response', (response) => {
          answered(response.statusCode!);
          response.destroy();
        })
        .on('error', (error) =>
          failed(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error),
        )
        .end(body);
    });
}

/** Refuses a name as soon as one of its addresses is not allowed. */
function guardedLookup(resolve: Network['resolve'], allows: Network['allows']): LookupFunction {
  const lookUp = async (name: string) => {
    const addresses = await resolve(name);
    const [first] = addresses;
    if (!first) throw new Error(`${name} has no address`);
    if (!addresses.every(({ address }) => allows(address))) {
      throw new Error(`${name} does not lead to the public internet`);
    }
    return { addresses, first };
  };
  return (name, { all }, callback) => {
    lookUp(name).then(
      ({ addresses, first }) => (all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    );
  };
}
