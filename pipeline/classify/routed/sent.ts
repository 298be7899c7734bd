/** Coins that a wallet pays a router and that the router sends to another chain: they are the wallet's transfer. */
import { type Coin, type RowDraft, transferCategory } from '../classifier.js';
import { coinOf, type RoutedRows, type Transfer } from './routed-rows.js';

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
export function creditSent(rows: RoutedRows): void {
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
