/** Resolves what the owner's tags and asset decisions make of a row, before it is replayed or reported. */
import type { PricedEvent, Tag, Treatment } from '../../../schemas/types.generated.js';
import { type Decisions, type Direction, type Override, overriddenCoin, type RowTags } from './decisions.js';
import { mayReturn } from './homecoming.js';
import type { Rules } from './rules.js';

export interface Applied {
  readonly treatment: Treatment;
  readonly tag: Tag | null;
}

/** The coin that is booked in place of the received one. */
interface StatedCoin {
  readonly denom: string;
  /** Base units. Undefined if the received quantity is booked. */
  readonly quantity: bigint | undefined;
  /** micro-USD per token, or null if unknown. */
  readonly price: bigint | null;
}

export interface DecidedRow {
  /** The row as on chain. */
  readonly event: PricedEvent;
  /** Undefined without received coins, and for staking, moves and swaps, whose category books both sides. */
  readonly in: Applied | undefined;
  readonly out: Applied | undefined;
  /** True if an asset decision changes how the row is booked. Memos name it. */
  readonly isDecided: boolean;
  readonly isExcluded: boolean;
  /** True if the received coins had been sent to an own place before. */
  readonly isReturn: boolean;
  /** Value of the row's coins in minor units, as its owner states it. */
  readonly value: bigint | undefined;
  /** Minor units. */
  readonly cost: bigint | undefined;
  /** YYYY-MM-DD. */
  readonly acquired: string | undefined;
  readonly coin: StatedCoin | undefined;
}

const UNSTATED = {
  isDecided: false,
  isExcluded: false,
  isReturn: false,
  value: undefined,
  cost: undefined,
  acquired: undefined,
  coin: undefined,
} as const;

/** How a flagged receipt with an asset decision is booked, unless a tag of the same row books it. */
export const DECIDED: Treatment = { act: 'acquire', basis: 'unknown', account: 'Transfers In: Unclassified' };

/** @param decisions already checked: they fit their rows */
export function decide(event: PricedEvent, { tags, assets }: Decisions, rules: Rules): DecidedRow {
  const incoming = appliedTreatment(event, 'in', tags, rules);
  const out = appliedTreatment(event, 'out', tags, rules);
  const decision = assets.size === 0 ? undefined : assets.get(event.id);
  if (!decision || decision.mode === 'keep') return { event, in: incoming, out, ...UNSTATED };
  if (decision.mode === 'return') {
    if (!mayReturn(event)) return { event, in: incoming, out, ...UNSTATED };
    const plain: Applied = { treatment: treatmentOf(event, 'in', rules)!, tag: null };
    return { event, in: plain, out, ...UNSTATED, isDecided: true, isReturn: true };
  }
  const isOverride = decision.mode === 'override';
  const replaces = event.received_denom !== null && !(isOverride && decision.keepsTreatment) && !incoming?.tag;
  return {
    event,
    in: replaces ? { treatment: DECIDED, tag: null } : incoming,
    out,
    isDecided: true,
    isExcluded: !isOverride,
    isReturn: false,
    value: isOverride ? decision.value : undefined,
    cost: isOverride ? decision.cost : undefined,
    acquired: isOverride ? decision.acquired_date : undefined,
    coin: isOverride ? statedCoin(event, decision, rules) : undefined,
  };
}

export function* decideAll(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  rules: Rules,
): Generator<DecidedRow, void, undefined> {
  for (const event of events) yield decide(event, decisions, rules);
}

function statedCoin(event: PricedEvent, override: Override, rules: Rules): StatedCoin | undefined {
  if (event.received_denom === null) return undefined;
  const { denom, quantity } = overriddenCoin(event, override, rules);
  const price = denom === event.received_denom ? event.received_price : (override.token_price ?? null);
  return { denom, quantity, price };
}

/** Returns the category's treatment of received or sent coins. Undefined for fees, staking, moves and swaps. */
export function treatmentOf(event: PricedEvent, direction: Direction, rules: Rules): Treatment | undefined {
  const category = rules.category(event.category);
  if (direction === 'in') return category.in;
  return event.to_own_key ? (category.out_to_own_key ?? category.out) : category.out;
}

/** Returns the tag's treatment, or else the category's. */
function appliedTreatment(event: PricedEvent, direction: Direction, tags: RowTags, rules: Rules): Applied | undefined {
  const treatment = treatmentOf(event, direction, rules);
  if (event[direction === 'in' ? 'received_denom' : 'sent_denom'] === null || !treatment) return undefined;
  const tag = tags.get(event.id)?.[direction];
  return tag ? { treatment: tag[direction]!, tag } : { treatment, tag: null };
}

const isSwap = (event: PricedEvent, rules: Rules) => rules.category(event.category).effect === 'swap';

/** Reports whether the row's received coins may create a lot. An asset decision can then change the receipt. */
export const mayMakeLot = (event: PricedEvent, rules: Rules): boolean =>
  event.received_denom !== null && (treatmentOf(event, 'in', rules) !== undefined || isSwap(event, rules));

const ENDS: ReadonlySet<string> = new Set<Treatment['act']>(['dispose', 'relieve', 'burn-deposit']);

/** Reports whether the row sends coins for good. An asset decision can then state their value. */
export function losesCoins(event: PricedEvent, tags: RowTags, rules: Rules): boolean {
  if (event.sent_denom === null && event.fee_denom === null) return false;
  const treatments = [treatmentOf(event, 'out', rules), appliedTreatment(event, 'out', tags, rules)?.treatment];
  return isSwap(event, rules) || treatments.some((treatment) => treatment && ENDS.has(treatment.act));
}
