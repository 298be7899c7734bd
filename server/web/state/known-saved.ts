/**
 * Entries that the account was last known to have, by path. They are kept beside this browser's statements: only what differs from them
 * was changed here, and what differs from them in the account was changed on another device.
 */
import type { Values } from '../values/merged.js';
import { areRestored, isKept } from './statements.js';

export interface KnownEntry {
  readonly etag: string;
  readonly values: Values;
  /** Text of the content that was sent for it, of which the service keeps what is about the wallet; absent where another device has sent it. */
  readonly sent?: string | undefined;
}

interface Known {
  /** Id of the account that they are of. */
  readonly account: string;
  readonly entries: Readonly<Record<string, KnownEntry>>;
}

const KEY = 'hubledger.saved-entries';
const NONE: Known = { account: '', entries: {} };

let known = kept();

function kept(): Known {
  try {
    const { account, entries } = { ...NONE, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
    return entries instanceof Object ? { account, entries } : NONE;
  } catch {
    return NONE;
  }
}

addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) known = kept();
});

/** Finds the entry of an account at a path; undefined where it is not known. */
export const knownEntry = (account: string, path: string): KnownEntry | undefined =>
  known.account === account ? known.entries[path] : undefined;

export function knowEntry(account: string, path: string, entry: KnownEntry): void {
  keep({ account, entries: { ...(known.account === account && known.entries), [path]: entry } });
}

/** Forgets them: what this browser and the account have is then put together, and nothing counts as removed. */
export const forgetKnown = (): void => keep(NONE);

/** Keeps them where the statements are kept as well: beside older statements they would make those look like new ones. */
function keep(entries: Known): void {
  known = entries;
  try {
    if (isKept.peek() && entries !== NONE) localStorage.setItem(KEY, JSON.stringify(entries));
    else localStorage.removeItem(KEY);
  } catch {
    // They count until the page is left.
  }
}

// Beside statements that are lost they would make those look taken back, and the account's be deleted.
if (!areRestored) forgetKnown();
