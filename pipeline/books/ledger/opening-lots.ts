/**
 * Opening lots (R10): a caller states cost and acquired day of some of a wallet's opening coins (coins from before the
 * index). The remaining opening coins are sold first.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { isRecord, pointer } from '../../base/json/exact-json.js';
import { formatDecimal, parseDecimal } from '../../base/values/amount.js';
import { isDay } from '../../base/values/day.js';
import { Decimal } from '../../base/values/decimal.js';
import type { Currency } from '../currencies/currency.js';
import { type ExchangeRates, withoutRate } from '../currencies/exchange-rates.js';
import { usd } from '../currencies/usd.js';
import { Booking } from './booking.js';
import { currencyIssues, ISSUES_MAX, type Issue, isDecimal, MONEY, type Parsed } from './decisions.js';
import type { Entry } from './entry.js';
import type { OpeningHoldings } from './opening-coins.js';
import { isName, type Rules } from './rules.js';
import type { WalletState } from './wallet.js';

export interface OpeningLot {
  /** Wallet address. May be undefined only if the request has a single wallet. */
  readonly address: string | undefined;
  readonly denom: string;
  /** Base units, above zero. */
  readonly quantity: bigint;
  /** YYYY-MM-DD, before the first indexed day. */
  readonly acquired: string;
  /** Minor units. */
  readonly basis: bigint;
}

const MEMBERS = ['address', 'denom', 'quantity', 'acquired_date', 'cost_basis_usd', 'currency', 'cost_basis'] as const;
type Member = (typeof MEMBERS)[number];

/** Matches a bech32 address in capitals (R1). */
const CAPITALS = /^[A-Z]+1[0-9A-Z]+$/;

export function parseOpeningLots(
  value: unknown,
  rules: Rules,
  rates: ExchangeRates,
  books: Currency = usd,
): Parsed<readonly OpeningLot[]> {
  if (!Array.isArray(value)) return { errors: [{ path: '', message: 'must be a list of lots' }] };
  const errors: Issue[] = [];
  const lots: OpeningLot[] = [];
  for (const [i, item] of value.entries()) {
    if (errors.length >= ISSUES_MAX) break;
    const read = readLot(item, rules, rates, books);
    if ('value' in read) lots.push(read.value);
    else errors.push(...read.errors.map(({ path, message }) => ({ path: `/${i}${path}`, message })));
  }
  return errors.length > 0 ? { errors } : { value: lots };
}

function readLot(item: unknown, rules: Rules, rates: ExchangeRates, books: Currency): Parsed<OpeningLot> {
  if (!isRecord(item)) return { errors: [{ path: '', message: `must be an object of ${MEMBERS.join(', ')}` }] };
  const errors: Issue[] = [];
  const refuse = (name: string, message: string) => errors.push({ path: pointer(name), message });
  for (const [name, text] of Object.entries(item)) {
    if (errors.length >= ISSUES_MAX) break;
    if (!MEMBERS.includes(name as Member)) refuse(name, 'is not a member of an opening lot');
    else if (typeof text !== 'string') refuse(name, 'must be text');
  }
  const text = (name: Member) => (typeof item[name] === 'string' ? (item[name] as string) : undefined);
  const required = (name: Member, test: (text: string) => boolean, must: string) => {
    const given = text(name);
    if (item[name] === undefined) refuse(name, 'is required');
    else if (given !== undefined && !test(given)) refuse(name, `must be ${must}`);
  };
  const denom = rules.denomOf(text('denom') ?? '') ?? text('denom') ?? '';
  const { decimals } = rules.denomination(denom);
  required('denom', isName, 'a denom or a symbol');
  required(
    'quantity',
    (given) => isQuantity(given, decimals),
    `a plain decimal above zero with at most ${decimals} decimal places`,
  );
  required('acquired_date', isDay, 'a calendar date, YYYY-MM-DD');
  const cost = item.currency === undefined && item.cost_basis === undefined ? 'cost_basis_usd' : 'cost_basis';
  required(cost, isDecimal, MONEY);
  errors.push(...currencyIssues(item, rates));
  if (errors.length > 0) return { errors };
  const [currency, acquired] = [text('currency') ?? usd.code, text('acquired_date')!];
  const basis = rates.inMinorUnits(new Decimal(text(cost)!), currency, acquired, books);
  if (basis === null) {
    refuse(cost, withoutRate('cost_basis', currency, acquired, books));
    return { errors };
  }
  return {
    value: {
      address: text('address')?.replace(CAPITALS, (address) => address.toLowerCase()),
      denom,
      quantity: parseDecimal(text('quantity')!, decimals),
      acquired,
      basis,
    },
  };
}

