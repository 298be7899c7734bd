/** Under which versions a dataset was made, and what follows when the program has gone on since. */
import type { Classification, Manifest, Methodology } from '../../schemas/types.generated.js';

/**
 * Counts up when a table, the manifest or the wallet index changes its form, once a version with the old form was released.
 * A program reads datasets of its own number only.
 */
export const SCHEMA_VERSION = 1;

/** The reviewed data that says which rows and prices a program makes. */
export interface Versions {
  readonly methodology: Pick<Methodology, 'version'>;
  readonly classification: Pick<Classification, 'version'>;
}

/**
 * Lists versions under which a dataset was made and that are not the program's, as words: 'classification 1, not 2'. None: its
 * figures are those that the program would make.
 */
export const otherVersions = (made: Partial<Manifest>, own: Versions): string[] =>
  reviewedVersions(made, own).filter(isOther).map(asWords);

/** Lists, in the same words, versions under which a newer program has made a dataset: a night of this one would take it back. */
export function newerVersions(made: Partial<Manifest>, own: Versions): string[] {
  const form: Version = ['form', String(made.schema_version ?? ''), String(SCHEMA_VERSION)];
  return [form, ...reviewedVersions(made, own)].filter(isNewer).map(asWords);
}

/** A version by its name: under which a dataset was made, and the program's. */
type Version = readonly [name: string, made: string, own: string];

const reviewedVersions = (made: Partial<Manifest>, { methodology, classification }: Versions): Version[] => [
  ['methodology', made.methodology_version ?? '', methodology.version],
  ['classification', made.classifier_version ?? '', classification.version],
];

const isOther = ([, made, own]: Version) => made !== own;
const isNewer = ([, made, own]: Version) => made.localeCompare(own, 'en', { numeric: true }) > 0;
const asWords = ([name, made, own]: Version) => `${name} ${made}, not ${own}`;
