import type { DenomMetadata, OversizedToken } from '../../../schemas/types.generated.js';

/** What classification found besides rows. Counts are by message type, or BeginBlock, EndBlock, fee. */
export interface Notes {
  readonly unclassified: Readonly<Record<string, number>>;
  /** Unreviewed coin movements by the chain itself, by height. */
  readonly unreviewedMoves: Readonly<Record<string, number>>;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly undecoded: Readonly<Record<string, number>>;
  readonly oversized: readonly OversizedToken[];
  /** Metadata set by token admins, in chain order. */
  readonly denomMetadata: readonly DenomMetadata[];
  /** Unique traces of IBC vouchers. */
  readonly voucherTraces: readonly string[];
}

/** Merges notes in ascending order of heights. */
export function sumNotes(all: readonly Notes[]): Notes {
  return {
    unclassified: sumCounts(all.map((notes) => notes.unclassified)),
    unreviewedMoves: sumCounts(all.map((notes) => notes.unreviewedMoves)),
    unknownTypes: sumCounts(all.map((notes) => notes.unknownTypes)),
    undecoded: sumCounts(all.map((notes) => notes.undecoded)),
    oversized: all.flatMap((notes) => notes.oversized),
    denomMetadata: all.flatMap((notes) => notes.denomMetadata),
    voucherTraces: [...new Set(all.flatMap((notes) => notes.voucherTraces))],
  };
}

/** Adds counts, sorted by name. */
function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}