function isQuantity(text: string, decimals: number): boolean {
  if (!isDecimal(text)) return false;
  const quantity = new Decimal(text);
  return !quantity.isZero() && quantity.decimalPlaces() <= decimals;
}

export interface OpeningContext {
  readonly addresses: readonly string[];
  /** YYYY-MM-DD. */
  readonly indexStart: string;
  readonly rules: Rules;
  openingOf(address: string): OpeningHoldings;
}

export function openingLotIssues(lots: readonly OpeningLot[], context: OpeningContext): Issue[] {
  const { addresses, indexStart, rules, openingOf } = context;
  const stated = new Map<string, bigint>();
  const issueOf = ({ address, denom, quantity, acquired }: OpeningLot, i: number): Issue[] => {
    const fault = (name: Member, message: string): Issue[] => [{ path: `/${i}/${name}`, message }];
    if (address === undefined && addresses.length > 1) return fault('address', 'is required with several wallets');
    const wallet = address ?? addresses[0]!;
    if (!addresses.includes(wallet)) return fault('address', 'is not a wallet of the request');
    if (acquired >= indexStart)
      return fault('acquired_date', `must be before the index, which begins on ${indexStart}`);
    const held = openingOf(wallet);
    if (!held) return fault('quantity', 'holdings before the index are unknown in this dataset');
    const key = `${wallet} ${denom}`;
    const total = (stated.get(key) ?? 0n) + quantity;
    stated.set(key, total);
    const max = held.get(denom) ?? 0n;
    const { symbol, decimals } = rules.denomination(denom);
    const shown = (units: bigint) => `${formatDecimal(units, decimals)} ${symbol}`;
    return total > max ? fault('quantity', `${shown(total)} exceeds the ${shown(max)} held before the index`) : [];
  };
  const issues: Issue[] = [];
  for (const [i, lot] of lots.entries()) {
    if (issues.length >= ISSUES_MAX) break;
    issues.push(...issueOf(lot, i));
  }
  return issues;
}

/** Returns the coins held before the index minus those in the wallet's stated lots, in base units by denom. */
export function unstatedCoins(opening: OpeningHoldings, lots: readonly OpeningLot[]): Map<string, bigint> {
  const coins = new Map(opening ?? []);
  for (const { denom, quantity } of lots) coins.set(denom, coins.get(denom)! - quantity);
  return coins;
}

const OPENING_LOTS = 'Equity: Opening Lots';

/** @param day the first indexed day */
export function openingEntries(wallet: WalletState, lots: readonly OpeningLot[], day: string): Entry[] {
  return lots.flatMap(({ denom, quantity, acquired, basis }, i) => {
    const booking = new Booking(wallet, openingRow(wallet.address, i, day));
    const holding = wallet.holding(denom);
    booking.post({
      act: 'open',
      debit: holding.account,
      credit: OPENING_LOTS,
      amount: basis,
      holding,
      quantity,
      price: null,
      memo: 'opening lot as stated',
      made: { acquired, isUnknown: false },
    });
    return booking.entries;
  });
}

export const openingRow = (address: string, position: number, day: string): PricedEvent => ({
  address,
  height: 0,
  position,
  id: `${address}-opening-${position}`,
  time: `${day} 00:00:00`,
  tx_hash: '',
  category: 'opening_lot',
  sent_amount: null,
  sent_denom: null,
  received_amount: null,
  received_denom: null,
  fee_amount: null,
  fee_denom: null,
  counterparty: null,
  validator: null,
  reward_trigger: null,
  detail: '',
  memo: '',
  link: null,
  to_own_key: false,
  unsolicited: false,
  sent_price: null,
  received_price: null,
  fee_price: null,
});
