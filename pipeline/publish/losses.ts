/**
 * Losses: what a generation would take away from the one in force. A forgotten starting state or file of corrections, a first height
 * that was moved or an emptied folder of prices makes sound tables, which no audit stops, with less in them than people have seen.
 */
import type { Manifest, ManifestFile } from '../../schemas/types.generated.js';
import { newerVersions, type Versions } from '../reports/versions.js';
import { currentGeneration, generationDir, readAnyManifest } from './generation.js';
import { monthPath } from './write-table.js';

/** The transaction, in the manifest, of a token that is oversized by what many of them add up to. */
export const SUM = 'sum';

/** Tables whose rows follow from blocks and quotes alone: none of them goes while its version, if it has one, stays. */
const LASTING: Readonly<Record<string, 'classifier_version' | 'methodology_version' | undefined>> = {
  blocks: undefined,
  transactions: undefined,
  coin_movements: undefined,
  priced_events: 'classifier_version',
  validator_payouts: 'classifier_version',
  prices: 'methodology_version',
};

/** Thrown in place of publishing: the generation in force stays. */
export class LossError extends Error {
  /** @param losses at least one, as `lossesOf` names them */
  constructor(readonly losses: readonly string[]) {
    super(`this night would take away ${losses.join('; ')}`);
  }
}

/**
 * Refuses to go behind what a newer program has published, before anything is made.
 * @throws LossError
 */
export function expectNoNewer(dataDir: string, versions: Versions): void {
  let made: Partial<Manifest>;
  try {
    made = readAnyManifest(generationDir(dataDir, currentGeneration(dataDir) ?? ''));
  } catch {
    return; // there is none, or it is damaged: the night makes one
  }
  const newer = newerVersions(made, versions);
  if (newer.length > 0) throw new LossError([`what a newer program has made under ${newer.join(' and ')}`]);
}

/** Names what the next generation lacks: the starting state, blocks of either end, holdings, tables, rows of a file; nothing, if none. */
export function lossesOf(previous: Manifest, next: Manifest): string[] {
  const ends = [...lostState(previous, next), ...lostBlocks(previous, next)];
  const names = new Set(next.tables.map(({ name }) => name));
  const tables = previous.tables.filter(({ name }) => !names.has(name)).map(({ name }) => `the table ${name}`);
  // Where blocks go, their rows go with them; and anybody can make a token that outgrows the tables, which has no rows from then on.
  const rows = ends.length > 0 || hasOutgrown(previous, next) ? [] : lostRows(previous, next);
  return [...ends, ...lostHoldings(previous, next), ...tables, ...rows];
}

function lostState({ coverage: { starting_height: before } }: Manifest, { coverage }: Manifest): string[] {
  return before !== null && coverage.starting_height === null ? [`the starting state of height ${before}`] : [];
}

function lostBlocks(previous: Manifest, next: Manifest): string[] {
  const [before, after] = [previous.coverage, next.coverage];
  const losses: string[] = [];
  if (after.first_height > before.first_height)
    losses.push(
      `blocks ${before.first_height} to ${after.first_height - 1}, from ${previous.index_start} to ${next.index_start}`,
    );
  if (after.last_height < before.last_height)
    losses.push(
      `blocks ${after.last_height + 1} to ${before.last_height}, from ${next.index_end} to ${previous.index_end}`,
    );
  return losses;
}

/** A fold begins later with another starting state, and ends earlier where a correction or an upgrade that it knew is gone. */
function lostHoldings(previous: Manifest, next: Manifest): string[] {
  const { holdings_from: from, holdings_until: until } = next;
  if (previous.holdings_from === null || previous.holdings_until === null || from === null || until === null) return [];
  const before = Math.min(previous.holdings_until, next.coverage.last_height);
  const first = Math.max(previous.holdings_from, next.coverage.first_height);
  return [
    ...(from > first ? [`holdings of blocks ${first} to ${from - 1}`] : []),
    ...(until < before ? [`holdings of blocks ${until + 1} to ${before}`] : []),
  ];
}

const hasOutgrown = (previous: Manifest, next: Manifest): boolean =>
  next.oversized.some(
    ({ tx_hash, denom }) =>
      tx_hash === SUM && !previous.oversized.some((known) => known.denom === denom && known.tx_hash === SUM),
  );

function lostRows(previous: Manifest, next: Manifest): string[] {
  const isComparable = (name: string) => {
    const version = LASTING[name];
    return name in LASTING && (version === undefined || previous[version] === next[version]);
  };
  const filesOf = ({ tables }: Manifest): ManifestFile[] =>
    tables.filter(({ name }) => isComparable(name)).flatMap(({ files }) => files);
  const left = rowsByMonth(filesOf(next));
  return [...rowsByMonth(filesOf(previous))].flatMap(([path, before]) => {
    const lost = before - (left.get(path) ?? 0);
    return lost > 0 ? [`${lost} of ${before} rows of ${path}`] : [];
  });
}

/** Rows by month: where wallets cut a month into files follows from all of its rows. */
function rowsByMonth(files: readonly ManifestFile[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { path, rows: count } of files) rows.set(monthPath(path), (rows.get(monthPath(path)) ?? 0) + count);
  return rows;
}
