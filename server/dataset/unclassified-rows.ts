/** The number of rows of a dataset that no classifier explained. */
import type { Manifest } from '../../schemas/types.generated.js';

/** Adds up the manifest's counts, which are by message type or phase. */
export const unclassifiedRows = ({ unclassified }: Pick<Manifest, 'unclassified'>): number =>
  Object.values(unclassified).reduce((sum, rows) => sum + rows, 0);
