/**
 * Statements that are saved with the account: decisions and opening lots, wallet by wallet. Tags are never stored by the service. Other
 * devices may change them meanwhile: their changes are taken over, and nothing that is stated here is lost.
 */
import { signal } from '@preact/signals';
import { get, Refusal, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { counted } from '../values/counted.js';
import { merged, type Values } from '../values/merged.js';
import { account, forgetAccount, isKnown, isOver } from './account.js';
import { forgetKnown, knowEntry, knownEntry } from './known-saved.js';
import { type AssetDecision, type OpeningLot, type Statements, statements } from './statements.js';

/** Words on what came from other devices since the page was loaded; '' while nothing did. */
export const fromElsewhere = signal('');

/** One kind of saved entries, each as values by key: decisions by row, lots by denom. */
interface Kind {
  readonly path: (address: string) => string;
  readonly member: string;
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
    read: ({ decisions }) => decisions,
    write: (stated, _, values) => ({ ...stated, decisions: values as Record<string, AssetDecision> }),
    content: (values) => values,
    values: (decisions: Values) => decisions,
  },
  {
    path: PATHS.savedLots,
    member: 'opening_lots',
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

/** Paths of the entries that were read since the page was loaded. */
const read = new Set<string>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * Brings statements and account together before figures are asked for: what the account has is taken over, and what is stated here is
 * saved; one after the other, so that each knows what the one before it has saved.
 * @returns false where statements were taken over, which asks for the figures anew
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
  try {
    return await keep(id, addresses, stated);
  } catch (error) {
    // Statements are taken back then, to those before others were taken over: that must not remove these.
    if (error instanceof Refusal && error.problem?.errors) forgetKnown();
    if (!isOver(error)) throw error;
    forgetAccount(); // signed out elsewhere: what is stated stays in this browser
    return true;
  }
}

async function keep(id: string, addresses: readonly string[], stated: Statements): Promise<boolean> {
  const entries = addresses.flatMap((address) => KINDS.map((kind) => ({ id, kind, address })));
  let isAsStated = true;
  for (const entry of entries) {
    const path = entry.kind.path(entry.address);
    const isRead = read.has(path) && knownEntry(id, path) !== undefined;
    if (!isRead && (await takeOver(entry))) isAsStated = false;
  }
  if (!isAsStated) return false;
  for (const entry of entries) if (!(await save(entry, stated))) return false;
  return true;
}

/** An entry as the API shows it, with the member of its kind. */
type SavedEntry = Readonly<Record<string, never>> & { readonly etag: string };

interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly address: string;
}

/** Adds what was changed in the account and not here. @returns whether there was anything */
async function takeOver({ id, kind, address }: Entry): Promise<boolean> {
  const path = kind.path(address);
  const entry = await get<SavedEntry>(path);
  const theirs = kind.values(entry[kind.member]!);
  const stated = statements.peek();
  const mine = kind.read(stated, address);
  const known = knownEntry(id, path);
  const { values, overruled } = merged(known?.values ?? {}, theirs, mine);
  const isChanged = JSON.stringify(kind.content(values)) !== JSON.stringify(kind.content(mine));
  if (overruled.length > 0)
    fromElsewhere.value = `You have answered ${counted(overruled.length, 'question')} in another way on another device: what this page says counts.`;
  else if (isChanged) fromElsewhere.value = 'What you have answered on another device counts here, too.';
  // First the statements: another tab that hears of the entry alone would take its older ones for new.
  if (isChanged) statements.value = kind.write(stated, address, values);
  if (entry.etag !== known?.etag) knowEntry(id, path, { etag: entry.etag, values: theirs });
  read.add(path);
  return isChanged;
}

const ATTEMPTS_MAX = 3;

/** Saves an entry, unless another device has changed it meanwhile. @returns false where statements were taken over */
async function save(entry: Entry, stated: Statements, attempt = 1): Promise<boolean> {
  const { id, kind, address } = entry;
  const path = kind.path(address);
  const known = knownEntry(id, path);
  const content = kind.content(kind.read(stated, address));
  const text = JSON.stringify(content);
  if (known && (known.sent === text || JSON.stringify(kind.content(known.values)) === text)) return true;
  try {
    const saved = await send<SavedEntry>('PUT', path, { [kind.member]: content }, known?.etag);
    knowEntry(id, path, { etag: saved.etag, values: kind.values(saved[kind.member]!), sent: text });
    return true;
  } catch (error) {
    const isLate = error instanceof Refusal && error.problem?.status === 412 && attempt < ATTEMPTS_MAX;
    if (!isLate) throw error;
    return !(await takeOver(entry)) && save(entry, stated, attempt + 1);
  }
}
