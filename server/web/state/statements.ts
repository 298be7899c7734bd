/**
 * Statements are facts that only the user knows, such as tags, decisions and purchases. The browser stores them and
 * sends them with each request.
 */
import { batch, computed, effect, signal } from '@preact/signals';
import { firstSecond, lastSecond, type Zone } from '../../../pipeline/base/values/zones.js';
import { type ByRow, changed, type StatedRow } from '../values/by-row.js';
import type { Values } from '../values/merged.js';
import { type Send, taggedSends, withRemembered } from '../values/payments.js';
import { rulesOf } from './dataset.js';
import { daysOfZone, proposedZone, UTC } from './zone.js';

export type { StatedRow } from '../values/by-row.js';

export interface Days {
  readonly start: string;
  readonly end: string;
}

/** Wallets and days of a report. */
export interface ReportQuery extends Days {
  readonly addresses: readonly string[];
}

export interface AssetDecision {
  readonly mode: 'exclude' | 'keep' | 'return' | 'override';
  readonly token?: string;
  readonly quantity?: string;
  readonly value_usd?: string;
  readonly cost_basis_usd?: string;
  /** Currency of `value` and `cost_basis`. Only other programs state amounts in another currency. */
  readonly currency?: string;
  readonly value?: string;
  readonly cost_basis?: string;
  readonly acquired_date?: string;
}

export interface OpeningLot {
  readonly address: string;
  readonly denom: string;
  readonly quantity: string;
  readonly acquired_date: string;
  readonly cost_basis_usd?: string;
  /** Currency of `cost_basis`. Only other programs state a cost in another currency. */
  readonly currency?: string;
  readonly cost_basis?: string;
}

/** A request contains only statements about its own wallets. */
export interface Statements {
  /** Decisions by row id. May also contain keys of bulk decisions, which other programs have saved. */
  readonly decisions: ByRow<AssetDecision>;
  readonly tags: ByRow<string>;
  readonly openingLots: readonly OpeningLot[];
  /** Tags by wallet and receiver. A tag applies to all sends to this receiver, including sends in other years. */
  readonly receivers: ByRow<string>;
  /** Names of own places by wallet and address, such as an exchange. Addresses with one name are one place. */
  readonly places: ByRow<string>;
  /** Receipts whose coins the user had not sent to an own place before, although they look like it. */
  readonly elsewhere: ByRow<true>;
  /** Items that stay unknown because the user has no answer: row ids, and keys of other questions. */
  readonly unknown: ByRow<true>;
  /**
   * By set of wallets (see walletsKey): true if all wallets belong to the user. Transfers between them then keep their
   * cost.
   */
  readonly own: Readonly<Record<string, boolean>>;
  /** By set of wallets (see walletsKey): true if they are all wallets in which their owner has these coins. */
  readonly complete: Readonly<Record<string, boolean>>;
  /** Code of the country by whose rules years count, or NO_COUNTRY; '' until the user chooses one. */
  readonly country: string;
  /** Currency of the country's page; '' for the country's own. */
  readonly currency: string;
  /** Name of the time zone whose days count. '' until the user states one: the page then uses the proposed zone. */
  readonly timezone: string;
}

const NONE: Statements = {
  decisions: {},
  tags: {},
  openingLots: [],
  receivers: {},
  places: {},
  elsewhere: {},
  unknown: {},
  own: {},
  complete: {},
  country: '',
  currency: '',
  timezone: '',
};

/** The choice of no country. */
export const NO_COUNTRY = 'none';

const KEY = 'hubledger.statements';

const earlier = kept();
const wereRestored = earlier !== undefined;
export const statements = signal<Statements>(earlier ?? NONE);

/** Packed answers of the wallets' owner from an opened link; '' if the page uses the user's own answers. */
export const ownersStatements = signal('');

/** Changes statements, unless they are the owner's answers, which are read-only. */
function state(changed: Partial<Statements>): void {
  if (ownersStatements.peek() === '') statements.value = { ...statements.value, ...changed };
}

/** Shows the owner's answers instead of the user's. The user's own answers stay in storage. */
export function showStatements(packed: string, owners: Statements): void {
  batch(() => {
    ownersStatements.value = packed;
    // Links from before time zones have the figures of UTC.
    statements.value = { ...owners, timezone: owners.timezone || UTC };
  });
}

