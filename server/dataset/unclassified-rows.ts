/** Counts the rows of a dataset that no classifier explained, and those that no reviewed act does. */
import type { Manifest } from '../../schemas/types.generated.js';

/** Adds up the manifest's counts, which are by message type or phase. */
export const unclassifiedRows = ({ unclassified }: Pick<Manifest, 'unclassified'>): number => sumOf(unclassified);

/** Adds up the manifest's counts by height; a dataset of an earlier program has none. */
export const unreviewedMoves = ({ unreviewed_moves }: Partial<Pick<Manifest, 'unreviewed_moves'>>): number =>
  sumOf(unreviewed_moves ?? {});

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);
