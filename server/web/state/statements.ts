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

export interface Statements {
  /** By row id. */
  readonly decisions: Readonly<Record<string, AssetDecision>>;
  /** By row id. */
  readonly tags: Readonly<Record<string, string>>;
  readonly openingLots: readonly OpeningLot[];
  /** Whether transfers between the asked wallets carry their cost along. */
  readonly carry: boolean;
}

const NONE: Statements = { decisions: {}, tags: {}, openingLots: [], carry: false };
const KEY = 'hubledger.statements';

export const statements = signal<Statements>(kept());

/** Statements of earlier visits; none where the browser keeps nothing, or another program has left something else there. */
function kept(): Statements {
  try {
    const { decisions, tags, openingLots, carry } = { ...NONE, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
    const isFit = [decisions, tags].every((one) => one instanceof Object) && Array.isArray(openingLots);
    return isFit ? { decisions, tags, openingLots, carry: carry === true } : NONE;
  } catch {
    return NONE;
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
  if (key === KEY || key === null) statements.value = kept();
});

export const hasStatements = ({ decisions, tags, openingLots, carry }: Statements): boolean =>
  carry || openingLots.length > 0 || Object.keys(decisions).length + Object.keys(tags).length > 0;

export function forgetStatements(): void {
  statements.value = NONE;
}

/** Gives rows other decisions; undefined takes a row's away. */
export function decide(ids: readonly string[], decision: AssetDecision | undefined): void {
  statements.value = { ...statements.value, decisions: changed(statements.value.decisions, ids, decision) };
}

/** Tags rows; '' takes their tags away. */
export function tag(ids: readonly string[], name: string): void {
  statements.value = {
    ...statements.value,
    tags: changed(statements.value.tags, ids, name === '' ? undefined : name),
  };
}

export function stateLots(openingLots: readonly OpeningLot[]): void {
  statements.value = { ...statements.value, openingLots };
}

export function carryOwn(carry: boolean): void {
  statements.value = { ...statements.value, carry };
}

function changed<Value>(record: Readonly<Record<string, Value>>, ids: readonly string[], value: Value | undefined) {
  const others = Object.entries(record).filter(([id]) => !ids.includes(id));
  return Object.fromEntries(value === undefined ? others : [...others, ...ids.map((id) => [id, value] as const)]);
}

/** Flagged receipts that nobody has decided about are left out until somebody has, and the page says so. */
const UNDECIDED = { '*': { mode: 'exclude' } } as const;

/** The body of a request with all that is stated. */
export const requestBody = ({ addresses, start, end }: Asked, stated: Statements): Record<string, unknown> => ({
  ...{ address: addresses, start, end },
  assetDecisions: { ...UNDECIDED, ...stated.decisions },
  ...(Object.keys(stated.tags).length > 0 && { userTags: stated.tags }),
});

/** The same for answers that rest on lots. */
export function ledgerBody(wanted: Asked, stated: Statements): Record<string, unknown> {
  const openingLots = stated.openingLots.filter(({ address }) => wanted.addresses.includes(address));
  return {
    ...requestBody(wanted, stated),
    ...(openingLots.length > 0 && { openingLots }),
    ...(stated.carry && wanted.addresses.length > 1 && { ownWallets: 'carry' }),
  };
}
