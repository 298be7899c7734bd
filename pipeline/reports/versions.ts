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
export function otherVersions(
  { methodology_version, classifier_version }: Pick<Manifest, 'methodology_version' | 'classifier_version'>,
  { methodology, classification }: Versions,
): string[] {
  const pairs = [
    ['methodology', methodology_version, methodology.version],
    ['classification', classifier_version, classification.version],
  ];
  return pairs.filter(([, made, now]) => made !== now).map(([what, made, now]) => `${what} ${made}, not ${now}`);
}

/** Lists, in the same words, versions under which a newer program has made a dataset: a night of this one would take it back. */
export function newerVersions(made: Partial<Manifest>, { methodology, classification }: Versions): string[] {
  const pairs = [
    ['form', String(made.schema_version ?? ''), String(SCHEMA_VERSION)],
    ['methodology', made.methodology_version ?? '', methodology.version],
    ['classification', made.classifier_version ?? '', classification.version],
  ] as const;
  const isNewer = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) > 0;
  return pairs.filter(([, one, own]) => isNewer(one, own)).map(([what, one, own]) => `${what} ${one}, not ${own}`);
}
