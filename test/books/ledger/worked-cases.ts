/** Reads the worked cases and makes rows of their events. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../pipeline/base/project.js';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { hash, makeEvent } from './wallets.js';

export interface Happening {
  date: string;
  kind: string;
  quantity: string;
  tx?: string;
  /** Receiving wallet of a send within the case. */
  to?: string;
  record_id?: string;
  flagged?: boolean;
  asset?: string;
  unit_cost?: string;
  acquired_date?: string;
}

export interface Slice {
  address?: string;
  sold: string;
  quantity: string;
  acquired: string | null;
  proceeds?: string;
  basis?: string;
  gain?: string;
  term?: string;
  of?: string;
  /** Redundant: `basis` is missing, too. */
  readonly basis_unknown?: boolean;
}

export interface Expectation {
  label?: string;
  query?: {
    endpoint?: string;
    address: string;
    date?: string;
    tags?: Record<string, string>;
    asset_decisions?: Record<string, object>;
    own_wallets?: string;
    /** Opening lots of each wallet. */
    opening_lots?: Record<string, object[]>;
  };
  status?: string;
  pending?: string;
  events_row?: { record_id: string; valueUsd: string; taxable: boolean };
  positions?: { count: string; rows?: Record<string, unknown>[] };
  income_usd?: string;
  price_missing_rows?: string;
  realized?: { slices: Slice[]; gain_total?: string; proceeds_total?: string; basis_total?: string };
  slices?: Slice[];
  journal?: [string, string, string, string, string | null, string?][];
  journal_debits?: string;
  balances?: Record<string, string>;
  cost_basis_sum?: string;
  unmatched_quantity?: string;
  matched_basis?: string;
  basis_conservation?: { acquired: string; relieved: string; open: string };
  left?: { quantity: string; basis: string } | { quantity: string; basis: string }[];
  terms?: { acquired: string; sold: string; term: string }[];
  reduce?: string;
  booked?: { quantity: string; basis: string }[];
}

export interface Case {
  id: string;
  title: string;
  prices: Record<string, string | null>;
  wallets?: Record<string, Happening[]>;
  /** ATOM that each wallet held before the index. */
  opening?: Record<string, string>;
  lots?: { acquired: string; quantity: string; unit_cost: string }[];
  expect: Expectation[];
}

const file = join(projectRoot(), 'test/books/ledger/worked-cases.json');
export const { cases, conventions }: { cases: Case[]; conventions: { accounts: Record<string, string> } } = JSON.parse(
  readFileSync(file, 'utf8'),
);
/** Day of a query without a date. */
export const AS_OF = '2026-06-30';

export const units = (text: string) => parseDecimal(text, 6);

/** Category of a kind of event, and the sides that carry the quantity. */
const KINDS: Record<string, [category: string, ...sides: ('sent' | 'received' | 'fee')[]]> = {
  claim: ['staking_reward', 'received'],
  receive: ['transfer_in', 'received'],
  acquire: ['transfer_in', 'received'],
  send: ['transfer_out', 'sent'],
  sell: ['transfer_out', 'sent'],
  fee: ['fee', 'fee'],
  slash: ['slash', 'sent'],
  delegate: ['delegate', 'sent'],
  undelegate: ['undelegate', 'sent', 'received'],
  unbond_complete: ['unbonding_complete', 'received'],
};

export const priceOf = (prices: Case['prices'], day: string) => {
  const price = prices[day];
  return price == null ? null : parseDecimal(price, 6);
};

/** Makes the events of one wallet. A transaction name has one hash in all wallets. */
export function eventsOf(address: string, happenings: Happening[], prices: Case['prices']): PricedEvent[] {
  return happenings.map((one, i) => {
    const [category, ...sides] = KINDS[one.kind]!;
    const denom = one.asset === undefined ? 'uatom' : `factory/cosmos1spam/${one.asset}`;
    const amounts = Object.fromEntries(
      sides.flatMap((side) => [
        [`${side}_amount`, denom === 'uatom' ? units(one.quantity) : BigInt(one.quantity)],
        [`${side}_denom`, denom],
        [`${side}_price`, denom === 'uatom' ? priceOf(prices, one.date) : null],
      ]),
    );
    const event = makeEvent(i + 1, one.date, category, { address, ...amounts });
    if (one.tx !== undefined) event.tx_hash = hashOf(one.tx);
    if (one.record_id !== undefined) event.id = one.record_id;

    return event;
  });
}

export const hashOf = (name: string) => hash(0xabc000 + Number(name.slice(1)));

/** Links the two rows of each send between wallets, as rows of one payment on the chain are. */
export function joinTransfers(wallets: Record<string, Happening[]>, events: Record<string, PricedEvent[]>): void {
  for (const [from, happenings] of Object.entries(wallets)) {
    for (const [i, { to }] of happenings.entries()) {
      const sent = events[from]?.[i];
      const received = events[to ?? '']?.find(
        ({ tx_hash, received_amount }) => tx_hash === sent?.tx_hash && received_amount,
      );
      if (!sent || !received) continue;
      Object.assign(sent, { id: `${sent.tx_hash}-out`, counterparty: to });
      Object.assign(received, { id: `${sent.tx_hash}-in`, counterparty: from });
    }
  }
}
