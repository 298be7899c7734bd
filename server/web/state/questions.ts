/** The open questions of a report. The question bar, the sections and the printed report all use this list. */
import { computed, effect } from '@preact/signals';
import type { OpenQuestion } from '../../../schemas/types.generated.js';
import { isZero } from '../values/decimal.js';
import { country, hasGains, WITHOUT_GAINS } from './country.js';
import { dataset, type Effect } from './dataset.js';
import { areHomecomingsLoading, openReceipts, places, receiptsOfPlaces } from './homecomings.js';
import { leftOut, type Report, report, undecided } from './report.js';
import { isComplete, isReading, loaded, type Row } from './rows.js';
import { openSends, sendsInQuestion } from './sends.js';
import {
  areAllWallets,
  areWalletsMine,
  carries,
  decisionOf,
  isFromElsewhere,
  isLeftUnknown,
  type OpeningLot,
  type StatedRow,
  type Statements,
  statesCost,
  statesValue,
  tagOf,
} from './statements.js';

/** Ids of the page sections, one for each question. */
export type QuestionId =
  | 'receipts'
  | 'complete'
  | 'sends'
  | 'own-transfers'
  | 'places'
  | 'opening-coins'
  | 'unknown-costs'
  | 'earlier-costs'
  | 'no-price';

export interface PageQuestion {
  readonly id: QuestionId;
  readonly title: string;
  /** Number of unanswered items. */
  readonly left: number;
}

interface Rule {
  readonly id: QuestionId;
  readonly title: string;
  applies(shown: Report): boolean;
  left(shown: Report): number;
}

const RULES: readonly Rule[] = [
  {
    id: 'receipts',
    title: 'Suspicious incoming transfers',
    applies: ({ receipts }) => receipts.length > 0,
    left: (shown) => undecided(shown).length,
  },
  {
    id: 'complete',
    title: 'All your wallets',
    applies: ({ taxYear }) => taxYear?.scope === 'person' && !WITHOUT_GAINS.includes(taxYear.method),
    left: ({ query, stated }) => (areAllWallets(query.addresses, stated) === undefined ? 1 : 0),
  },
  {
    id: 'own-transfers',
    title: 'Transfers between these wallets',
    applies: ({ transfers }) => transfers.length > 0,
    left: ({ query, stated, transfers }) =>
      areWalletsMine(query.addresses, stated) === undefined ? transfers.length : 0,
  },
  {
    id: 'sends',
    title: 'Coins you sent',
    applies: (shown) => openSends(shown) > 0 || sendsInQuestion(shown).length > 0,
    left: openSends,
  },
  {
    id: 'places',
    title: 'Coins you moved to your own places',
    applies: () => places.value.length > 0,
    left: (shown) => openReceipts(shown).length,
  },
  {
    id: 'opening-coins',
    title: 'Coins from before the records',
    applies: (shown) => openingHoldings(shown).length > 0,
    left: (shown) =>
      openingHoldings(shown).filter(
        (holding) => !isZero(holding.unstated) && !isLeftUnknown(beforeKey(holding), shown.stated),
      ).length,
  },
  {
    id: 'unknown-costs',
    title: 'Incoming transfers of unknown cost',
    applies: (shown) => unknownReceipts(shown).length > 0 || countOf(shown, 'receipts_of_unknown_basis') > 0,
    left: unknownCostsLeft,
  },
  {
    id: 'earlier-costs',
    title: 'Unknown costs from before this period',
    applies: (shown) => earlierHoldings(shown).length > 0,
    left: (shown) => earlierHoldings(shown).filter((key) => !isLeftUnknown(key, shown.stated)).length,
  },
  {
    id: 'no-price',
    title: 'Transactions without a price',
    applies: (shown) => unvaluedRows(shown).length > 0 || countOf(shown, 'rows_without_price') > 0,
    left: (shown) => {
      const unknown = unvaluedRows(shown).filter((row) => row.priceMissing && isLeftUnknown(row, shown.stated));
      return Math.max(0, countOf(shown, 'rows_without_price') - unknown.length);
    },
  },
];

