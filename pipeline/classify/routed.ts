/**
 * Assigns the IBC transfers of router contracts to wallets. A router only forwards coins. The transfer names the router
 * as owner. Payments to and from the router show which wallet owned the coins. The sum of every account's rows stays
 * the same.
 */
import { type ChainFacts, type Coin, type RowDraft, transferCategory } from './classifier.js';

export function creditRouted(rows: readonly RowDraft[], chain: ChainFacts): readonly RowDraft[] {
  const routed = new RoutedRows(rows, chain);
  creditSent(routed);
  creditRefunds(routed);
  creditReceived(routed);
  return routed.list;
}

type Transfer = RowDraft;

class RoutedRows {
  private readonly rows: Set<RowDraft>;

  constructor(
    rows: readonly RowDraft[],
    readonly chain: ChainFacts,
  ) {
    this.rows = new Set(rows);
  }

  get list(): readonly RowDraft[] {
    return [...this.rows];
  }

  transfers(category: string): Transfer[] {
    return this.list
      .filter((row) => row.category === category && this.isRouter(row.address))
      .sort((a, b) => a.event - b.event);
  }

  dealings(): RowDraft[] {
    return this.list
      .filter(isDealing)
      .filter(({ counterparty }) => this.isRouter(counterparty))
      .sort((a, b) => a.event - b.event);
  }

  replace(removed: readonly RowDraft[], added: readonly RowDraft[]): void {
    for (const row of removed) this.rows.delete(row);
    for (const row of added) this.rows.add(row);
  }

  /** Replaces a router's IBC row by a plain transfer row, because a wallet gets the IBC row. */
  demote(transfer: Transfer): void {
    const { link, toOwnKey, ...rest } = transfer;
    const category = transferCategory(transfer.sent ? 'out' : 'in', coinOf(transfer).denom, this.chain);
    this.replace([transfer], [{ ...rest, category }]);
  }

  private isRouter(address: string | null | undefined): boolean {
    return address != null && this.chain.contract(address)?.isRouter === true;
  }
}

const DEALINGS = new Set(['contract_deposit', 'contract_withdrawal', 'swap']);
const isDealing = ({ category }: RowDraft) => DEALINGS.has(category);

const coinOf = ({ sent, received }: RowDraft): Coin => sent ?? received!;

/** Net amounts by denom that a wallet paid to routers, and that it received from them. */
interface Account {
  readonly given: Map<string, bigint>;
  readonly got: Map<string, bigint>;
}

/**
 * Assigns `ibc_out` rows to the wallet that paid the router. If the transferred denom differs from the paid one, adds a
 * swap row before the transfer. If two wallets paid, or several denoms were swapped, the rows stay unchanged.
 */
function creditSent(rows: RoutedRows): void {
  const transfers = rows.transfers('ibc_out');
  const payer = onlyPayer(rows);
  if (transfers.length === 0 || payer === undefined) return;
  const rowsOfPayer = rows.dealings().filter(({ address }) => address === payer);
  const account = settle(rowsOfPayer);
  const bought = transfers.filter((transfer) => !takeFrom(account.given, coinOf(transfer)));
  for (const transfer of bought) add(account.got, coinOf(transfer));
  const isSwap = account.given.size === 1 && account.got.size === 1;
  if (bought.length > 0 && !isSwap) return;
  const passedOn = isSwap ? [] : passOn(rows, payer, account);
  const rest = isSwap ? [swapRow(rowsOfPayer, account, bought)] : restRows(rowsOfPayer, account);
  rows.replace(rowsOfPayer, [...rest, ...passedOn, ...transfers.map((transfer) => sentBy(payer, transfer, rows))]);
  for (const transfer of transfers) rows.demote(transfer);
}

function onlyPayer(rows: RoutedRows): string | undefined {
  const payers = new Set(rows.dealings().flatMap(({ address, sent }) => (sent ? [address] : [])));
  return payers.size === 1 ? [...payers][0] : undefined;
}

function settle(rowsOfPayer: readonly RowDraft[]): Account {
  const account: Account = { given: new Map(), got: new Map() };
  for (const { sent } of rowsOfPayer) if (sent) add(account.given, sent);
  for (const { received } of rowsOfPayer) {
    if (!received) continue;
    const given = account.given.get(received.denom) ?? 0n;
    const change = received.amount < given ? received.amount : given;
    if (change > 0n) takeFrom(account.given, { ...received, amount: change });
    if (received.amount > change) add(account.got, { ...received, amount: received.amount - change });
  }
  return account;
}

function add(sums: Map<string, bigint>, { denom, amount }: Coin): void {
  sums.set(denom, (sums.get(denom) ?? 0n) + amount);
}

function takeFrom(sums: Map<string, bigint>, { denom, amount }: Coin): boolean {
  const left = (sums.get(denom) ?? 0n) - amount;
  if (left < 0n) return false;
  if (left === 0n) sums.delete(denom);
  else sums.set(denom, left);
  return true;
}

const coinsOf = (sums: ReadonlyMap<string, bigint>): Coin[] => [...sums].map(([denom, amount]) => ({ denom, amount }));

function swapRow(rowsOfPayer: readonly RowDraft[], { given, got }: Account, bought: readonly Transfer[]): RowDraft {
  const { address, counterparty = null, detail = '' } = rowsOfPayer.find(({ sent }) => sent)!;
  const event = (bought[0] ?? rowsOfPayer.findLast(({ received }) => received)!).event;
  const [sent, received] = [coinsOf(given)[0]!, coinsOf(got)[0]!];
  return { address, category: 'swap', event, sent, received, counterparty, detail };
}

