import type { Classification, Manifest, Methodology } from '../../../schemas/types.generated.js';

/**
 * Version of the dataset format. Increase it when a released table, manifest or wallet index changes. A program reads
 * only datasets of its current version.
 */
export const SCHEMA_VERSION = 1;

export interface Versions {
  readonly methodology: Pick<Methodology, 'version'>;
  readonly classification: Pick<Classification, 'version'>;
}

/** Lists versions in the dataset that differ from the program's versions, such as 'classification 1, not 2'. */
export const otherVersions = (made: Partial<Manifest>, current: Versions): string[] =>
  reviewedVersions(made, current).filter(isOther).map(asWords);

/**
 * Lists versions in the dataset that are newer than the program's versions. A nightly run of this program would
 * downgrade them.
 */
export function newerVersions(made: Partial<Manifest>, current: Versions): string[] {
  const form: Version = ['form', String(made.schema_version ?? ''), String(SCHEMA_VERSION)];
  return [form, ...reviewedVersions(made, current)].filter(isNewer).map(asWords);
}

type Version = readonly [name: string, made: string, current: string];

const reviewedVersions = (made: Partial<Manifest>, { methodology, classification }: Versions): Version[] => [
  ['methodology', made.methodology_version ?? '', methodology.version],
  ['classification', made.classifier_version ?? '', classification.version],
];

const isOther = ([, made, current]: Version) => made !== current;
const isNewer = ([, made, current]: Version) => made.localeCompare(current, 'en', { numeric: true }) > 0;
const asWords = ([name, made, current]: Version) => `${name} ${made}, not ${current}`;
