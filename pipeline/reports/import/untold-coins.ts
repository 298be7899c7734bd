/**
 * Tracks coins that the exported file omits, such as excluded receipts. Their departure is omitted too; otherwise the
 * importing program's balance would become negative. Reported coins leave first.
 */
import { formatCents, valueInCents } from '../../ledger/amount.js';
import type { OpeningHoldings } from '../../ledger/opening/opening-coins.js';
import type { ImportCoin, ImportRow } from './import-row.js';

/** Coins received on chain, regardless of decisions. */
export interface Arrived {
  readonly denom: string | null;
  /** Base units. */
  readonly units: bigint;
}

type Units = Map<string | null, bigint>;

const add = (sums: Units, denom: string | null, units: bigint) => sums.set(denom, (sums.get(denom) ?? 0n) + units);
const least = (a: bigint, b: bigint) => (a < b ? a : b);

export class UnreportedCoins {
  private readonly unreported: Units = new Map();
  /** Balance in the importing program. Negative if coins left that the file never reported. */
  private readonly reported: Units;

  /**
   * @param opening coins from before the index, which an earlier file may contain
   * @param coinOf creates an amount; undefined for zero
   */
  constructor(
    opening: OpeningHoldings,
    private readonly coinOf: (units: bigint, denom: string) => ImportCoin | undefined,
  ) {
    this.reported = new Map(opening ?? []);
  }

  /** Registers an omitted row. */
  omit({ sent }: ImportRow, { denom, units }: Arrived): undefined {
    add(this.unreported, denom, units);
    if (sent) this.consume(sent.denom, sent.units);
  }

  /** Registers an included row and returns it without unreported coins. */
  include(row: ImportRow, { denom, units }: Arrived): ImportRow | undefined {
    const sent = this.reportedPart(row.sent);
    const received = row.kind === 'exchange' ? this.convertedPart(sent, row) : row.received;
    if (received) add(this.reported, received.denom, received.units);
    const here = received?.denom === denom ? received.units : 0n;
    if (here < units) add(this.unreported, denom, units - here);
    if (sent === row.sent) return row;
    if (!sent && !received) return undefined;
    if (!received) return { ...row, sent, valueUsd: partValue(row, sent!) };
    return { ...row, sent, received, ...(row.kind === 'trade' && !sent && { kind: 'purchase' }) };
  }

  private reportedPart(sent: ImportCoin | undefined): ImportCoin | undefined {
    if (!sent) return undefined;
    const held = this.reported.get(sent.denom) ?? 0n;
    const beyond = held < 0n ? sent.units : sent.units - least(sent.units, held);
    const units = sent.units - this.consume(sent.denom, beyond);
    add(this.reported, sent.denom, -units);
    return units === sent.units ? sent : this.coinOf(units, sent.denom);
  }

  /** Scales the received coins of an exchange to the reported part of the sent coins. */
  private convertedPart(reported: ImportCoin | undefined, { sent, received }: ImportRow): ImportCoin | undefined {
    if (reported === sent || !sent || !received) return received;
    return this.coinOf((received.units * (reported?.units ?? 0n)) / sent.units, received.denom);
  }

  /** Consumes at most `units` unreported coins and returns their number. */
  private consume(denom: string, units: bigint): bigint {
    const consumed = least(units, this.unreported.get(denom) ?? 0n);
    add(this.unreported, denom, -consumed);
    return consumed;
  }
}

const partValue = ({ valueUsd, row }: ImportRow, { units, decimals }: ImportCoin) =>
  valueUsd === '' ? '' : formatCents(valueInCents(units, decimals, row.price));
