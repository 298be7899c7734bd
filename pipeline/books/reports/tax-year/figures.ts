/** Sums of a tax year. A sum is of what is known, and says how many of its parts are missing. */
import { formatDecimal, formatMinor } from '../../../base/values/amount.js';
import type { Currency } from '../../currencies/currency.js';
import type { Entry } from '../../ledger/entry.js';
import type { Rules } from '../../ledger/rules.js';
import type { Unclaimed } from './income-rule.js';
import type { Line, OwnerYear } from './tax-year.js';

export interface IncomeKind {
  readonly kind: string;
  readonly account: string;
  readonly symbol: string;
  readonly denom: string;
  readonly count: number;
  readonly quantity: string;
  readonly value: string | null;
  readonly value_missing: number;
}

export interface IncomeFigures {
  readonly kinds: readonly IncomeKind[];
  readonly total: string | null;
  readonly value_missing: number;
}

interface Sum {
  readonly kind: string;
  readonly account: string;
  readonly denom: string;
  count: number;
  quantity: bigint;
  value: bigint;
  missing: number;
}

const UNCLAIMED = { kind: 'unclaimed_at_year_end', account: 'Income: Staking Rewards' };

/** @param tagOf returns the owner's tag of a row */
export function incomeOf(
  years: readonly OwnerYear[],
  unclaimed: { readonly known: readonly Unclaimed[]; readonly unknown: number },
  tagOf: (row: string) => string | undefined,
  rules: Rules,
  currency: Currency,
): IncomeFigures {
  const sums = new Map<string, Sum>();
  const sumOf = (kind: string, account: string, denom: string): Sum => {
    const key = [kind, account, denom].join('\n');
    const sum = sums.get(key) ?? { kind, account, denom, count: 0, quantity: 0n, value: 0n, missing: 0 };
    sums.set(key, sum);
    return sum;
  };
  for (const entry of years.flatMap(({ income }) => income)) {
    const tag = tagOf(entry.event_id);
    const sum = sumOf(tag === undefined ? entry.category : `tagged_${tag}`, entry.credit_account, entry.denom);
    sum.value += entry.amount;
    if (entry.quantity === null) continue; // the rest of a receipt whose cost differs from its value
    sum.count++;
    sum.quantity += entry.quantity;
    if (isUnvalued(entry)) sum.missing++;
  }
  for (const { denom, units, value } of unclaimed.known) {
    const sum = sumOf(UNCLAIMED.kind, UNCLAIMED.account, denom);
    sum.count++;
    sum.quantity += units;
    if (value === null) sum.missing++;
    else sum.value += value;
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  return { kinds: sorted.map((sum) => kindOf(sum, rules, currency)), ...totalOf(sorted, unclaimed.unknown, currency) };
}

const isUnvalued = ({ amount, basis_unknown_quantity: unknown, quantity }: Entry) =>
  amount === 0n && unknown === quantity;

function kindOf(
  { kind, account, denom, count, quantity, value, missing }: Sum,
  rules: Rules,
  { minorDigits }: Currency,
) {
  const { symbol, decimals } = rules.denomination(denom);
  return {
    ...{ kind, account, symbol, denom, count },
    quantity: formatDecimal(quantity, decimals),
    value: missing === count && value === 0n ? null : formatMinor(value, minorDigits),
    value_missing: missing,
  };
}

/** @param unknown number of wallets whose unclaimed rewards are part of the sum, but unknown */
function totalOf(sums: readonly Sum[], unknown: number, { minorDigits }: Currency) {
  const [count, missing] = [
    sums.reduce((all, sum) => all + sum.count, unknown),
    sums.reduce((all, sum) => all + sum.missing, unknown),
  ];
  const value = sums.reduce((all, sum) => all + sum.value, 0n);
  const isKnown = count === 0 || missing < count;
  return { total: isKnown ? formatMinor(value, minorDigits) : null, value_missing: missing };
}

export type Withheld = 'pool_not_complete' | 'portfolio_value_needed';

export interface DisposalTerms {
  readonly withheld: Withheld | null;
  /** False where nothing is matched, so that no cost is missing. */
  readonly matches: boolean;
  readonly freeMeans: 'exempt' | 'long_term' | null;
}

export interface DisposalFigures {
  readonly count: number;
  readonly quantity_by_asset: readonly { readonly symbol: string; readonly denom: string; readonly quantity: string }[];
  readonly proceeds: string | null;
  readonly cost: string | null;
  readonly gain: string | null;
  readonly short_gain: string | null;
  readonly long_gain: string | null;
  readonly taxable_gain: string | null;
  readonly exempt_gain: string | null;
  readonly unknown: { readonly count: number; readonly proceeds: string };
  readonly proceeds_missing: number;
  readonly withheld: Withheld | null;
}

export function disposalsOf(
  years: readonly OwnerYear[],
  { withheld, matches, freeMeans }: DisposalTerms,
  rules: Rules,
  { minorDigits }: Currency,
): DisposalFigures {
  const lines = years.flatMap((year) => year.lines);
  const priced = lines.filter(({ proceeds }) => proceeds !== null);
  const isOpen = ({ cost }: Line) => matches && withheld !== 'portfolio_value_needed' && cost === null;
  const unknown = priced.filter(isOpen);
  const known = priced.filter((line) => !isOpen(line));
  const money = (minor: bigint) => formatMinor(minor, minorDigits);
  const gains = (of: readonly Line[]) => of.reduce((all, { gain }) => all + (gain ?? 0n), 0n);
  // Without any known line, a sum of 0 would look like a figure.
  const isUnknown = known.length === 0 && lines.length > 0;
  const shown = (minor: () => bigint) => (isUnknown || withheld !== null || !matches ? null : money(minor()));
  const [over, rest] = [known.filter((line) => line.isOver), known.filter((line) => !line.isOver)];
  // The coins of a pool have no day of purchase.
  const isSplit = freeMeans === null || known.every(({ isOver }) => isOver !== null);
  const ofTerm = (of: readonly Line[]) => (freeMeans === 'long_term' && isSplit ? shown(() => gains(of)) : null);
  const ofExempt = (minor: () => bigint) => (freeMeans === 'exempt' && !isSplit ? null : shown(minor));
  return {
    count: years.reduce((all, { disposed }) => all + disposed.length, 0),
    quantity_by_asset: quantitiesOf(lines, rules),
    proceeds: isUnknown ? null : money(proceedsOf(known)),
    cost: shown(() => known.reduce((all, { cost }) => all + cost!, 0n)),
    gain: shown(() => gains(known)),
    short_gain: ofTerm(rest),
    long_gain: ofTerm(over),
    taxable_gain: ofExempt(() => gains(freeMeans === 'exempt' ? rest : known)),
    exempt_gain: ofExempt(() => (freeMeans === 'exempt' ? gains(over) : 0n)),
    unknown: { count: unknown.length, proceeds: money(proceedsOf(unknown)) },
    proceeds_missing: lines.length - priced.length,
    withheld,
  };
}

const proceedsOf = (lines: readonly Line[]) => lines.reduce((all, { proceeds }) => all + proceeds!, 0n);

function quantitiesOf(lines: readonly Line[], rules: Rules): DisposalFigures['quantity_by_asset'] {
  const sums = new Map<string, bigint>();
  for (const { denom, units } of lines) sums.set(denom, (sums.get(denom) ?? 0n) + units);
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, quantity]) => {
      const { symbol, decimals } = rules.denomination(denom);
      return { symbol, denom, quantity: formatDecimal(quantity, decimals) };
    });
}
