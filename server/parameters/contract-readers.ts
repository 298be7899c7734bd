/** Readers of the contract API's parameters. They validate everything before a node is queried. */
import { bech32 } from '@scure/base';
import { isRecord } from '../../pipeline/json/exact-json.js';
import { memberSlices } from '../../pipeline/json/json-slices.js';
import { quoted } from '../../pipeline/json/quoted.js';
import { PARAMETERS, type ParameterName } from './parameter-schemas.js';
import type { Reading } from './reading.js';

const MESSAGE_BYTES_MAX = 64 * 1024;
/** Address lengths in bytes: 20 for modules and early contracts, 32 for later contracts. */
const ADDRESS_BYTES = [20, 32];
/** Bech32 prefixes. Bech32 itself allows nearly any character, even those with a meaning in URL paths. */
const ADDRESS_PREFIX = /^[a-z][a-z0-9]{0,31}$/;
/** Most items in a page (specification, "Limits"). */
const LIMIT_MAX = 1000;
/** Matches JSON strings, and the white space between tokens. Removing white space lets equal queries share a cache entry. */
const SPACE = /("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g;
const PAGE_KEY = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function readNetwork(reading: Reading, name: ParameterName): void {
  const network = reading.text(name);
  if (network === undefined) return;
  const { networks } = reading.context;
  if (networks.get(network)) reading.values.network = network;
  else reading.fault(name, `must be ${networks.names.join(' or ')}, not ${quoted(network)}`);
}

/** Reads a contract address; its prefix must match the network, if one is given. */
export function readContract(reading: Reading, name: ParameterName): void {
  const address = reading.text(name);
  if (address === undefined) return;
  const prefix = reading.context.networks.get(reading.peek('network'))?.bech32Prefix;
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (!decoded || !ADDRESS_PREFIX.test(decoded.prefix) || !ADDRESS_BYTES.includes(bytes ?? 0)) {
    reading.fault(name, `must be a bech32 address with a valid checksum, not ${quoted(address)}`);
  } else if (prefix && decoded.prefix !== prefix) {
    reading.fault(name, `must begin with ${prefix}1, not ${quoted(address)}`);
  }
  reading.values.contract = address.toLowerCase();
}

/** Reads the message. It is forwarded digit by digit, because parsing would round large numbers. */
export function readMessage(reading: Reading, name: ParameterName): void {
  const value = reading.take(name);
  if (value === undefined) return;
  const isBody = reading.source.kind === 'body';
  const text = isBody ? memberText(reading.given.bodyText!, PARAMETERS[name].member.name) : String(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MESSAGE_BYTES_MAX) {
    reading.fault(name, `is larger than the limit of 64 KiB: ${bytes} bytes`);
    return;
  }
  const message = isBody ? value : reading.parsed(name, text);
  if (message === undefined) return;
  // Minifies objects only: in any other text a stray quote would match to the end.
  if (isRecord(message)) reading.values.message = text.replace(SPACE, '$1');
  else reading.fault(name, 'must be a JSON object');
}

/** Returns the raw text of a body's member, whose name may contain escapes. */
function memberText(body: string, member: string): string {
  let written = '';
  for (const [name, text] of memberSlices(body)) if (JSON.parse(`"${name}"`) === member) written = text;
  return written;
}

export function readHeight(reading: Reading, name: ParameterName): void {
  reading.values.height = readWhole(reading, name, Number.MAX_SAFE_INTEGER);
}

export function readLimit(reading: Reading, name: ParameterName): void {
  reading.values.limit = readWhole(reading, name, LIMIT_MAX) ?? Number(PARAMETERS[name].schema.default);
}

function readWhole(reading: Reading, name: ParameterName, max: number): number | undefined {
  const value = reading.take(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isInteger(number) && Number(number) >= 1 && Number(number) <= max) return Number(number);
  reading.fault(name, `must be a whole number from 1 to ${max}`);
  return undefined;
}

export function readPageKey(reading: Reading, name: ParameterName): void {
  const key = reading.text(name);
  if (key !== undefined && !PAGE_KEY.test(key)) reading.fault(name, 'must be the next_key of a page');
  reading.values.pageKey = key;
}
