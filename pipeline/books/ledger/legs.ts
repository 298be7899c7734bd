import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Rules } from './rules.js';

export interface Leg {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
  /** micro-USD per token, on the day of the event. */
  readonly price: bigint | null;
}

/** The row with the other half of a swap, by row id. */
export type Partners = Map<string, PricedEvent>;

/**
 * Yields the events unchanged and fills `partners`. When it meets the first half of a swap, it reads the rest of the
 * transaction before yielding. So `partners` is complete when the caller gets the row.
 */
export function* pairSwapLegs(
  events: Iterable<PricedEvent>,
  rules: Rules,
  partners: Partners,
): Generator<PricedEvent, void, undefined> {
  let held: PricedEvent[] = [];
  for (const event of events) {
    if (held.length > 0 && event.tx_hash !== held[0]!.tx_hash) {
      pair(held, rules, partners);
      yield* held;
      held = [];
    }
    if (held.length > 0 || isHalf(event, rules)) held.push(event);
    else yield event;
  }
  pair(held, rules, partners);
  yield* held;
}

function isHalf(event: PricedEvent, rules: Rules): boolean {
  return (
    (event.sent_amount === null) !== (event.received_amount === null) &&
    rules.category(event.category).effect === 'swap'
  );
}

function pair(rows: readonly PricedEvent[], rules: Rules, partners: Partners): void {
  const halves = rows.filter((row) => isHalf(row, rules));
  for (const link of new Set(halves.map((row) => row.link))) {
    const got = halves.filter((row) => row.link === link && row.received_amount !== null);
    const gave = halves.filter((row) => row.link === link && row.sent_amount !== null);
    for (let i = 0; i < got.length && i < gave.length; i++) {
      partners.set(got[i]!.id, gave[i]!);
      partners.set(gave[i]!.id, got[i]!);
    }
  }
}
