import { bech32 } from '@scure/base';

const PREFIX = 'cosmos';
const OPERATOR_PREFIX = `${PREFIX}valoper`;
export const ADDRESSES_MAX = 50;
/** With more wallets, the page folds what it shows about each wallet. */
export const WALLETS_UNFOLDED_MAX = 8;
/** Number of bytes in an address that is derived from a public key, such as a validator's address. */
const KEY_LENGTH = 20;
const LENGTHS = [KEY_LENGTH, 32];

/**
 * Names of chains by prefix, whose addresses are derived like those of the Cosmos Hub (coin type 118). An owner's addresses on
 * these chains have the same bytes. Chains with other key types, such as evmos and inj, are left out.
 */
const SAME_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ akash: 'Akash', archway: 'Archway', axelar: 'Axelar', celestia: 'Celestia', chihuahua: 'Chihuahua' },
    ...{ dydx: 'dYdX', gravity: 'Gravity Bridge', iaa: 'IRISnet', juno: 'Juno', kujira: 'Kujira' },
    ...{ neutron: 'Neutron', noble: 'Noble', omniflix: 'OmniFlix', osmo: 'Osmosis', quick: 'Quicksilver' },
    ...{ regen: 'Regen', saga: 'Saga', sent: 'Sentinel', somm: 'Sommelier', stars: 'Stargaze', stride: 'Stride' },
    umee: 'Umee',
  }),
);

/** Returns the name of a chain on which the address's key has other prefixes only; undefined for other chains. */
export const chainOf = (address: string): string | undefined => SAME_KEYS.get(prefixOf(address));

const prefixOf = (address: string) => address.slice(0, address.lastIndexOf('1'));

/** Reports whether two addresses, perhaps on two chains, have the same bytes. */
export function haveSameBytes(one: string, other: string): boolean {
  const [a, b] = [one, other].map((address) => bech32.decodeUnsafe(address as `${string}1${string}`)?.words.join(' '));
  return a !== undefined && a === b;
}

export interface Fault {
  readonly words: string;
  readonly instead?: Instead;
}

export interface Instead {
  readonly word: string;
  readonly wallet: string;
  /** Operator address, if the user entered the address of a validator. Validators have a page of their own. */
  readonly operator?: string;
}

interface ReadAddresses {
  readonly addresses: readonly string[];
  readonly faults: readonly Fault[];
}

/** Matches separators between addresses: blanks, punctuation, and invisible characters that messengers insert. */
const BETWEEN = /[\s,;"'<>()[\]“”„‘’«»\u200b-\u200f\u2060\u00ad]+/;

/** Matches the address in a link to a block explorer, or the first address in a link to a report. */
const IN_LINK = /^https?:.*?([a-z]+1[a-z0-9]{38,})/i;
const REST_OF_LINK = /&.*$/;

/** Matches text that looks like an address of any chain. */
const LIKE_AN_ADDRESS = /^(cosmos1|[a-z]+1[a-z0-9]{20})/i;

/** Smallest number of words in a recovery phrase, and the form of its words (BIP-39, English). */
const PHRASE_WORDS = 12;
const PHRASE_WORD = /^[a-z]{3,8}$/i;
/** Matches separators and numbering between the words of a phrase. */
const BETWEEN_WORDS = /[\s\p{P}\p{Cf}|]+(?:\d+[\s\p{P}\p{Cf}|]+)?/u;

/**
 * Returns true if a text contains a recovery phrase: at least 12 plain words in a row. The form of the words suffices,
 * because an address has digits and at least 40 characters. A list of words would have to load first.
 */
export function hasRecoveryPhrase(text: string): boolean {
  let inRow = 0;
  return text.split(BETWEEN_WORDS).some((word) => {
    inRow = PHRASE_WORD.test(word) ? inRow + 1 : 0;
    return inRow >= PHRASE_WORDS;
  });
}

export function readAddresses(text: string): ReadAddresses {
  const found = new Set<string>();
  const faults = new Map<string, Fault>();
  for (const given of text.split(BETWEEN).filter(Boolean)) {
    const word = IN_LINK.exec(given)?.[1] ?? given.replace(REST_OF_LINK, '');
    const fault = faultOf(word);
    if (fault) faults.set(word, fault);
    else found.add(word.toLowerCase());
  }
  const many = `These are ${found.size} addresses; a report can have up to ${ADDRESSES_MAX}.`;
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

/**
 * Returns an error for a valid address that is not a Cosmos Hub wallet: another kind of address, or another chain.
 * @param wallet Hub wallet with the same bytes
 */
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

export const shortened = (address: string): string =>
  address.length > 22 ? `${address.slice(0, 12)}…${address.slice(-6)}` : address;
