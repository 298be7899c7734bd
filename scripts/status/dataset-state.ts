/** State of the current dataset: range, age and gaps. */
import { statSync } from 'node:fs';
import { currentFile, currentGeneration, generationDir, readManifest } from '../../pipeline/publish/generation.js';
import type { Reference } from '../../pipeline/reference.js';
import { otherVersions } from '../../pipeline/reports/versions.js';
import type { HoldingsStop } from '../../schemas/types.generated.js';
import { ageOf } from '../../server/dataset/age.js';
import { openDataset } from '../../server/dataset/dataset.js';
import { daysWithoutPrice } from '../../server/dataset/price-gaps.js';
import { unclassifiedRows, unreviewedMoves } from '../../server/dataset/unclassified-rows.js';

export interface DatasetState {
  readonly generation: string;
  /** Time of publication, RFC 3339. */
  readonly in_force_since: string;
  readonly height: number;
  /** Time of that block, RFC 3339. */
  readonly time: string;
  readonly age_seconds: number;
  /** UTC day of its first block. */
  readonly index_start: string;
  /** Height of the starting state; null without one. */
  readonly holdings_from: number | null;
  /** Last height with proved holdings; null without a starting state. */
  readonly holdings_until: number | null;
  readonly holdings_stop: HoldingsStop | null;
  /** Number of missing heights in the index. */
  readonly missing_blocks: number;
  readonly unclassified_rows: number;
  /** Rows of coins moved by the chain itself without a reviewed entry. */
  readonly unreviewed_moves: number;
  /** Days without a price, by denom; null if the wallet index cannot be read. */
  readonly days_without_price: Readonly<Record<string, number>> | null;
  /** Versions that are not this program's, as words: figures of wallets are refused until a night has made them anew. */
  readonly other_versions: readonly string[];
}

/** Reads the dataset in force. @returns an error where it cannot be read, and null where nothing is published */
export async function datasetState(
  dataDir: string,
  reference: Reference,
  now: Date,
): Promise<DatasetState | { readonly error: string } | null> {
  const generation = currentGeneration(dataDir);
  if (generation === undefined) return null;
  try {
    const manifest = readManifest(generationDir(dataDir, generation));
    return {
      generation,
      in_force_since: statSync(currentFile(dataDir)).mtime.toISOString(),
      height: manifest.height,
      time: manifest.time,
      age_seconds: ageOf(manifest, now),
      index_start: manifest.index_start,
      holdings_from: manifest.holdings_from,
      holdings_until: manifest.holdings_until,
      holdings_stop: manifest.holdings_stop,
      missing_blocks: manifest.coverage.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      unclassified_rows: unclassifiedRows(manifest),
      unreviewed_moves: unreviewedMoves(manifest),
      days_without_price: await readGaps(dataDir, generation, reference),
      other_versions: otherVersions(manifest, reference),
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function readGaps(dataDir: string, generation: string, reference: Reference) {
  try {
    const dataset = openDataset(dataDir, generation, reference);
    try {
      return Object.fromEntries(daysWithoutPrice(dataset));
    } finally {
      await dataset.close();
    }
  } catch {
    return null;
  }
}
