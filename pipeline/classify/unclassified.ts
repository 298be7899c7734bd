/** Rows with the exact net amount for payments that no classifier explained. */
import type { ChainFacts, Coin, Payment, RowDraft } from './classifier.js';

interface Net {
  readonly address: string;
  readonly denom: string;
  readonly first: Payment;
  readonly counterparties: Set<string | null>;
  amount: bigint;
}

/**
 * Makes one row per wallet and denom with the net amount; none if it is zero.
 * @param detail readable source of the payments
 */
export function unclassifiedRows(payments: readonly Payment[], chain: ChainFacts, detail: string): RowDraft[] {
  const nets = new Map<string, Net>();
  const add = (address: string | null, other: string | null, payment: Payment, amount: bigint) => {
    if (!chain.isWallet(address)) return;
    const key = `${address} ${payment.denom}`;
    let net = nets.get(key);
    if (!net) {
      net = { address, denom: payment.denom, first: payment, counterparties: new Set(), amount: 0n };
      nets.set(key, net);
    }
    net.amount += amount;
    net.counterparties.add(other);
  };
  for (const payment of payments) {
    add(payment.from, payment.to, payment, -payment.amount);
    add(payment.to, payment.from, payment, payment.amount);
  }
  return [...nets.values()].filter(({ amount }) => amount !== 0n).map((net) => rowOf(net, detail));
}

function rowOf({ address, denom, first, counterparties, amount }: Net, detail: string): RowDraft {
  const coin: Coin = { denom, amount: amount < 0n ? -amount : amount };
  return {
    address,
    category: 'unclassified',
    event: first.index,
    ...(amount < 0n ? { sent: coin } : { received: coin }),
    counterparty: counterparties.size === 1 ? [...counterparties][0]! : null,
    detail,
  };
}
