/** Notes of classification: what it found beside its rows. */
import type { DenomMetadata, OversizedToken } from '../../../schemas/types.generated.js';

/** Notes on some blocks; counts are by message type, or BeginBlock, EndBlock, fee. */
export interface Notes {
  readonly unclassified: Readonly<Record<string, number>>;
  /** Rows of coins that the chain itself moved and nobody has reviewed, by height. */
  readonly unreviewedMoves: Readonly<Record<string, number>>;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly undecoded: Readonly<Record<string, number>>;
  readonly oversized: readonly OversizedToken[];
  /** Identities that tokens' admins claimed, in the chain's order. */
  readonly denomMetadata: readonly DenomMetadata[];
  /** Traces of IBC vouchers, each once. */
  readonly voucherTraces: readonly string[];
}

/** The notes of ranges of blocks as those of all their blocks. @param all in ascending order of heights */
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

/** Counts added up by name, in the order of the names. */
function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}
