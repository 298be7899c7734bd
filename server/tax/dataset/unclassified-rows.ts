/**
 * Counts rows that no rule classified, and coin moves without a reviewed chain act (data/reference/chain-acts.json).
 */
import type { Manifest } from '../../../schemas/types.generated.js';

export const unclassifiedRows = ({ unclassified }: Pick<Manifest, 'unclassified'>): number => sumOf(unclassified);

/** Datasets of earlier program versions have no `unreviewed_moves`. */
export const unreviewedMoves = ({ unreviewed_moves }: Partial<Pick<Manifest, 'unreviewed_moves'>>): number =>
  sumOf(unreviewed_moves ?? {});

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);
