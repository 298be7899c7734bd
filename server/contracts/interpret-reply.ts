/** Interprets a node's reply to a query of a contract. */
import { shapeFault } from '../http/json-shape.js';
import { LIMITS } from '../http/limits.js';
import type { ParameterName } from '../tax/parameters/parameter-schemas.js';
import {
  type FaultKind,
  type NodeQuery,
  type QueryKind,
  type Refusal,
  type Reply,
  UpstreamFault,
} from './node-query.js';

const ARGUMENTS: Readonly<Record<QueryKind, ParameterName>> = {
  smart: 'query',
  codes: 'pagination_key',
  contract: 'contract_address',
};
const ADDRESSES: Readonly<Record<QueryKind, ParameterName>> = {
  smart: 'contract',
  codes: 'network',
  contract: 'contract_address',
};

const [INVALID_ARGUMENT, NOT_FOUND] = [3, 5];
/** gRPC code UNAVAILABLE: the gateway cannot reach its node. If the query itself crashed, the code is INTERNAL (13). */
const UNAVAILABLE = 14;

/** Statuses for a URL or headers that are too long. The usual limit is 8 kB. */
const TOO_LONG = new Set([414, 431]);
const GATEWAY_FAULTS: Readonly<Record<number, FaultKind>> = { 502: 'down', 503: 'down', 504: 'timeout' };

/** Matches the text that wasmd (CosmWasm's module for the Cosmos SDK) adds to errors of contracts. */
const CONTRACT_FAILED = /(?:: )?query wasm contract failed(?:: unknown request)?$|^query wasm contract failed: /;
const GATEWAY_PREFIX = /^rpc error: code = \w+ desc = |^codespace wasm code \d+: /;
const OUT_OF_GAS = /out of gas/i;
const UNKNOWN = /\bno such (?:contract|code)\b/;
const FUTURE = /height in the future/;
const PRUNED = /version does not exist|failed to load state at height|lowest height is|version mismatch on immutable/;
const BAD_ADDRESS = /decoding bech32 failed|hrp does not match|invalid Bech32 prefix/;

export function interpretReply(query: NodeQuery, status: number, retryAfter: number, body: Buffer): Reply {
  if (status === 429) throw new UpstreamFault('busy', 'the node limits requests', retryAfter);
  if (status >= 300 && status < 400) {
    throw new UpstreamFault('invalid_response', `${statusText(status)}: redirects are not followed`);
  }
  if (TOO_LONG.has(status)) return { refusal: tooLong(query) };
  const value = parse(body, status);
  if (status === 200) {
    if (Object.hasOwn(value, query.member)) return { body };
    throw new UpstreamFault('invalid_response', `the node answered without ${query.member}`);
  }
  const { code, message } = value;
  if (typeof code !== 'number' || typeof message !== 'string')
    throw new UpstreamFault(faultKind(status), statusText(status));
  const refusal = refusalOf(query, code, message);
  if (refusal) return { refusal: { ...refusal, detail: shortened(refusal.detail, LIMITS.nodes.refusal.max) } };
  throw new UpstreamFault(
    code === UNAVAILABLE ? 'down' : 'unclear',
    `${statusText(status)}: ${shortened(message, FAULT_CHARACTERS_MAX)}`,
  );
}

const FAULT_CHARACTERS_MAX = 200;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

function shortened(words: string, max: number): string {
  if (words.length <= max) return words;
  const cut = Buffer.from(words.slice(0, max - 1), 'utf16le').toString('utf16le');
  return `${cut.replace(HIGH_SURROGATE, '')}…`;
}

const statusText = (status: number) => `the node answered with status ${status}`;

export const faultKind = (status: number): FaultKind => GATEWAY_FAULTS[status] ?? 'invalid_response';

const tooLong = ({ kind, path }: NodeQuery): Refusal => ({
  code: 'bad_request',
  detail: `is longer than the nodes of the network take: it makes a path of ${path.length} bytes`,
  parameter: ARGUMENTS[kind],
  elsewhere: true,
});

/**
 * Parses a node's response. Limits the number of values, because a contract may return megabytes of brackets. Deep
 * nesting is harmless, because JSON.parse does not recurse.
 */
function parse(body: Buffer, status: number): Record<string, unknown> {
  const fault = shapeFault(body, { depth: Infinity, values: LIMITS.nodes.values.max });
  if (fault) throw new UpstreamFault('invalid_response', `the node's answer ${fault}`);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Invalid JSON is reported below.
  }
  throw new UpstreamFault(faultKind(status), `${statusText(status)} without a JSON object`);
}

function refusalOf({ kind, height }: NodeQuery, code: number, message: string): Refusal | undefined {
  // Errors of the contract are tested first, because a contract can imitate the node's messages.
  if (kind === 'smart' && (CONTRACT_FAILED.test(message) || OUT_OF_GAS.test(message))) {
    const words = message.replace(GATEWAY_PREFIX, '').replace(CONTRACT_FAILED, '');
    return { code: 'validation_failed', detail: words || message };
  }
  if (FUTURE.test(message)) {
    return { code: 'bad_request', detail: 'is a block that does not exist yet', parameter: 'height', elsewhere: true };
  }
  if (height !== undefined && PRUNED.test(message)) {
    return { code: 'not_found', detail: `no endpoint keeps the state of height ${height}`, elsewhere: true };
  }
  if (code === NOT_FOUND || UNKNOWN.test(message)) {
    return { code: 'not_found', detail: message.replace(GATEWAY_PREFIX, '') };
  }
  if (BAD_ADDRESS.test(message)) return { code: 'bad_request', detail: message, parameter: ADDRESSES[kind] };
  if (code === INVALID_ARGUMENT) return { code: 'bad_request', detail: message, parameter: ARGUMENTS[kind] };
  return undefined;
}
