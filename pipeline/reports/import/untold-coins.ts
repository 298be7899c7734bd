/**
 * Untold coins: coins that a wallet received and its file for a program leaves out, as those of an excluded receipt. When they are sent
 * on, the file leaves that out, too: a program that counts holdings from rows would come to less than nothing. Coins of their denom that
 * the file tells of leave before them, as lots do in the replay before what a decision took out.
 */
import { formatCents, valueInCents } from '../../ledger/amount.js';
import type { OpeningHoldings } from '../../ledger/opening/opening-coins.js';
import type { ImportCoin, ImportRow } from './import-row.js';

/** Coins that reached the wallet by a row, whatever a decision says that they were. */
export interface Arrived {
  readonly denom: string | null;
  /** Base units. */
  readonly units: bigint;
}

type Units = Map<string | null, bigint>;

const add = (sums: Units, denom: string | null, units: bigint) => sums.set(denom, (sums.get(denom) ?? 0n) + units);
const least = (a: bigint, b: bigint) => (a < b ? a : b);

export class UntoldCoins {
  private readonly untold: Units = new Map();
  /** Units that the program holds by the file; below zero where coins left that nothing tells the origin of. */
  private readonly told: Units;

  /**
   * @param opening coins from before the index, which an earlier file may tell of
   * @param coinOf makes an amount of a coin; undefined for none
   */
  constructor(
    opening: OpeningHoldings,
    private readonly coinOf: (units: bigint, denom: string) => ImportCoin | undefined,
  ) {
    this.told = new Map(opening ?? []);
  }

  /** Takes a row that the file leaves out. */
  leaveOut({ sent }: ImportRow, { denom, units }: Arrived): undefined {
    add(this.untold, denom, units);
    if (sent) this.hide(sent.denom, sent.units);
  }

  /** Takes a row that the file tells of. @returns it without untold coins; undefined where nothing is left of it */
  tell(row: ImportRow, { denom, units }: Arrived): ImportRow | undefined {
    const sent = this.toldPart(row.sent);
    const received = row.kind === 'exchange' ? this.becameOf(sent, row) : row.received;
    if (received) add(this.told, received.denom, received.units);
    const here = received?.denom === denom ? received.units : 0n;
    if (here < units) add(this.untold, denom, units - here);
    if (sent === row.sent) return row;
    if (!sent && !received) return undefined;
    if (!received) return { ...row, sent, valueUsd: partValue(row, sent!) };
    return { ...row, sent, received, ...(row.kind === 'trade' && !sent && { kind: 'purchase' }) };
  }

  /** The part of what leaves that the program holds, or that is not untold either. */
  private toldPart(sent: ImportCoin | undefined): ImportCoin | undefined {
    if (!sent) return undefined;
    const held = this.told.get(sent.denom) ?? 0n;
    const beyond = held < 0n ? sent.units : sent.units - least(sent.units, held);
    const units = sent.units - this.hide(sent.denom, beyond);
    add(this.told, sent.denom, -units);
    return units === sent.units ? sent : this.coinOf(units, sent.denom);
  }

  /** The coins that the told part of others became by taking another denom. */
  private becameOf(told: ImportCoin | undefined, { sent, received }: ImportRow): ImportCoin | undefined {
    if (told === sent || !sent || !received) return received;
    return this.coinOf((received.units * (told?.units ?? 0n)) / sent.units, received.denom);
  }

  /** Takes untold coins, as many as there are. @returns base units */
  private hide(denom: string, units: bigint): bigint {
    const hidden = least(units, this.untold.get(denom) ?? 0n);
    add(this.untold, denom, -hidden);
    return hidden;
  }
}

const partValue = ({ valueUsd, row }: ImportRow, { units, decimals }: ImportCoin) =>
  valueUsd === '' ? '' : formatCents(valueInCents(units, decimals, row.price));
