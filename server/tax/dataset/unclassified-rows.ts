/** Counts rows that no classifier explained, and rows without a reviewed act. */
import type { Manifest } from '../../../schemas/types.generated.js';

export const unclassifiedRows = ({ unclassified }: Pick<Manifest, 'unclassified'>): number => sumOf(unclassified);

/** Sums the manifest's counts by height; a dataset of an earlier program has none. */
export const unreviewedMoves = ({ unreviewed_moves }: Partial<Pick<Manifest, 'unreviewed_moves'>>): number =>
  sumOf(unreviewed_moves ?? {});

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);
