/**
 * The statements of the wallets' owner: what only they know about their rows. They are kept in this browser and sent along with
 * requests, which nobody stores.
 */
import { effect, signal } from '@preact/signals';
import type { Asked } from './asked.js';

/** A decision as the API takes it (asset_decisions). */
export interface AssetDecision {
  readonly mode: 'exclude' | 'keep' | 'override';
  readonly token?: string;
  readonly quantity?: string;
  readonly value_usd?: string;
  readonly cost_basis_usd?: string;
  readonly acquired_date?: string;
}

/** A part of what a wallet held before the index (opening_lots). */
export interface OpeningLot {
  readonly address: string;
  readonly denom: string;
  readonly quantity: string;
  readonly acquired_date: string;
  readonly cost_basis_usd: string;
}

/** A row that something is stated about. */
export interface StatedRow {
  readonly address: string;
  readonly id: string;
}

/** By address of the wallet, then by row id: what is stated of one wallet is sent for no other. */
type ByRow<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

export interface Statements {
  /** Also by the keys that decide about many receipts of the wallet at once, which other programs save. */
  readonly decisions: ByRow<AssetDecision>;
  readonly tags: ByRow<string>;
  readonly openingLots: readonly OpeningLot[];
  /** Whether transfers between the asked wallets carry their cost along. */
  readonly carry: boolean;
}

const NONE: Statements = { decisions: {}, tags: {}, openingLots: [], carry: false };
const KEY = 'hubledger.statements';

const earlier = kept();
/** Whether what was stated on earlier visits is there. */
export const areRestored = earlier !== undefined;
export const statements = signal<Statements>(earlier ?? NONE);

/** Statements of earlier visits; undefined where the browser keeps nothing, or another program has left something else there. */
function kept(): Statements | undefined {
  try {
    const text = localStorage.getItem(KEY);
    if (text === null) return undefined;
    const { decisions, tags, openingLots, carry } = { ...NONE, ...JSON.parse(text) };
    const isByRow = (one: object) =>
      one instanceof Object && Object.values(one).every((rows) => rows instanceof Object);
    const isFit = [decisions, tags].every(isByRow) && Array.isArray(openingLots);
    return isFit ? { decisions, tags, openingLots, carry: carry === true } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this browser keeps them; else they count until the page is left. */
export const isKept = signal(true);

effect(() => {
  const text = JSON.stringify(statements.value);
  try {
    localStorage.setItem(KEY, text);
    isKept.value = true;
  } catch {
    isKept.value = false;
  }
});

// A statement made in another tab counts here as well: a tab that did not know of it would write over it.
addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) statements.value = kept() ?? NONE;
});

export const hasStatements = ({ decisions, tags, openingLots, carry }: Statements): boolean =>
  carry ||
  openingLots.length > 0 ||
  [decisions, tags].flatMap((byRow) => Object.values(byRow)).some((rows) => Object.keys(rows).length > 0);

export const decisionOf = ({ address, id }: StatedRow, { decisions } = statements.value): AssetDecision | undefined =>
  decisions[address]?.[id];

export const tagOf = ({ address, id }: StatedRow, { tags } = statements.value): string => tags[address]?.[id] ?? '';

/** Statements about rows of these wallets, by row id alone. */
export const ofWallets = <Value>(byRow: ByRow<Value>, addresses: readonly string[]): Readonly<Record<string, Value>> =>
  Object.assign({}, ...addresses.map((address) => byRow[address]));

export function forgetStatements(): void {
  statements.value = { ...NONE }; // another object, so that it is kept also where nothing was stated here
}

/** Gives rows other decisions; undefined takes a row's away. */
export function decide(rows: readonly StatedRow[], decision: AssetDecision | undefined): void {
  statements.value = { ...statements.value, decisions: changed(statements.value.decisions, rows, decision) };
}

/** Tags rows; '' takes their tags away. */
export function tag(rows: readonly StatedRow[], name: string): void {
  statements.value = {
    ...statements.value,
    tags: changed(statements.value.tags, rows, name === '' ? undefined : name),
  };
}

export function stateLots(openingLots: readonly OpeningLot[]): void {
  statements.value = { ...statements.value, openingLots };
}

export function carryOwn(carry: boolean): void {
  statements.value = { ...statements.value, carry };
}

function changed<Value>(byRow: ByRow<Value>, rows: readonly StatedRow[], value: Value | undefined): ByRow<Value> {
  const wallets = Object.fromEntries(Object.entries(byRow).map(([address, values]) => [address, { ...values }]));
  for (const { address, id } of rows) {
    wallets[address] ??= {};
    delete wallets[address][id];
    if (value !== undefined) wallets[address][id] = value;
  }
  return wallets;
}

/** Flagged receipts that nobody has decided about are left out until somebody has, and the page says so. */
const UNDECIDED = { '*': { mode: 'exclude' } } as const;

/** The body of a request with all that is stated. */
export function requestBody({ addresses, start, end }: Asked, stated: Statements): Record<string, unknown> {
  const decisions = Object.entries(ofWallets(stated.decisions, addresses));
  const tags = ofWallets(stated.tags, addresses);
  // Decisions about many receipts leave them out, as is done anyway; those of one wallet are none of the others'.
  const own = decisions.filter(([key]) => !key.startsWith('*'));
  return {
    ...{ address: addresses, start, end },
    assetDecisions: { ...UNDECIDED, ...Object.fromEntries(own) },
    ...(Object.keys(tags).length > 0 && { userTags: tags }),
  };
}

/** The same for answers that rest on lots. */
export function ledgerBody(wanted: Asked, stated: Statements): Record<string, unknown> {
  const openingLots = stated.openingLots.filter(({ address }) => wanted.addresses.includes(address));
  return {
    ...requestBody(wanted, stated),
    ...(openingLots.length > 0 && { openingLots }),
    ...(stated.carry && wanted.addresses.length > 1 && { ownWallets: 'carry' }),
  };
}
