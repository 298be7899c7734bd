import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { DecidedRow } from './decided-row.js';
import type { Rules } from './rules.js';

export interface Leg {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
  /** micro-USD per token, on the day of the event. */
  readonly price: bigint | null;
}

/** The row with the other half of a swap, by row id. */
export type Partners = Map<string, DecidedRow>;

/**
 * Yields the rows unchanged and fills `partners`. When it meets the first half of a swap, it reads the rest of the
 * transaction before yielding. So `partners` is complete when the caller gets the row.
 */
export function* pairSwapLegs(
  rows: Iterable<DecidedRow>,
  rules: Rules,
  partners: Partners,
): Generator<DecidedRow, void, undefined> {
  let held: DecidedRow[] = [];
  for (const row of rows) {
    if (held.length > 0 && row.event.tx_hash !== held[0]!.event.tx_hash) {
      pair(held, rules, partners);
      yield* held;
      held = [];
    }
    if (held.length > 0 || isHalf(row.event, rules)) held.push(row);
    else yield row;
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

function pair(rows: readonly DecidedRow[], rules: Rules, partners: Partners): void {
  const halves = rows.filter(({ event }) => isHalf(event, rules));
  for (const link of new Set(halves.map(({ event }) => event.link))) {
    const got = halves.filter(({ event }) => event.link === link && event.received_amount !== null);
    const gave = halves.filter(({ event }) => event.link === link && event.sent_amount !== null);
    for (let i = 0; i < got.length && i < gave.length; i++) {
      partners.set(got[i]!.event.id, gave[i]!);
      partners.set(gave[i]!.event.id, got[i]!);
    }
  }
}
