/**
 * The account's entries at the last sync, by path: the common ancestor of a three-way merge. A difference from this
 * browser is a local change; a difference from the account was made on another device.
 */
import type { Values } from '../values/merged.js';
import { isStored, wereRestored } from './statements.js';

interface KnownEntry {
  readonly etag: string;
  readonly values: Values;
  /** JSON that this browser sent; the service may store only the part about the wallet. Absent if another device saved it. */
  readonly sent?: string | undefined;
}

interface Known {
  /** Account id of the entries. */
  readonly account: string;
  readonly entries: Readonly<Record<string, KnownEntry>>;
}

const SYNCED_KEY = 'hubledger.saved-entries';
const NOT_SYNCED: Known = { account: '', entries: {} };

let known = storedEntries();

function storedEntries(): Known {
  try {
    const { account, entries } = { ...NOT_SYNCED, ...JSON.parse(localStorage.getItem(SYNCED_KEY) ?? '{}') };
    return entries instanceof Object ? { account, entries } : NOT_SYNCED;
  } catch {
    return NOT_SYNCED;
  }
}

addEventListener('storage', ({ key }) => {
  if (key === SYNCED_KEY || key === null) known = storedEntries();
});

/** Returns an account's entry at the last sync; undefined if unknown. */
export const syncedEntry = (account: string, path: string): KnownEntry | undefined =>
  known.account === account ? known.entries[path] : undefined;

export function storeSynced(account: string, path: string, entry: KnownEntry): void {
  store({ account, entries: { ...(known.account === account && known.entries), [path]: entry } });
}

/** Forgets the last sync. The next sync merges both sides and removes nothing. */
export const forgetSynced = (): void => store(NOT_SYNCED);

/** Stores the entries only if statements are stored, too. Next to older statements they would make those look like new changes. */
function store(entries: Known): void {
  known = entries;
  try {
    if (isStored.peek() && entries !== NOT_SYNCED) localStorage.setItem(SYNCED_KEY, JSON.stringify(entries));
    else localStorage.removeItem(SYNCED_KEY);
  } catch {
    // They stay in memory until the page closes.
  }
}

// If statements are lost, the last sync would make them look deleted, and the account's copies would be deleted.
if (!wereRestored) forgetSynced();