/** Questions whose answers change only gains. */
const OF_GAINS: readonly QuestionId[] = ['sends', 'places', 'opening-coins', 'unknown-costs', 'earlier-costs'];

/** Returns whether a question changes the report. A country's year carries no costs from one wallet to another. */
const concerns = (id: QuestionId): boolean =>
  !country.value || (id !== 'own-transfers' && (hasGains.value || !OF_GAINS.includes(id)));

export const questionsOf = (shown: Report): readonly PageQuestion[] =>
  RULES.filter((rule) => concerns(rule.id) && rule.applies(shown)).map(({ id, title, left }) => ({
    id,
    title,
    left: left(shown),
  }));

export const questions = computed(() => (report.value ? questionsOf(report.value) : []));

const openCounts = new WeakMap<Report, number>();

// Remembers the number of open items for each report, because only the current report's rows are loaded.
effect(() => {
  const open = questions.value.reduce((sum, { left }) => sum + left, 0);
  if (report.value && isComplete.value && !isReading.value && !areHomecomingsLoading.value)
    openCounts.set(report.value, open);
});

export const openItems = (shown: Report): number =>
  openCounts.get(shown) ?? questionsOf(shown).reduce((sum, { left }) => sum + left, 0);

const countOf = ({ summary }: Report, wanted: OpenQuestion['question']): number =>
  summary.total.open.reduce((sum, { question, count }) => (question === wanted ? sum + count : sum), 0);

export interface OpeningHolding {
  readonly address: string;
  readonly denom: string;
  readonly asset: string;
  readonly unstated: string;
  readonly stated: readonly OpeningLot[];
}

/** Returns the coins held at the start of the index, if the user has entered lots for them or should enter them. */
export function openingHoldings({ summary, stated }: Report): OpeningHolding[] {
  return summary.wallets.flatMap(({ address, assets }) =>
    assets.flatMap(({ denom, asset, opening_before_index_quantity: unstated }) => {
      const lots = stated.openingLots.filter((lot) => lot.address === address && lot.denom === denom);
      return isZero(unstated) && lots.length === 0 ? [] : [{ address, denom, asset, unstated, stated: lots }];
    }),
  );
}

export const beforeKey = ({ address, denom }: { address: string; denom: string }): StatedRow => ({
  address,
  id: `before:${denom}`,
});

/**
 * Returns the keys of coins of unknown cost that the wallets received before the report's period, but after the start
 * of the index.
 */
export const earlierHoldings = ({ summary }: Report): StatedRow[] =>
  summary.wallets.flatMap(({ address, assets }) =>
    assets
      .filter((asset) => !isZero(asset.opening_basis_unknown_quantity))
      .map(({ denom }) => ({ address, id: `earlier:${denom}` })),
  );

/**
 * Returns the tax effect of the row's received coins. If there is none, returns the effect of its sent coins, or
 * undefined.
 */
export function effectOf(row: Row): Effect | undefined {
  const { effects = {}, tags = [] } = dataset.value ?? {};
  const byTag = tags.find(({ tag }) => tag === row.userTag)?.effects;
  const side = row.receivedAmount === '' ? 'out' : 'in';
  if (byTag?.[side]) return byTag[side];
  return row.taxable ? (effects[row.category]?.[side] ?? effects[row.category]?.out) : undefined;
}

/** Returns the tax effect of the row's sent coins or fee, or undefined. */
export function outEffectOf({ category, taxable, userTag }: Row): Effect | undefined {
  const { effects = {}, tags = [] } = dataset.value ?? {};
  return tags.find(({ tag }) => tag === userTag)?.effects.out ?? (taxable ? effects[category]?.out : undefined);
}

const VALUED: readonly unknown[] = ['income', 'sold'];
/** Statuses of values without a published price. `stated` is included, so that answered rows stay in the list. */
const NO_PRICE: readonly string[] = ['no_price', 'unreached', 'stated'];

