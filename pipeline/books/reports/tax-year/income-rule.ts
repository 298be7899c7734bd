/**
 * When rewards are income. By every rule the same coins are counted, none twice:
 * - `claim`: when they are paid out;
 * - `claim_and_year_end`: what is unclaimed when a tax year ends is income of that year. The next claims use it up, oldest
 *   first, and only what exceeds it is income then;
 * - `none`: never. What would be income is acquired at no cost.
 */
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { halfUp } from '../../../base/values/amount.js';
import type { Zone } from '../../../base/values/zones.js';
import { decide } from '../../ledger/decided-row.js';
import type { AssetDecision, Decisions, Override } from '../../ledger/decisions.js';
import type { Rules } from '../../ledger/rules.js';

export type IncomeRule = 'claim' | 'claim_and_year_end' | 'none';

/** Rewards of a coin that were unclaimed when a tax year ended. */
export interface Unclaimed {
  /** Last day of the tax year. */
  readonly day: string;
  readonly denom: string;
  /** Base units. */
  readonly units: bigint;
  /** Minor units; null without a price. */
  readonly value: bigint | null;
}

export interface Books {
  readonly events: readonly PricedEvent[];
  readonly decisions: Decisions;
}

/** Makes income a receipt at no cost, also where another wallet earned it. A tag of the owner stays. */
export function withoutIncome({ events, decisions }: Books, rules: Rules): Books {
  const assets = new Map<string, AssetDecision>(decisions.assets);
  for (const event of events) {
    const { in: incoming, isExcluded } = decide(event, decisions, rules);
    if (incoming?.treatment.basis !== 'market' || incoming.tag || isExcluded) continue;
    const stated = assets.get(event.id);
    const { keepsTreatment: _, ...override } = stated?.mode === 'override' ? stated : { mode: 'override' as const };
    assets.set(event.id, { ...override, cost: 0n });
  }
  return { events, decisions: { ...decisions, assets } };
}

const CLAIMS: ReadonlySet<string> = new Set(['staking_reward']);

/** Splits claims of what was income when a year ended from what exceeds it. @param unclaimed in order of days */
export function withCounted({ events, decisions }: Books, unclaimed: readonly Unclaimed[], zone: Zone): Books {
  const counted = unclaimed.map((one) => ({ ...one, used: 0n }));
  const assets = new Map<string, AssetDecision>(decisions.assets);
  const split = events.flatMap((event) => {
    if (!CLAIMS.has(event.category) || event.received_amount === null) return [event];
    const parts: PricedEvent[] = [];
    let left = event.received_amount;
    for (const one of counted) {
      if (one.denom !== event.received_denom || one.day >= zone.dayOf(event.time) || left === 0n) continue;
      const units = left < one.units - one.used ? left : one.units - one.used;
      if (units === 0n) continue;
      const id = `${event.id}-${one.day}`;
      const upTo = (used: bigint) => (one.value === null ? 0n : halfUp(one.value * used, one.units));
      const cost = upTo(one.used + units) - upTo(one.used);
      const stated = { mode: 'override', acquired_date: one.day } as const;
      assets.set(id, one.value === null ? stated : { ...stated, cost });
      parts.push({ ...event, id, received_amount: units });
      one.used += units;
      left -= units;
    }
    if (parts.length === 0) return [event];
    // A tag or decision of the owner is about the whole claim.
    const decided = decisions.assets.get(event.id);
    if (decided?.mode === 'override') assets.set(event.id, partOf(decided, left, event.received_amount));
    return left > 0n ? [...parts, { ...event, received_amount: left }] : parts;
  });
  return { events: split, decisions: { ...decisions, assets } };
}

/** Returns a decision for a part of its coins. */
function partOf(override: Override, units: bigint, of: bigint): Override {
  const { value, cost } = override;
  return {
    ...override,
    ...(value !== undefined && { value: halfUp(value * units, of) }),
    ...(cost !== undefined && { cost: halfUp(cost * units, of) }),
  };
}
