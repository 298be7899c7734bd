/** The row table's filter; links from figures set it. */
import { computed, signal } from '@preact/signals';
import { goTo } from '../parts/go-to.js';
import { loaded, type Row } from './rows.js';

export interface Filter {
  readonly text: string;
  /** Empty means all categories. */
  readonly categories: readonly string[];
  /** '' means all assets. */
  readonly asset: string;
  readonly month: string;
}

export const EVERY_ROW: Filter = { text: '', categories: [], asset: '', month: '' };

export const filter = signal<Filter>(EVERY_ROW);
export const newestFirst = signal(true);

/** Filters the table to a figure's rows and scrolls there. */
export function showRows(wanted: Partial<Filter>): void {
  filter.value = { ...EVERY_ROW, ...wanted };
  goTo('rows-title');
}

/** Fields that the search covers. */
const SEARCHED = [
  'categoryLabel',
  'detail',
  'txHash',
  'counterparty',
  'validatorMoniker',
  'address',
  'userTag',
  'date',
] as const;

function fits(row: Row, { categories, asset, month }: Filter, words: readonly string[]): boolean {
  if (categories.length > 0 && !categories.includes(row.category)) return false;
  if (month !== '' && !row.date.startsWith(month)) return false;
  if (asset !== '' && ![row.sentCurrency, row.receivedCurrency, row.feeCurrency].includes(asset)) return false;
  return words.every((word) => SEARCHED.some((name) => row[name].toLowerCase().includes(word)));
}

export const shownRows = computed<readonly Row[]>(() => {
  const wanted = filter.value;
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const isEvery = words.length === 0 && wanted.categories.length === 0 && wanted.asset === '' && wanted.month === '';
  const rows = isEvery ? [...loaded.value.rows] : loaded.value.rows.filter((row) => fits(row, wanted, words));
  const order = newestFirst.value ? -1 : 1;
  return rows.sort((a, b) => (a.date < b.date ? -order : a.date > b.date ? order : 0));
});

export const kindsOfRows = computed<readonly (readonly [category: string, label: string])[]>(() => {
  const kinds = new Map(loaded.value.rows.map(({ category, categoryLabel }) => [category, categoryLabel]));
  return [...kinds].sort(([, a], [, b]) => a.localeCompare(b, 'en'));
});

export const assetsOfRows = computed<readonly string[]>(() => {
  const symbols = new Set<string>();
  for (const { sentCurrency, receivedCurrency, feeCurrency } of loaded.value.rows) {
    for (const symbol of [sentCurrency, receivedCurrency, feeCurrency]) if (symbol !== '') symbols.add(symbol);
  }
  return [...symbols].sort();
});
