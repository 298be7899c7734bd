/** Words about a tax year, for its page and its paper. */
import type { FreeRule } from '../../../../schemas/types.generated.js';
import type { IncomeFigures, Withheld } from './figures.js';
import type { IncomeRule } from './income-rule.js';

export const INCOME_RULES: Readonly<Record<IncomeRule, string>> = {
  claim: 'rewards are income when they are claimed',
  claim_and_year_end: 'rewards are income when they are claimed, or when a year ends and they are unclaimed',
  none: 'rewards are not income when they are received',
};

/** Which coins are free of tax, or held for a long term. */
export const FREE_COINS: Readonly<Record<FreeRule['after'], string>> = {
  'one year from the next day': 'coins sold on the first anniversary of the day after their purchase, or later',
  'one year to the same date': 'coins sold later than the same date one year after their purchase',
};

export const WITHHELD: Readonly<Record<NonNullable<Withheld>, string>> = {
  pool_not_complete:
    'Cost and gains are withheld: all coins of a person are one pool, and nobody has stated that these wallets are all ' +
    'of them.',
  portfolio_value_needed:
    'Cost and gains are withheld: they need the value of all coins of the person at each disposal.',
};

/**
 * Returns the word in place of an unknown cost or gain.
 * @param unknown word if the rules compute it
 */
export function gainWord(withheld: Withheld | null, method: string, unknown: string): string {
  if (withheld !== null) return 'withheld';
  return method === 'none' ? 'not computed' : unknown;
}

export const NOT_MATCHED = 'These rules match no disposal with an acquisition.';

const QUESTIONS: Readonly<Record<string, string>> = {
  income_without_price: 'Receipts of income without a price or rate',
  disposals_of_unknown_cost: 'Lines of disposals of unknown cost',
  disposals_without_price: 'Lines of disposals without a price or rate',
  unclaimed_at_year_end_unknown: 'Wallets whose unclaimed rewards at the end of a year are not known',
};
const TIMEZONE = 'timezone_of_taxpayer';
const LATER = 'acquisitions_until_';

export interface Open {
  readonly kind: string;
  readonly count: number;
}

/**
 * Returns the words of an open question, and its count if it counts items.
 * @param printedDay formats a day
 */
export function openWords({ kind, count }: Open, printedDay: (day: string) => string): readonly [string, number?] {
  if (kind.startsWith(LATER)) return [`Acquisitions until ${printedDay(kind.slice(LATER.length))} may change gains`];
  if (kind === TIMEZONE) return ['Days are those of UTC, but the rules count days of your own zone'];
  const words = QUESTIONS[kind];
  return words === undefined ? [nameWords(kind)] : [words, count];
}

/** Makes words of a name such as staking_reward. */
export function nameWords(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

interface Figures {
  readonly income: Pick<IncomeFigures, 'kinds'>;
  readonly disposals: { readonly unknown: { readonly count: number }; readonly proceeds_missing: number };
  readonly holdings: { readonly assets: readonly { readonly value: string | null }[] } | null;
  readonly open: readonly Open[];
}

const PARTS = ['income', 'disposals', 'holdings'] as const;
export type Part = (typeof PARTS)[number];

/**
 * Returns what the sums of each part lack.
 * @param counted returns a number with its noun, in the plural if needed
 */
export function gapsOf(
  { income, disposals, holdings, open }: Figures,
  counted: (count: number, noun: string) => string,
): Readonly<Record<Part, readonly string[]>> {
  // The sum's value_missing also counts wallets whose unclaimed rewards are unknown.
  const unpriced = income.kinds.reduce((sum, { value_missing: missing }) => sum + missing, 0);
  const unclaimed = open.find(({ kind }) => kind === 'unclaimed_at_year_end_unknown')?.count ?? 0;
  const unvalued = holdings?.assets.filter(({ value }) => value === null).length ?? 0;
  const named = (count: number, text: string) => (count > 0 ? [text] : []);
  return {
    income: [
      ...named(unpriced, `${counted(unpriced, 'receipt')} without a value`),
      ...named(unclaimed, `unclaimed rewards of ${counted(unclaimed, 'wallet')}`),
    ],
    disposals: [
      ...named(disposals.unknown.count, `${counted(disposals.unknown.count, 'line')} of unknown cost`),
      ...named(disposals.proceeds_missing, `${counted(disposals.proceeds_missing, 'line')} without a price`),
    ],
    holdings: holdings ? named(unvalued, `${counted(unvalued, 'coin')} of unknown value`) : ['what was held'],
  };
}

/** Returns what the line of a form lacks. @param sum the figures that it adds, such as income.total */
export const gapsOfLine = (sum: readonly string[], gaps: Readonly<Record<Part, readonly string[]>>): string[] =>
  PARTS.flatMap((part) => (sum.some((name) => name.startsWith(part)) ? gaps[part] : []));

/** Returns whether a line of a form is of costs or gains, which may be withheld. */
export const isOfGains = (sum: readonly string[]): boolean =>
  sum.some((name) => /^disposals\.(?!proceeds)|\.cost$/.test(name));
