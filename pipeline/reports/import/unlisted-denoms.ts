/** Numbers unlisted denoms by first appearance in the wallets. So the files of different years use the same numbers. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Rules } from '../../ledger/rules.js';

type Place = Pick<PricedEvent, 'height' | 'position'>;

const order = (a: Place, b: Place) => a.height - b.height || a.position - b.position;

export class UnlistedDenoms {
  private readonly first = new Map<string, Place>();
  private numbers: ReadonlyMap<string, number> | undefined;

  constructor(private readonly rules: Rules) {}

  /** Registers a row. All rows must be registered before `numberOf` is called. */
  note(event: PricedEvent): void {
    for (const denom of [event.sent_denom, event.received_denom]) {
      if (denom === null || this.rules.denomOf(denom) !== undefined) continue;
      const first = this.first.get(denom);
      if (first && order(first, event) <= 0) continue;
      this.first.delete(denom); // keeps sent before received within a row
      this.first.set(denom, event);
    }
  }

  numberOf(denom: string): number | undefined {
    this.numbers ??= new Map([...this.first].sort(([, a], [, b]) => order(a, b)).map(([name], i) => [name, i + 1]));
    return this.numbers.get(denom);
  }
}
