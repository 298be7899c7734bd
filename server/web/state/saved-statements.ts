/**
 * Syncs each wallet's decisions and opening lots with the account. The service never stores tags. Changes from other
 * devices are merged, and changes in this browser are never lost.
 */
import { signal } from '@preact/signals';
import type { SavedWallets } from '../../../schemas/types.generated.js';
import { ApiError, get, post, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { counted } from '../values/decimal.js';
import { mapConcurrently } from '../values/in-lanes.js';
import { merged, type Values } from '../values/merged.js';
import { account, forgetAccount, isKnown, isOver } from './account.js';
import {
  type AssetDecision,
  forgetSynced,
  type OpeningLot,
  ownersStatements,
  type Statements,
  statements,
  storeSynced,
  syncedEntry,
} from './statements.js';

/** Describes the changes from other devices that were merged since the page was loaded; '' if there were none. */
export const fromElsewhere = signal('');
/** Text about the progress of loading the account's entries; '' if no entries are being loaded. */
export const readingSaved = signal('');

/**
 * A kind of saved entry, and how its content maps to keys and values. Decisions have row ids as keys, and lots have
 * denoms.
 */
interface Kind {
  readonly path: string;
  readonly member: string;
  /** Returns the time when the wallet's entry was saved; null if the account has no such entry. */
  savedAt(wallet: SavedWallets['wallets'][number]): string | null;
  read(stated: Statements, address: string): Values;
  write(stated: Statements, address: string, values: Values): Statements;
  content(values: Values): unknown;
  values(content: never): Values;
}

type StatedLot = Omit<OpeningLot, 'address'>;

const KINDS: readonly Kind[] = [
  {
    path: PATHS.savedDecisions,
    member: 'decisions',
    savedAt: ({ decisions_saved_at }) => decisions_saved_at,
    read: ({ decisions }, address) => decisions[address] ?? {},
    write: (stated, address, values) => ({
      ...stated,
      decisions: { ...stated.decisions, [address]: values as Record<string, AssetDecision> },
    }),
    content: (values) => values,
    values: (decisions: Values) => decisions,
  },
  {
    path: PATHS.savedLots,
    member: 'opening_lots',
    savedAt: ({ opening_lots_saved_at }) => opening_lots_saved_at,
    read: ({ openingLots }, address) =>
      byDenom(openingLots.filter((lot) => lot.address === address).map(({ address: _, ...lot }) => lot)),
    write: (stated, address, values) => ({
      ...stated,
      openingLots: [
        ...stated.openingLots.filter((lot) => lot.address !== address),
        ...lotsOf(values).map((lot) => ({ ...lot, address })),
      ],
    }),
    content: (values) => lotsOf(values),
    values: (lots: readonly StatedLot[]) => byDenom(lots),
  },
];

const lotsOf = (values: Values) => Object.values(values).flat() as StatedLot[];

function byDenom(lots: readonly StatedLot[]): Values {
  const values: Record<string, StatedLot[]> = {};
  for (const lot of lots) values[lot.denom] = [...(values[lot.denom] ?? []), lot];
  return values;
}

/** Keys of entries that have been read since the page was loaded. */
const read = new Set<string>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * Merges the account's entries into the statements, then saves this browser's changes. Runs before amounts load.
 * Concurrent calls run one after another, so that each one uses the last saved version.
 * @returns false if statements changed, which reloads the amounts
 * @throws ApiError
 */
export function syncWithAccount(addresses: readonly string[], stated: Statements): Promise<boolean> {
  const synced = turn.then(() => syncInTurn(addresses, stated));
  turn = synced.catch(() => undefined);
  return synced;
}

async function syncInTurn(addresses: readonly string[], stated: Statements): Promise<boolean> {
  await isKnown;
  const id = account.peek()?.id;
  if (id === undefined || ownersStatements.peek() !== '') return true;
  if (stated !== statements.peek()) return false;
  try {
    return await syncEntries(id, addresses, stated);
  } catch (error) {
    // The report reverts this merge. So the entries must be read again. Otherwise the next save would delete them.
    if (error instanceof ApiError && error.problem?.errors) forgetRead();
    if (!isOver(error)) throw error;
    forgetAccount(); // the user signed out on another device; statements stay in this browser
    return true;
  } finally {
    readingSaved.value = '';
  }
}

function forgetRead(): void {
  forgetSynced();
  read.clear();
}

async function syncEntries(id: string, addresses: readonly string[], stated: Statements): Promise<boolean> {
  const entries = addresses.flatMap((address) =>
    KINDS.map((kind) => ({ id, kind, address, key: `${kind.path} ${address}` })),
  );
  const unread = entries.filter(({ key }) => !read.has(key));
  if (unread.length > 0 && mergeEntries(await readSaved(unread))) return false;
  const synced = await mapConcurrently(entries, (entry) => save(entry, stated));
  return synced.every(Boolean);
}

type SavedEntry = Readonly<Record<string, never>> & { readonly etag: string };

interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly address: string;
  /** The key under which this browser remembers the last sync. */
  readonly key: string;
}