function restRows(rowsOfPayer: readonly RowDraft[], { given, got }: Account): RowDraft[] {
  return [
    ...coinsOf(given).map((sent): RowDraft => {
      const {
        address,
        event,
        counterparty = null,
        detail = '',
      } = rowsOfPayer.find((row) => row.sent?.denom === sent.denom)!;
      return { address, category: 'contract_deposit', event, sent, counterparty, detail };
    }),
    ...coinsOf(got).map((received): RowDraft => {
      const {
        address,
        event,
        counterparty = null,
        detail = '',
      } = rowsOfPayer.find((row) => row.received?.denom === received.denom)!;
      return { address, category: 'contract_withdrawal', event, received, counterparty, detail };
    }),
  ];
}

/** Turns the router's payments to other wallets, such as relayer fees, into transfers by the payer. */
function passOn(rows: RoutedRows, payer: string, { given }: Account): RowDraft[] {
  const { chain } = rows;
  const sent: RowDraft[] = [];
  for (const row of rows.dealings()) {
    const { address, event, received, detail = '' } = row;
    if (address === payer || row.sent || !received || !takeFrom(given, received)) continue;
    const category = (side: 'in' | 'out') => transferCategory(side, received.denom, chain);
    rows.replace([row], [{ ...row, category: category('in'), counterparty: payer }]);
    sent.push({ address: payer, category: category('out'), event, sent: received, counterparty: address, detail });
  }
  return sent;
}

function sentBy(payer: string, transfer: Transfer, { chain }: RoutedRows): RowDraft {
  return { ...transfer, address: payer, toOwnKey: chain.isSameKey(payer, transfer.counterparty ?? '') };
}

/**
 * Assigns `ibc_refund` rows to the wallets that the router contract paid. If the router paid only one wallet, and less
 * than the refund, this wallet's row contains the whole refund, so that all refunded lots return. A deposit row then
 * takes the unpaid difference from the wallet.
 */
function creditRefunds(rows: RoutedRows): void {
  for (const transfer of rows.transfers('ibc_refund')) {
    const { denom, amount } = coinOf(transfer);
    const payments = paidAfter(rows, transfer).filter((row) => coinOf(row).denom === denom);
    const paid = payments.reduce((sum, row) => sum + coinOf(row).amount, 0n);
    const [first, ...others] = payments;
    const isOneWallet = first !== undefined && others.every(({ address }) => address === first.address);
    if (isOneWallet && paid < amount) creditWhole(rows, transfer, payments, { denom, amount: amount - paid });
    else creditSame(rows, transfer);
  }
}

function creditWhole(rows: RoutedRows, transfer: Transfer, payments: readonly RowDraft[], kept: Coin): void {
  const { received, ...first } = payments[0]!;
  const deposit = { ...first, category: 'contract_deposit', sent: kept };
  rows.replace(payments, [arrivedFor(first, transfer, coinOf(transfer)), deposit]);
  rows.demote(transfer);
}

/**
 * Assigns `ibc_in` rows to the wallets that the router paid. If one wallet received another denom for a single packet,
 * adds a swap row after the arrival. If several wallets received another denom, the rows stay unchanged.
 */
function creditReceived(rows: RoutedRows): void {
  const transfers = rows.transfers('ibc_in');
  for (const transfer of transfers) {
    const left = creditSame(rows, transfer);
    if (transfers.length === 1 && left > 0n) creditSwapped(rows, transfer, left);
  }
}

const paidAfter = (rows: RoutedRows, transfer: Transfer) =>
  rows.dealings().filter(({ sent, event }) => sent === undefined && event > transfer.event);

/**
 * Assigns the transfer to payments in the same denom. Prefers a payment of the exact amount.
 * @returns base units that are not assigned to any wallet
 */
function creditSame(rows: RoutedRows, transfer: Transfer): bigint {
  const { denom, amount } = coinOf(transfer);
  const payments = paidAfter(rows, transfer).filter((row) => coinOf(row).denom === denom);
  const exact = payments.find((row) => coinOf(row).amount === amount);
  let left = amount;
  for (const payment of exact ? [exact] : payments) {
    const whole = coinOf(payment).amount;
    if (left === 0n) break;
    const beyond = whole > left ? whole - left : 0n;
    const part = whole - beyond;
    left -= part;
    const rest = beyond > 0n ? [{ ...payment, received: { denom, amount: beyond } }] : [];
    rows.replace([payment], [arrivedFor(payment, transfer, { denom, amount: part }), ...rest]);
  }
  if (left < amount) rows.demote(transfer);
  return left;
}

function creditSwapped(rows: RoutedRows, transfer: Transfer, left: bigint): void {
  const payments = paidAfter(rows, transfer);
  const receivers = new Set(payments.map(({ address }) => address));
  const denoms = new Set(payments.map((row) => coinOf(row).denom));
  const { denom, amount } = coinOf(transfer);
  if (receivers.size !== 1 || denoms.size !== 1 || denoms.has(denom)) return;
  const [first] = payments as [RowDraft];
  const given = { denom, amount: left };
  const got = payments.reduce((sum, row) => sum + coinOf(row).amount, 0n);
  const swap = { ...first, category: 'swap', sent: given, received: { denom: [...denoms][0]!, amount: got } };
  rows.replace(payments, [arrivedFor(first, transfer, given), swap]);
  if (left === amount) rows.demote(transfer);
}

function arrivedFor({ address, event }: RowDraft, transfer: Transfer, received: Coin): RowDraft {
  return { ...transfer, address, event, received };
}
