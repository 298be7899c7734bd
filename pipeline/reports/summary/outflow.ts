import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { readSlices, termOf } from '../../ledger/slices.js';

/** Cents and base units. */
export interface Outflow {
  readonly disposes: boolean;
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly quantity: bigint;
  readonly unknown: bigint;
  /** Known basis only. */
  readonly cost: bigint;
  /** Null without a price. */
  readonly proceeds: bigint | null;
  readonly unknownProceeds: bigint;
  readonly short: bigint;
  readonly long: bigint;
  /** micro-USD that day. */
  readonly price: bigint | null;
}

const ACTS: ReadonlySet<string> = new Set(['dispose', 'relieve', 'burn-deposit']);

/** Returns undefined if nothing left permanently. */
export function outflowOf(entry: LedgerEntry): Outflow | undefined {
  if (!ACTS.has(entry.act)) return undefined;
  const { debit_account: account, category, asset, denom } = entry;
  return {
    ...{ disposes: entry.act === 'dispose', account, category, asset, denom },
    quantity: entry.quantity ?? 0n,
    unknown: entry.basis_unknown_quantity ?? 0n,
    cost: entry.amount_usd,
    proceeds: entry.proceeds_usd,
    price: entry.price_usd,
    ...gainsOf(entry),
  };
}

function gainsOf({ slices, proceeds_usd, time }: LedgerEntry): Pick<Outflow, 'unknownProceeds' | 'short' | 'long'> {
  const gains = { unknownProceeds: 0n, short: 0n, long: 0n };
  if (proceeds_usd === null) return gains;
  const sold = time.slice(0, 10);
  for (const { acquired, basis, proceeds } of readSlices(slices)) {
    if (basis === null || acquired === null) gains.unknownProceeds += proceeds!;
    else if (termOf(acquired, sold) === 'SHORT') gains.short += proceeds! - basis;
    else gains.long += proceeds! - basis;
  }
  return gains;
}

/** Outflows by event, for later refunds. */
export class OutflowMemory {
  private readonly outflows = new Map<string, Outflow>();

  remember({ address, event_id, denom }: LedgerEntry, outflow: Outflow): void {
    this.outflows.set(`${address} ${event_id} ${denom}`, outflow);
  }

  undoneBy({ address, act, reverses, denom }: LedgerEntry): Outflow | undefined {
    return act === 'restore' ? this.outflows.get(`${address} ${reverses} ${denom}`) : undefined;
  }
}
