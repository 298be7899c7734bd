/** Addresses as people paste them. */
import { bech32 } from '@scure/base';

/** Account prefix of the Cosmos Hub. */
const PREFIX = 'cosmos';
const OPERATOR_PREFIX = `${PREFIX}valoper`;
/** Addresses that one request may name. */
const ADDRESSES_MAX = 50;
/** Bytes of an address that follows from a key, as a validator's and its wallet's do. */
const KEY_LENGTH = 20;
const LENGTHS = [KEY_LENGTH, 32];

/**
 * Account prefixes of chains for which wallets derive keys as for the Hub (coin type 118): an address there and one on the Hub are
 * the same bytes. Those of chains with keys of their own, such as evmos and inj, would name a wallet that nobody has.
 */
const SAME_KEYS = new Set(
  'akash archway axelar celestia chihuahua dydx gravity iaa juno kujira neutron noble omniflix osmo quick regen saga sent somm stars stride umee'.split(
    ' ',
  ),
);

export interface Fault {
  /** Plain words on what is wrong. */
  readonly words: string;
  readonly instead?: Instead;
}

/** A wallet in place of a word that is another address of its key. */
export interface Instead {
  readonly word: string;
  readonly wallet: string;
  /** Operator's address where the word is a validator's, which has a statement of its own. */
  readonly operator?: string;
}

export interface ReadAddresses {
  /** Well-formed addresses in the order given, each once. */
  readonly addresses: readonly string[];
  readonly faults: readonly Fault[];
}

/** Signs between addresses: blanks, commas, semicolons, quotes and brackets, also of the sort that messengers and word processors put in. */
const BETWEEN = /[\s,;"'<>()[\]“”„‘’«»\u200b-\u200f\u2060\u00ad]+/;

/** The address in a link to a block explorer's page of it, or the first one in a link to a report. */
const IN_LINK = /^https?:.*?([a-z]+1[a-z0-9]{38,})/i;
/** The rest of a link to a report behind its last address. */
const BEHIND = /&.*$/;

/** Text that somebody means as an address, of whatever chain. */
const LIKE_AN_ADDRESS = /^(cosmos1|[a-z]+1[a-z0-9]{20})/i;

/** Reads addresses from a text with blanks, signs or line breaks between them. */
export function readAddresses(text: string): ReadAddresses {
  const found = new Set<string>();
  const faults = new Map<string, Fault>();
  for (const given of text.split(BETWEEN).filter(Boolean)) {
    const word = IN_LINK.exec(given)?.[1] ?? given.replace(BEHIND, '');
    const fault = faultOf(word);
    if (fault) faults.set(word, fault);
    else found.add(word.toLowerCase());
  }
  const many = `These are ${found.size} addresses; up to ${ADDRESSES_MAX} go together.`;
  return {
    addresses: [...found],
    faults: [...faults.values(), ...(found.size > ADDRESSES_MAX ? [{ words: many }] : [])],
  };
}

function faultOf(word: string): Fault | undefined {
  const shown = shortened(word);
  if (/^(0x[0-9a-f]{40}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1\w+)$/i.test(word)) {
    return { words: `${shown} belongs to another chain. Addresses on the Cosmos Hub begin with cosmos1.` };
  }
  const decoded = bech32.decodeUnsafe(word as `${string}1${string}`);
  if (!decoded) {
    return LIKE_AN_ADDRESS.test(word)
      ? { words: `${shown} is not a complete address: a letter is missing or wrong. Copy it again from your wallet.` }
      : { words: `“${shown}” is not an address. Addresses on the Cosmos Hub begin with cosmos1.` };
  }
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (decoded.prefix === PREFIX) {
    const isWhole = bytes !== undefined && LENGTHS.includes(bytes.length);
    return isWhole ? undefined : { words: `${shown} does not have the length of an address.` };
  }
  const wallet = bytes?.length === KEY_LENGTH ? bech32.encode(PREFIX, decoded.words) : undefined;
  return elsewhere(word, decoded.prefix, wallet);
}

/** Fault of a well-formed address that is no account's of the Hub. @param wallet the Hub's account with the same bytes */
function elsewhere(word: string, prefix: string, wallet: string | undefined): Fault {
  const shown = shortened(word);
  if (prefix === OPERATOR_PREFIX) {
    const words = `${shown} is a validator, not a wallet.`;
    return wallet ? { words, instead: { word, wallet, operator: word.toLowerCase() } } : { words };
  }
  if (prefix.startsWith(`${PREFIX}val`)) {
    return { words: `${shown} is a validator’s signing address. Paste the one that begins with ${OPERATOR_PREFIX}1.` };
  }
  if (wallet && SAME_KEYS.has(prefix)) {
    const words = `${shown} is on another chain. Most wallets use the same key on the Cosmos Hub.`;
    return { words, instead: { word, wallet } };
  }
  return { words: `${shown} is on another chain. Addresses on the Cosmos Hub begin with cosmos1.` };
}

/** 'cosmos1abcdef…wxyz': long enough to tell wallets apart. */
export const shortened = (address: string): string =>
  address.length > 22 ? `${address.slice(0, 12)}…${address.slice(-6)}` : address;
