/** Coins that a packet brings a router, or brings back to it, and that the router pays to wallets: they arrived for those. */
import type { Coin, RowDraft } from '../classifier.js';
import { coinOf, type RoutedRows, type Transfer } from './routed-rows.js';

/**
 * Makes the routers' `ibc_refund` rows those of the wallets to which they paid the coins that came back. Where one wallet got less, the
 * packet came back for it all the same, so that its lots are found again, and the router kept the rest.
 */
export function creditRefunds(rows: RoutedRows): void {
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
export function creditReceived(rows: RoutedRows): void {
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
