/**
 * Numbers of coins that no registry knows: in the chain's order of the rows in which the wallets first have them, whatever range is
 * exported, so that the files of two years mean the same coin by a number.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Rules } from '../../ledger/rules.js';

type Place = Pick<PricedEvent, 'height' | 'position'>;

const order = (a: Place, b: Place) => a.height - b.height || a.position - b.position;

export class UnlistedDenoms {
  private readonly first = new Map<string, Place>();
  private numbers: ReadonlyMap<string, number> | undefined;

  constructor(private readonly rules: Rules) {}

  /** Takes a row; every row of every wallet is to be taken before a number is asked for. */
  note(event: PricedEvent): void {
    for (const denom of [event.sent_denom, event.received_denom]) {
      if (denom === null || this.rules.denomOf(denom) !== undefined) continue;
      const first = this.first.get(denom);
      if (first && order(first, event) <= 0) continue;
      this.first.delete(denom); // of one row, what was sent comes first
      this.first.set(denom, event);
    }
  }

  /** The number of a denom, from 1; undefined for one that a registry knows. */
  numberOf(denom: string): number | undefined {
    this.numbers ??= new Map([...this.first].sort(([, a], [, b]) => order(a, b)).map(([name], i) => [name, i + 1]));
    return this.numbers.get(denom);
  }
}
