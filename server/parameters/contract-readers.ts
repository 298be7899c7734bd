/** Readers of the contract API's parameters: networks, addresses, messages and pages, checked before any node hears of them. */
import { bech32 } from '@scure/base';
import { isRecord } from '../../pipeline/json/exact-json.js';
import { memberSlices } from '../../pipeline/json/json-slices.js';
import { quoted } from '../../pipeline/json/quoted.js';
import { PARAMETERS, type ParameterName } from './parameter-schemas.js';
import type { Reading } from './reading.js';

const MESSAGE_BYTES_MAX = 64 * 1024;
/** Lengths of addresses: those of modules and early contracts, and those of contracts since. */
const ADDRESS_BYTES = [20, 32];
/** Human-readable parts of addresses. Bech32 takes nearly any character there, also those that mean something in a path. */
const ADDRESS_PREFIX = /^[a-z][a-z0-9]{0,31}$/;
/** Items of a page (specification, "Limits"). */
const LIMIT_MAX = 1000;
/** Strings of a JSON text, and the white space between its words, without which the same question is asked once. */
const SPACE = /("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g;
/** Base64 of either alphabet. */
const PAGE_KEY = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function readNetwork(reading: Reading, name: ParameterName): void {
  const network = reading.text(name);
  if (network === undefined) return;
  const { networks } = reading.context;
  if (networks.get(network)) reading.values.network = network;
  else reading.fault(name, `must be ${networks.names.join(' or ')}, not ${quoted(network)}`);
}

/** An address of the network that the request names, if it names one. */
export function readContract(reading: Reading, name: ParameterName): void {
  const address = reading.text(name);
  if (address === undefined) return;
  const prefix = reading.context.networks.get(reading.peek('network'))?.bech32Prefix;
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (!decoded || !ADDRESS_PREFIX.test(decoded.prefix) || !ADDRESS_BYTES.includes(bytes ?? 0)) {
    reading.fault(name, `must be a bech32 address with a right checksum, not ${quoted(address)}`);
  } else if (prefix && decoded.prefix !== prefix) {
    reading.fault(name, `must begin with ${prefix}1, not ${quoted(address)}`);
  }
  reading.values.contract = address.toLowerCase();
}

/** The contract gets its message as it is written, digit by digit, also where that is a member of a body. */
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
  // Blanks are left out of JSON alone: in another text each quote would be sought to the end.
  if (isRecord(message)) reading.values.message = text.replace(SPACE, '$1');
  else reading.fault(name, 'must be a JSON object');
}

/** The member of a body as it is written; its name may be written with escapes. */
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

/** A whole number from 1 on, given as digits or, in a body, as a number. */
function readWhole(reading: Reading, name: ParameterName, most: number): number | undefined {
  const value = reading.take(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isInteger(number) && Number(number) >= 1 && Number(number) <= most) return Number(number);
  reading.fault(name, `must be a whole number from 1 to ${most}`);
  return undefined;
}

export function readPageKey(reading: Reading, name: ParameterName): void {
  const key = reading.text(name);
  if (key !== undefined && !PAGE_KEY.test(key)) reading.fault(name, 'must be the next_key of a page');
  reading.values.pageKey = key;
}