interface ReadEntry extends Entry {
  readonly saved: SavedEntry;
}

const readEntry = async (entry: Entry): Promise<ReadEntry> => {
  const { kind, address } = entry;
  return { ...entry, saved: await post<SavedEntry>(PATHS.read(kind.path), { address }) };
};

/**
 * Reads the entries that the account has now, or had at the last sync. Lists the wallets first, so that no request is
 * made for a missing entry.
 */
async function readSaved(unread: readonly Entry[]): Promise<ReadEntry[]> {
  const { wallets } = await get<SavedWallets>(PATHS.saved);
  const has = ({ id, kind, address, key }: Entry) =>
    wallets.some((wallet) => wallet.address === address && kind.savedAt(wallet) !== null) ||
    Object.keys(syncedEntry(id, key)?.values ?? {}).length > 0;
  const wanted = unread.filter(has);
  let done = 0;
  const entries = await mapConcurrently(wanted, async (entry) => {
    const found = await readEntry(entry);
    readingSaved.value = `Loading your saved data, ${++done} of ${wanted.length}…`;
    return found;
  });
  for (const { key } of unread) read.add(key);
  return entries;
}

/**
 * Merges the account's changes into this browser's statements.
 * @returns true if the account had changes
 */
function mergeEntries(entries: readonly ReadEntry[]): boolean {
  let stated = statements.peek();
  let statementCount = 0;
  for (const { id, kind, address, key, saved } of entries) {
    const mine = kind.read(stated, address);
    const { values, overruled } = merged(syncedEntry(id, key)?.values ?? {}, valuesOf(kind, saved), mine);
    statementCount += overruled.length;
    if (JSON.stringify(kind.content(values)) !== JSON.stringify(kind.content(mine)))
      stated = kind.write(stated, address, values);
  }
  const isChanged = stated !== statements.peek();
  if (statementCount > 0)
    fromElsewhere.value = `You answered ${counted(statementCount, 'question')} differently on another device. The answers on this page are used.`;
  else if (isChanged) fromElsewhere.value = 'Your answers from another device are applied here, too.';
  // Stores statements before entries. If another tab saw only the new entries, it would take its old statements for
  // changes by the user.
  statements.value = stated;
  for (const { id, kind, key, saved } of entries) {
    if (saved.etag !== syncedEntry(id, key)?.etag)
      storeSynced(id, key, { etag: saved.etag, values: valuesOf(kind, saved) });
  }
  return isChanged;
}

const valuesOf = (kind: Kind, saved: SavedEntry): Values => kind.values(saved[kind.member]!);

const ATTEMPTS_MAX = 3;

/** Saves an entry. @returns false if another device had changed the entry and both versions were merged */
async function save(entry: Entry, stated: Statements, attempt = 1): Promise<boolean> {
  const { id, kind, address, key } = entry;
  const known = syncedEntry(id, key);
  const content = kind.content(kind.read(stated, address));
  const text = JSON.stringify(content);
  if (known?.sent === text || JSON.stringify(kind.content(known?.values ?? {})) === text) return true;
  try {
    // An entry that was never read must be read first, because it may have been saved after the list was read.
    if (known) {
      const saved = await send<SavedEntry>('POST', kind.path, { address, [kind.member]: content }, known.etag);
      storeSynced(id, key, { etag: saved.etag, values: valuesOf(kind, saved), sent: text });
      return true;
    }
  } catch (error) {
    const isLate = error instanceof ApiError && error.problem?.status === 412 && attempt < ATTEMPTS_MAX;
    if (!isLate) throw error;
  }
  return !mergeEntries([await readEntry(entry)]) && save(entry, stated, attempt + 1);
}