export function leaveStatements(): void {
  if (ownersStatements.peek() === '') return;
  batch(() => {
    statements.value = kept() ?? NONE;
    ownersStatements.value = '';
  });
}

/** Returns the stored statements; undefined if nothing is stored or storage is unavailable. */
function kept(): Statements | undefined {
  try {
    const text = localStorage.getItem(KEY);
    if (text === null) return undefined;
    return readStatements(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the statements in a parsed file, link or storage entry; undefined if there are none. */
export function readStatements(parsed: unknown): Statements | undefined {
  if (!(parsed instanceof Object)) return undefined;
  const { decisions, tags, openingLots, receivers, places, elsewhere, unknown, own, complete, ...terms } = {
    ...NONE,
    ...parsed,
  };
  const { country, currency, timezone } = terms;
  const isByRow = (one: unknown) => one instanceof Object && Object.values(one).every((rows) => rows instanceof Object);
  const byRow = { decisions, tags, receivers, places, elsewhere, unknown };
  const isFit = Object.values(byRow).every(isByRow) && Array.isArray(openingLots);
  if (!isFit || !(own instanceof Object) || !(complete instanceof Object)) return undefined;
  if (![country, currency, timezone].every((one) => typeof one === 'string')) return undefined;
  return { ...byRow, openingLots, own, complete, country, currency, timezone };
}

export const isStored = signal(true);

effect(() => {
  const text = JSON.stringify(statements.value);
  if (ownersStatements.peek() !== '') return;
  try {
    localStorage.setItem(KEY, text);
    isStored.value = true;
  } catch {
    isStored.value = false;
  }
});

// Applies statements from other tabs, so that this tab does not overwrite them.
addEventListener('storage', ({ key }) => {
  if ((key === KEY || key === null) && ownersStatements.peek() === '') statements.value = kept() ?? NONE;
});

export const hasStatements = ({ openingLots, own, complete, ...stated }: Statements): boolean =>
  openingLots.length > 0 ||
  [own, complete].some((bySet) => Object.keys(bySet).length > 0) ||
  [stated.decisions, stated.tags, stated.receivers, stated.places, stated.elsewhere, stated.unknown]
    .flatMap((byWallet) => Object.values(byWallet))
    .some((rows) => Object.keys(rows).length > 0);

const walletsKey = (addresses: readonly string[]): string => [...addresses].sort().join(' ');

/** Returns whether all wallets belong to the user; undefined if the user has not answered. */
export const areWalletsMine = (addresses: readonly string[], { own } = statements.value): boolean | undefined =>
  own[walletsKey(addresses)];

export function stateWalletsMine(addresses: readonly string[], areAllMine: boolean): void {
  state({ own: { ...statements.value.own, [walletsKey(addresses)]: areAllMine } });
}

/** Returns whether the wallets are all that their owner has; undefined if the user has not answered. */
export const areAllWallets = (addresses: readonly string[], { complete } = statements.value): boolean | undefined =>
  complete[walletsKey(addresses)];

export function stateAllWallets(addresses: readonly string[], areAll: boolean): void {
  state({ complete: { ...statements.value.complete, [walletsKey(addresses)]: areAll } });
}

export function stateCountry(chosen: Partial<Pick<Statements, 'country' | 'currency' | 'timezone'>>): void {
  state(chosen);
}

/** Returns true if transfers between the wallets keep their cost: by the user's answer, or by the rules of a country. */
export function carries({ addresses }: Pick<ReportQuery, 'addresses'>, stated = statements.value): boolean {
  const rules = rulesOf(stated.country);
  return addresses.length > 1 && (rules ? rules.scope === 'person' : areWalletsMine(addresses, stated) === true);
}

export const decisionOf = ({ address, id }: StatedRow, { decisions } = statements.value): AssetDecision | undefined =>
  decisions[address]?.[id];

export const statesCost = (decision: AssetDecision | undefined): boolean =>
  (decision?.cost_basis_usd ?? decision?.cost_basis) !== undefined;

export const statesValue = (decision: AssetDecision | undefined): boolean =>
  (decision?.value_usd ?? decision?.value) !== undefined;

export const tagOf = ({ address, id }: StatedRow, { tags } = statements.value): string => tags[address]?.[id] ?? '';

/** Returns the statements about several wallets by row id. */
export const ofWallets = <Value>(byRow: ByRow<Value>, addresses: readonly string[]): Readonly<Record<string, Value>> =>
  Object.assign({}, ...addresses.map((address) => byRow[address]));

export function forgetStatements(): void {
  statements.value = { ...NONE }; // assigning a new object triggers storing even if nothing changed
}

/** Sets the decision about some rows. @param decision undefined removes the decisions */
export function decide(rows: readonly StatedRow[], decision: AssetDecision | undefined): void {
  state({ decisions: changed(statements.value.decisions, rows, decision) });
}

export function tag(rows: readonly StatedRow[], name: string): void {
  state({ tags: changed(statements.value.tags, rows, name === '' ? undefined : name) });
}

/**
 * States whether receipts only brought coins home that the user had sent to an own place before.
 * @param areReturns undefined removes the answers
 */
export function stateReturns(rows: readonly StatedRow[], areReturns: boolean | undefined): void {
  const { decisions, elsewhere } = statements.value;
  const returned = rows.filter((row) => decisionOf(row)?.mode === 'return');
  state({
    decisions: areReturns ? changed(decisions, rows, { mode: 'return' }) : changed(decisions, returned, undefined),
    elsewhere: changed(elsewhere, rows, areReturns === false ? true : undefined),
  });
}

export const isFromElsewhere = ({ address, id }: StatedRow, { elsewhere } = statements.value): boolean =>
  elsewhere[address]?.[id] === true;

/** @param addresses wallets with addresses of the place as ids */
export function namePlace(addresses: readonly StatedRow[], name: string): void {
  state({ places: changed(statements.value.places, addresses, name === '' ? undefined : name) });
}

/** Tags sends, and remembers each tag for later sends to the same receivers. */
export function tagSends(sends: readonly Send[], name: string): void {
  state(taggedSends(statements.value, sends, name));
}

/** Applies remembered tags to sends without a tag, even while the page shows the owner's answers. */
export function applyRemembered(sends: readonly Send[]): void {
  const open = sends.filter((send) => tagOf(send, statements.peek()) === '');
  const tags = withRemembered(statements.peek(), open);
  if (tags !== statements.peek().tags) statements.value = { ...statements.peek(), tags };
}

/**
 * Marks items as unknown, or removes the mark.
 * @param keys row ids, or keys of other questions about a wallet
 */
export function leaveUnknown(keys: readonly StatedRow[], isLeft: boolean): void {
  statements.value = {
    ...statements.value,
    unknown: changed(statements.value.unknown, keys, isLeft ? true : undefined),
  };
}

export const isLeftUnknown = ({ address, id }: StatedRow, { unknown } = statements.value): boolean =>
  unknown[address]?.[id] === true;

export function stateLots(openingLots: readonly OpeningLot[]): void {
  state({ openingLots });
}

/** Returns the statements about these wallets only, with the zone that the page uses. */
export function statementsAbout(addresses: readonly string[], stated = statements.peek()): Statements {
  const about = <Value>(byRow: ByRow<Value>): ByRow<Value> =>
    Object.fromEntries(Object.entries(byRow).filter(([address]) => addresses.includes(address)));
  const key = walletsKey(addresses);
  const [areMine, areAll] = [stated.own[key], stated.complete[key]];
  return {
    ...{ decisions: about(stated.decisions), tags: about(stated.tags), receivers: about(stated.receivers) },
    ...{ places: about(stated.places), elsewhere: about(stated.elsewhere) },
    ...{ unknown: about(stated.unknown), own: areMine === undefined ? {} : { [key]: areMine } },
    ...{ complete: areAll === undefined ? {} : { [key]: areAll }, country: stated.country, currency: stated.currency },
    openingLots: stated.openingLots.filter(({ address }) => addresses.includes(address)),
    timezone: zoneIn(stated),
  };
}

/** Adds the statements of a file. If both have a value, the file's value is used. */
export function addStatements(file: Statements): void {
  const now = statements.peek();
  const both = <Value>(mine: ByRow<Value>, theirs: ByRow<Value>): ByRow<Value> => {
    const wallets = Object.entries(theirs).map(([address, rows]) => [address, { ...mine[address], ...rows }]);
    return { ...mine, ...Object.fromEntries(wallets) };
  };
  const stated = new Set(file.openingLots.map(({ address, denom }) => `${address} ${denom}`));
  const lots = now.openingLots.filter(({ address, denom }) => !stated.has(`${address} ${denom}`));
  state({
    ...{ decisions: both(now.decisions, file.decisions), tags: both(now.tags, file.tags) },
    ...{ receivers: both(now.receivers, file.receivers), unknown: both(now.unknown, file.unknown) },
    ...{ places: both(now.places, file.places), elsewhere: both(now.elsewhere, file.elsewhere) },
    ...{ own: { ...now.own, ...file.own }, complete: { ...now.complete, ...file.complete } },
    ...(file.country !== '' && { country: file.country, currency: file.currency }),
    ...{ openingLots: [...lots, ...file.openingLots] },
    ...(file.timezone !== '' && { timezone: file.timezone }),
  });
}

/** Excludes flagged receipts until the user decides about them. The page explains this. */
const UNDECIDED = { '*': { mode: 'exclude' } } as const;

/** Returns the name of the zone whose days count. */
export const zoneIn = ({ timezone }: Statements): string => timezone || proposedZone.value;

/** The zone of the page. */
export const zone = computed<Zone>(() => daysOfZone(zoneIn(statements.value)));

export function stateZone(timezone: string): void {
  state({ timezone });
}

/** Returns the period's first and last second, for requests that do not accept a time zone. */
export function instantsOf({ start, end }: Days, stated: Statements): Days {
  if (zoneIn(stated) === UTC) return { start, end };
  const days = daysOfZone(zoneIn(stated));
  const rfc3339 = (time: string) => `${time.replace(' ', 'T')}Z`;
  return { start: rfc3339(firstSecond(days, start)), end: rfc3339(lastSecond(days, end)) };
}

/** Returns the member `timezone` of a request; no member for UTC, whose requests stay as they were. */
export const zoneMember = (stated: Statements): { readonly timezone?: string } =>
  zoneIn(stated) === UTC ? {} : { timezone: zoneIn(stated) };

export function requestBody({ addresses, start, end }: ReportQuery, stated: Statements): Record<string, unknown> {
  const decisions = Object.entries(ofWallets(stated.decisions, addresses));
  const tags = ofWallets(stated.tags, addresses);
  // Omits bulk decisions. Excluding is the default anyway, and one wallet's bulk decision must not apply to another
  // wallet.
  const single = decisions.filter(([key]) => !key.startsWith('*'));
  return {
    ...{ address: addresses, start, end },
    ...zoneMember(stated),
    assetDecisions: { ...UNDECIDED, ...Object.fromEntries(single) },
    ...(Object.keys(tags).length > 0 && { userTags: tags }),
  };
}

export function ledgerBody(query: ReportQuery, stated: Statements): Record<string, unknown> {
  const openingLots = stated.openingLots.filter(({ address }) => query.addresses.includes(address));
  return {
    ...requestBody(query, stated),
    ...(openingLots.length > 0 && { openingLots }),
    ...(carries(query, stated) && { ownWallets: 'carry' }),
  };
}

interface KnownEntry {
  readonly etag: string;
  readonly values: Values;
  /**
   * JSON that this browser last sent to the account; the service may have stored only part of it. Undefined if another
   * device saved the entry.
   */
  readonly sent?: string | undefined;
}

/**
 * The account's entries at the last sync, by path, for a three-way merge. If this browser's statements differ from
 * them, the user changed them here. If the account's current entries differ from them, another device changed them.
 */
interface Known {
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

export const syncedEntry = (account: string, path: string): KnownEntry | undefined =>
  known.account === account ? known.entries[path] : undefined;

export function storeSynced(account: string, path: string, entry: KnownEntry): void {
  store({ account, entries: { ...(known.account === account && known.entries), [path]: entry } });
}

/** Forgets the last sync. The next sync then merges both sides and deletes nothing. */
export const forgetSynced = (): void => store(NOT_SYNCED);

/**
 * Stores the synced entries only if the statements can be stored too. Otherwise old statements would look like new
 * changes.
 */
function store(entries: Known): void {
  known = entries;
  try {
    if (isStored.peek() && entries !== NOT_SYNCED) localStorage.setItem(SYNCED_KEY, JSON.stringify(entries));
    else localStorage.removeItem(SYNCED_KEY);
  } catch {}
}

// Forgets the last sync if statements were lost. Otherwise they would look deleted, and the next sync would delete the
// account's copies.
if (!wereRestored) forgetSynced();
