/**
 * Statements that are saved with the account: decisions and opening lots, wallet by wallet. Tags are never stored by the service. Other
 * devices may change them meanwhile: their changes are taken over, and nothing that is stated here is lost.
 */
import { signal } from '@preact/signals';
import type { SavedWallets } from '../../../schemas/types.generated.js';
import { get, Refusal, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { counted } from '../values/counted.js';
import { inLanes } from '../values/in-lanes.js';
import { merged, type Values } from '../values/merged.js';
import { account, forgetAccount, isKnown, isOver } from './account.js';
import { forgetKnown, knowEntry, knownEntry } from './known-saved.js';
import { type AssetDecision, type OpeningLot, type Statements, statements } from './statements.js';

/** Words on what came from other devices since the page was loaded; '' while nothing did. */
export const fromElsewhere = signal('');
/** Words on how much of what the account has is read; '' while nothing is. */
export const readingSaved = signal('');

/** One kind of saved entries, each as values by key: decisions by row, lots by denom. */
interface Kind {
  readonly path: (address: string) => string;
  readonly member: string;
  /** When the account has saved the entry of a wallet; null: it has none. */
  savedAt(wallet: SavedWallets['wallets'][number]): string | null;
  /** The statements of this browser. */
  read(stated: Statements, address: string): Values;
  write(stated: Statements, address: string, values: Values): Statements;
  /** The member of an entry, from values and to them. */
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

/** Paths of the entries that are known since the page was loaded. */
const read = new Set<string>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * Brings statements and account together before figures are asked for: what the account has is taken over, and what is stated here is
 * saved; one after the other, so that each knows what the one before it has saved.
 * @returns false where statements were taken over, or others made meanwhile, which asks for the figures anew
 * @throws Refusal
 */
export function keepWithAccount(addresses: readonly string[], stated: Statements): Promise<boolean> {
  const kept = turn.then(() => keepInTurn(addresses, stated));
  turn = kept.catch(() => undefined);
  return kept;
}

async function keepInTurn(addresses: readonly string[], stated: Statements): Promise<boolean> {
  await isKnown;
  const id = account.peek()?.id;
  if (id === undefined) return true;
  if (stated !== statements.peek()) return false;
  try {
    return await keep(id, addresses, stated);
  } catch (error) {
    // Statements are taken back then, to those before others were taken over: that must not remove these.
    if (error instanceof Refusal && error.problem?.errors) forgetRead();
    if (!isOver(error)) throw error;
    forgetAccount(); // signed out elsewhere: what is stated stays in this browser
    return true;
  } finally {
    readingSaved.value = '';
  }
}

function forgetRead(): void {
  forgetKnown();
  read.clear();
}

async function keep(id: string, addresses: readonly string[], stated: Statements): Promise<boolean> {
  const entries = addresses.flatMap((address) =>
    KINDS.map((kind) => ({ id, kind, address, path: kind.path(address) })),
  );
  const unread = entries.filter(({ path }) => !read.has(path));
  if (unread.length > 0 && takeOver(await readSaved(unread))) return false;
  const kept = await inLanes(entries, (entry) => save(entry, stated));
  return kept.every(Boolean);
}

/** An entry as the API shows it, with the member of its kind. */
type SavedEntry = Readonly<Record<string, never>> & { readonly etag: string };

interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly address: string;
  readonly path: string;
}

interface ReadEntry extends Entry {
  readonly saved: SavedEntry;
}

const readEntry = async (entry: Entry): Promise<ReadEntry> => ({ ...entry, saved: await get<SavedEntry>(entry.path) });

/** Reads the entries that the account has, or had when it was last asked: one list tells which, so that most wallets ask for nothing. */
async function readSaved(unread: readonly Entry[]): Promise<ReadEntry[]> {
  const { wallets } = await get<SavedWallets>(PATHS.saved);
  const has = ({ id, kind, address, path }: Entry) =>
    wallets.some((wallet) => wallet.address === address && kind.savedAt(wallet) !== null) ||
    Object.keys(knownEntry(id, path)?.values ?? {}).length > 0;
  const wanted = unread.filter(has);
  let done = 0;
  const entries = await inLanes(wanted, async (entry) => {
    const found = await readEntry(entry);
    readingSaved.value = `Reading what you have saved, ${++done} of ${wanted.length}…`;
    return found;
  });
  for (const { path } of unread) read.add(path);
  return entries;
}

/** Adds what was changed in the account and not here, of all entries at once. @returns whether there was anything */
function takeOver(entries: readonly ReadEntry[]): boolean {
  let stated = statements.peek();
  let answers = 0;
  for (const { id, kind, address, path, saved } of entries) {
    const mine = kind.read(stated, address);
    const { values, overruled } = merged(knownEntry(id, path)?.values ?? {}, valuesOf(kind, saved), mine);
    answers += overruled.length;
    if (JSON.stringify(kind.content(values)) !== JSON.stringify(kind.content(mine)))
      stated = kind.write(stated, address, values);
  }
  const isChanged = stated !== statements.peek();
  if (answers > 0)
    fromElsewhere.value = `You have answered ${counted(answers, 'question')} in another way on another device: what this page says counts.`;
  else if (isChanged) fromElsewhere.value = 'What you have answered on another device counts here, too.';
  // First the statements: another tab that hears of the entries alone would take its older ones for new.
  statements.value = stated;
  for (const { id, kind, path, saved } of entries) {
    if (saved.etag !== knownEntry(id, path)?.etag)
      knowEntry(id, path, { etag: saved.etag, values: valuesOf(kind, saved) });
  }
  return isChanged;
}

const valuesOf = (kind: Kind, saved: SavedEntry): Values => kind.values(saved[kind.member]!);

const ATTEMPTS_MAX = 3;

/** Saves an entry, unless another device has changed it meanwhile. @returns false where statements were taken over */
async function save(entry: Entry, stated: Statements, attempt = 1): Promise<boolean> {
  const { id, kind, address, path } = entry;
  const known = knownEntry(id, path);
  const content = kind.content(kind.read(stated, address));
  const text = JSON.stringify(content);
  if (known?.sent === text || JSON.stringify(kind.content(known?.values ?? {})) === text) return true;
  try {
    // What nobody knows to be there is read first: it may have been saved since the list was.
    if (known) {
      const saved = await send<SavedEntry>('PUT', path, { [kind.member]: content }, known.etag);
      knowEntry(id, path, { etag: saved.etag, values: valuesOf(kind, saved), sent: text });
      return true;
    }
  } catch (error) {
    const isLate = error instanceof Refusal && error.problem?.status === 412 && attempt < ATTEMPTS_MAX;
    if (!isLate) throw error;
  }
  return !takeOver([await readEntry(entry)]) && save(entry, stated, attempt + 1);
}
