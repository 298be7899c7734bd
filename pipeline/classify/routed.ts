/**
 * Transfers between chains through contracts that only pass coins on: kinds of data/reference/contracts.json that are routers. The
 * transfer module names the contract as sender or receiver; whose coins they were, the payments of the same scope tell. Each account's
 * rows add up to what they did before.
 */
import { type ChainFacts, type Coin, type RowDraft, transferCategory } from './classifier.js';

/** Gives routers' transfers to the wallets whose coins they moved. @param rows all rows of one scope */
export function creditRouted(rows: readonly RowDraft[], chain: ChainFacts): readonly RowDraft[] {
  const routed = new RoutedRows(rows, chain);
  creditSent(routed);
  creditRefunds(routed);
  creditReceived(routed);
  return routed.list;
}

/** A row of a router's transfer between chains: coins came or went. */
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

  /** The routers' own rows of a category, in the order of their events. */
  transfers(category: string): Transfer[] {
    return this.list
      .filter((row) => row.category === category && this.isRouter(row.address))
      .sort((a, b) => a.event - b.event);
  }

  /** Rows of what others paid into routers and got out of them, in the order of their events. */
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

  /** Leaves of a router's transfer that its account got or gave the coins: the transfer itself is somebody else's. */
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

/** The one coin of a row that is no swap. */
const coinOf = ({ sent, received }: RowDraft): Coin => sent ?? received!;

/** Net of a wallet's dealings with routers in one scope, by denom; base units above zero. */
interface Account {
  readonly given: Map<string, bigint>;
  readonly got: Map<string, bigint>;
}

/**
 * Makes the routers' `ibc_out` rows those of the wallet that paid them. Coins of a denom that the wallet paid in are sent on as they
 * are; of another denom they were swapped on the way, which is a row of its own before. Where two wallets paid, or several coins were
 * swapped for several, nothing tells whose transfer it was, and the rows stay.
 */
function creditSent(rows: RoutedRows): void {
  const transfers = rows.transfers('ibc_out');
  const payer = onlyPayer(rows);
  if (transfers.length === 0 || payer === undefined) return;
  const own = rows.dealings().filter(({ address }) => address === payer);
  const account = settle(own);
  const bought = transfers.filter((transfer) => !takeFrom(account.given, coinOf(transfer)));
  for (const transfer of bought) add(account.got, coinOf(transfer));
  const isSwap = account.given.size === 1 && account.got.size === 1;
  if (bought.length > 0 && !isSwap) return;
  const passedOn = isSwap ? [] : passOn(rows, payer, account);
  const rest = isSwap ? [swapRow(own, account, bought)] : restRows(own, account);
  rows.replace(own, [...rest, ...passedOn, ...transfers.map((transfer) => sentBy(payer, transfer, rows))]);
  for (const transfer of transfers) rows.demote(transfer);
}

function onlyPayer(rows: RoutedRows): string | undefined {
  const payers = new Set(rows.dealings().flatMap(({ address, sent }) => (sent ? [address] : [])));
  return payers.size === 1 ? [...payers][0] : undefined;
}

/** Sums dealings; change counts less given. */
function settle(own: readonly RowDraft[]): Account {
  const account: Account = { given: new Map(), got: new Map() };
  for (const { sent } of own) if (sent) add(account.given, sent);
  for (const { received } of own) {
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

/** Takes a coin away, if so much of it is there. */
function takeFrom(sums: Map<string, bigint>, { denom, amount }: Coin): boolean {
  const left = (sums.get(denom) ?? 0n) - amount;
  if (left < 0n) return false;
  if (left === 0n) sums.delete(denom);
  else sums.set(denom, left);
  return true;
}

const coinsOf = (sums: ReadonlyMap<string, bigint>): Coin[] => [...sums].map(([denom, amount]) => ({ denom, amount }));

/** One denom given for another. What was bought to be sent comes before it is sent. */
function swapRow(own: readonly RowDraft[], { given, got }: Account, bought: readonly Transfer[]): RowDraft {
  const { address, counterparty = null, detail = '' } = own.find(({ sent }) => sent)!;
  const event = (bought[0] ?? own.findLast(({ received }) => received)!).event;
  const [sent, received] = [coinsOf(given)[0]!, coinsOf(got)[0]!];
  return { address, category: 'swap', event, sent, received, counterparty, detail };
}

/** Coins that stayed with the router, and coins that it paid without being paid for them. */
function restRows(own: readonly RowDraft[], { given, got }: Account): RowDraft[] {
  return [
    ...coinsOf(given).map((sent): RowDraft => {
      const { address, event, counterparty = null, detail = '' } = own.find((row) => row.sent?.denom === sent.denom)!;
      return { address, category: 'contract_deposit', event, sent, counterparty, detail };
    }),
    ...coinsOf(got).map((received): RowDraft => {
      const {
        address,
        event,
        counterparty = null,
        detail = '',
      } = own.find((row) => row.received?.denom === received.denom)!;
      return { address, category: 'contract_withdrawal', event, received, counterparty, detail };
    }),
  ];
}

/** Coins of the payer that the router paid to other wallets, as fees for relaying are: the payer sent them. */
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

/** The transfer as one of the wallet that paid for it. */
function sentBy(payer: string, transfer: Transfer, { chain }: RoutedRows): RowDraft {
  return { ...transfer, address: payer, toOwnKey: chain.isSameKey(payer, transfer.counterparty ?? '') };
}

/**
 * Makes the routers' `ibc_refund` rows those of the wallets to which they paid the coins that came back. Where one wallet got less, the
 * packet came back for it all the same, so that its lots are found again, and the router kept the rest.
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

/** Credits a wallet with all that came back, of which the router kept some. */
function creditWhole(rows: RoutedRows, transfer: Transfer, payments: readonly RowDraft[], kept: Coin): void {
  const { received, ...first } = payments[0]!;
  const deposit = { ...first, category: 'contract_deposit', sent: kept };
  rows.replace(payments, [arrivedFor(first, transfer, coinOf(transfer)), deposit]);
  rows.demote(transfer);
}

/**
 * Makes the routers' `ibc_in` rows those of the wallets which they paid. Where one wallet got another denom for all that one packet
 * brought, the coins arrived and were swapped; where several did, nothing tells for which part of it.
 */
function creditReceived(rows: RoutedRows): void {
  const transfers = rows.transfers('ibc_in');
  for (const transfer of transfers) {
    const left = creditSame(rows, transfer);
    if (transfers.length === 1 && left > 0n) creditSwapped(rows, transfer, left);
  }
}

/** Coins that a router paid out after a transfer had brought some. */
const paidAfter = (rows: RoutedRows, transfer: Transfer) =>
  rows.dealings().filter(({ sent, event }) => sent === undefined && event > transfer.event);

/**
 * Credits payments in the denom that arrived, as far as it reaches; first of all one of exactly that amount.
 * @returns base units that nobody was credited with
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

/** Credits a wallet with coins that were swapped before it was paid. */
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

/** The row of coins that a packet brought for a wallet, at the place where the wallet was paid. */
function arrivedFor({ address, event }: RowDraft, transfer: Transfer, received: Coin): RowDraft {
  return { ...transfer, address, event, received };
}
