/** Addresses as people paste them. */
import { bech32 } from '@scure/base';

/** Account prefix of the Cosmos Hub. */
const PREFIX = 'cosmos';
/** Addresses that one request may name. */
const ADDRESSES_MAX = 50;
const LENGTHS = [20, 32];

export interface ReadAddresses {
  /** Well-formed addresses in the order given, each once. */
  readonly addresses: readonly string[];
  /** Fault in plain words; empty where there is none. */
  readonly faults: readonly string[];
}

/** Signs between addresses: blanks, commas, semicolons, quotes and brackets, also of the sort that messengers and word processors put in. */
const BETWEEN = /[\s,;"'<>()[\]“”„‘’«»\u200b-\u200f\u2060\u00ad]+/;

/** Reads addresses from a text with blanks, signs or line breaks between them. */
export function readAddresses(text: string): ReadAddresses {
  const found = new Set<string>();
  const faults: string[] = [];
  for (const word of text.split(BETWEEN).filter(Boolean)) {
    const fault = faultOf(word);
    if (fault) faults.push(fault);
    else found.add(word.toLowerCase());
  }
  if (found.size > ADDRESSES_MAX) faults.push(`These are ${found.size} addresses; up to ${ADDRESSES_MAX} go together.`);
  return { addresses: [...found], faults };
}

function faultOf(word: string): string | undefined {
  const shown = shortened(word);
  if (/^(0x[0-9a-f]{40}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1\w+)$/i.test(word)) {
    return `${shown} belongs to another chain; addresses of the Cosmos Hub begin with cosmos1.`;
  }
  const decoded = bech32.decodeUnsafe(word as `${string}1${string}`);
  if (!decoded) return `${shown} is not a whole address: a letter is missing or wrong.`;
  if (decoded.prefix.startsWith(`${PREFIX}val`))
    return `${shown} is a validator; paste the address of its wallet instead.`;
  if (decoded.prefix !== PREFIX) return `${shown} is on another chain; addresses of the Cosmos Hub begin with cosmos1.`;
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  return bytes && LENGTHS.includes(bytes.length) ? undefined : `${shown} has not the length of an address.`;
}

/** 'cosmos1abcdef…wxyz': long enough to tell wallets apart. */
export const shortened = (address: string): string =>
  address.length > 22 ? `${address.slice(0, 12)}…${address.slice(-6)}` : address;
