import type { Seeded } from './seeded.js';

/** The place of an attack, before its server runs. */
export interface Place {
  /** The program under attack, `hubledger.js`. */
  readonly program: string;
  /** A copy of the dataset, which the attack may damage. */
  readonly dataDir: string;
  readonly random: Seeded;
}