/** Returns income and sales without a price, including rows whose value the user has entered. */
export function unvaluedRows({ summary }: Report): readonly Row[] {
  const lines = summary.total.open.filter(({ question }) => question === 'rows_without_price');
  const ids = new Set(lines.flatMap(({ row_ids = [] }) => row_ids));
  const isListed = lines.every(({ count, row_ids = [] }) => row_ids.length === count);
  return loaded.value.rows.filter(
    (row) =>
      ids.has(row.id) ||
      (row.valueStatus === 'stated' && VALUED.includes(effectOf(row))) ||
      (!isListed && row.priceMissing && VALUED.includes(effectOf(row))),
  );
}

/**
 * Returns receipts of unknown cost. Leaves out spam, income, transfers between the user's wallets that keep their cost,
 * and coins that may have come home, which are another question.
 */
export function unknownReceipts(shown: Report): Row[] {
  const { stated, query } = shown;
  const { unknown_basis = [], market_basis = [], effects = {} } = dataset.value ?? {};
  const [unknown, market] = [new Set(unknown_basis), new Set(market_basis)];
  const isUnknown = ({ category, valueStatus }: Row) =>
    unknown.has(category) ||
    (market.has(category) && effects[category]?.in !== 'income' && NO_PRICE.includes(valueStatus));
  const spam = leftOut(shown);
  const asked = new Set(receiptsOfPlaces.value.filter((row) => !isFromElsewhere(row, stated)).map(({ id }) => id));
  const carrying = new Set(carries(query, stated) ? query.addresses : []);
  return loaded.value.rows.filter(
    (row) =>
      isUnknown(row) &&
      row.receivedAmount !== '' &&
      !spam.has(row.id) &&
      !asked.has(row.id) &&
      !carrying.has(row.counterparty),
  );
}

export const isDecided = (row: StatedRow, stated: Statements): boolean =>
  tagOf(row, stated) !== '' ||
  ['return', 'override'].includes(decisionOf(row, stated)?.mode ?? '') ||
  isLeftUnknown(row, stated);

/**
 * Counts the coins that returned from contracts, deposits, other chains or own places at unknown cost. Only the lots contain this.
 */
export function returnedAtUnknownCost(shown: Report): number {
  const tagEffects = new Map(dataset.value?.tags.map(({ tag, effects }) => [tag, effects.in]));
  const listed = unknownReceipts(shown).filter((row) => {
    const decision = decisionOf(row, shown.stated);
    if (statesCost(decision)) return false;
    const effect = row.userTag === '' ? undefined : tagEffects.get(row.userTag);
    const isOfMarket = (effect ?? dataset.value?.effects[row.category]?.in) !== 'unknown_cost';
    return isOfMarket ? row.priceMissing && !statesValue(decision) : effect !== 'free';
  });
  const income = loaded.value.rows.filter((row) => row.priceMissing && effectOf(row) === 'income');
  const period = new Set(loaded.value.rows.map(({ id }) => id));
  const asked = openReceipts(shown).filter(({ id }) => period.has(id));
  const ids = new Set([...listed, ...income, ...asked].map(({ id }) => id));
  return Math.max(0, countOf(shown, 'receipts_of_unknown_basis') - ids.size);
}

export const returnedKeys = ({ query: { addresses, start, end } }: Report): StatedRow[] =>
  addresses.map((address) => ({ address, id: `returned:${start}:${end}` }));

function unknownCostsLeft(shown: Report): number {
  if (!isComplete.value || !dataset.value) return countOf(shown, 'receipts_of_unknown_basis');
  const unresolved = unknownReceipts(shown).filter((row) => !isDecided(row, shown.stated));
  const isLeft = returnedKeys(shown).every((key) => isLeftUnknown(key, shown.stated));
  return unresolved.length + (isLeft ? 0 : returnedAtUnknownCost(shown));
}
