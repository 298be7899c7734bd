/** Questions as requests put them: networks, addresses, messages and pages, checked before any node hears of them. */
import { bech32 } from '@scure/base';
import type { ParameterName } from '../parameters/parameters.js';
import { type Reading, shown } from '../parameters/reading.js';
import type { Network } from './network.js';
import type { Networks } from './networks.js';

/** Bytes of a message. */
const MOST_MESSAGE_BYTES = 64 * 1024;
/** Bytes of addresses: those of modules and early contracts, and those of contracts since. */
const ADDRESS_BYTES = [20, 32];

/** What a request says, and what it is checked against. */
export interface ContractReading {
  readonly reading: Reading;
  readonly networks: Networks;
  /** The message of a body as it is written there. */
  readonly written: string | undefined;
}

export function readNetwork({ reading, networks }: ContractReading): Network | undefined {
  const name = reading.text('network');
  const network = name === undefined ? undefined : networks.get(name);
  if (name !== undefined && !network) {
    reading.fault('network', `must be ${networks.names.join(' or ')}, not ${shown(name)}`);
  }
  return network;
}

/** In lower case. */
export function readContract(
  { reading }: ContractReading,
  name: ParameterName,
  network: Network | undefined,
): string | undefined {
  const address = reading.text(name);
  if (address === undefined) return undefined;
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (!decoded || !ADDRESS_BYTES.includes(bytes ?? 0)) {
    reading.fault(name, `must be a bech32 address with a right checksum, not ${shown(address)}`);
  } else if (network?.bech32Prefix && decoded.prefix !== network.bech32Prefix) {
    reading.fault(name, `must begin with ${network.bech32Prefix}1, not ${shown(address)}`);
  }
  return address.toLowerCase();
}

/** The message as it is written. */
export function readMessage({ reading, written }: ContractReading): string {
  const value = reading.take('query');
  if (value === undefined) return '';
  const text = reading.source === 'body' ? written! : String(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_MESSAGE_BYTES) reading.fault('query', `is larger than the limit of 64 KiB: ${bytes} bytes`);
  else if (!isObject(reading.source === 'body' ? value : parse(text))) reading.fault('query', 'must be a JSON object');
  return text;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A whole number, given as digits or, in a body, as a number. */
export function readWhole({ reading }: ContractReading, name: 'height' | 'limit', most: number): number | undefined {
  const value = reading.take(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isInteger(number) && Number(number) >= 1 && Number(number) <= most) return Number(number);
  reading.fault(name, `must be a whole number from 1 to ${most}`);
  return undefined;
}

export const readHeight = (reading: ContractReading) => readWhole(reading, 'height', Number.MAX_SAFE_INTEGER);

/**
 * A segment that every gateway takes: those that decode paths before they match them would see a slash in the usual
 * alphabet, and all understand the URL-safe one where the usual one does not fit.
 */
export function encodeMessage(message: string): string {
  const usual = Buffer.from(message).toString('base64');
  return encodeURIComponent(usual.replaceAll('+', '-').replaceAll('/', '_'));
}
