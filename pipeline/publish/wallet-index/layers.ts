/**
 * Splits a dataset into the two layers of its wallet index. The base layer has the closed months, which are all months
 * except the last. Generations share it until another month closes or a closed month changes. The open layer has the
 * last month, and all tables that are not split by month.
 */
import type { Manifest, ManifestFile, ManifestTable } from '../../../schemas/types.generated.js';
import { Database, readSql } from '../../base/duckdb/database.js';
import { openingHeight } from '../../books/reports/coverage.js';
import type { Reference } from '../../reference.js';
import { tableFiles } from '../generation.js';

/** A dataset, sealed or not. */
export interface IndexSource {
  readonly folder: string;
  readonly manifest: {
    readonly tables: ManifestTable[];
    readonly coverage: Pick<Manifest['coverage'], 'first_height' | 'starting_height'>;
  };
  readonly reference: Reference;
}

type Tables = ManifestTable[];

export interface Layer {
  readonly tables: Tables;
  /** Tables from which opening holdings are computed; only in the layer that contains opening holdings. */
  readonly opening?: Tables;
}

export interface Layers {
  /** Undefined if the dataset has only one month. */
  readonly base: (Layer & { readonly content: unknown }) | undefined;
  readonly open: Layer;
}

const MONTHLY = ['priced_events', 'validator_payouts'];
const MONTHLY_HOLDINGS = [
  'daily_holdings',
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_edges',
  'validator_rates',
  'block_nanos',
  'reward_months',
  'blocks',
  'coin_movements',
];

const UNDATED_OPENING = /^(opening_balances|native_holdings)\//;

/** True for datasets of single wallets, whose holdings have a table of their own. */
export const hasTrackedHoldings = (tables: Tables) =>
  tables.some(({ name }) => name === 'daily_holdings') && !tables.some(({ name }) => name === 'validator_days');

export const hasHoldings = (tables: Tables): boolean => tables.some(({ name }) => name === 'validator_days');

/** Returns '2026-03' for `priced_events/2026-03_01.parquet`; undefined for a file that is not split by month. */
const monthOf = ({ path }: ManifestFile): string | undefined => /\/(\d{4}-\d\d)/.exec(path)?.[1];

const withFiles = (tables: Tables, test: (file: ManifestFile) => boolean): Tables =>
  tables.map((table) => ({ ...table, files: table.files.filter(test) }));

/**
 * @param spill folder for temporary files
 * @returns the layers; `content` of the base layer identifies the rows from which it is built
 */
export async function splitLayers({ folder, manifest, reference }: IndexSource, spill: string): Promise<Layers> {
  const { tables, coverage } = manifest;
  const months = tables.flatMap(({ files }) => files).flatMap((file) => monthOf(file) ?? []);
  const last = months.sort().at(-1);
  const isClosed = (file: ManifestFile) => last !== undefined && (monthOf(file) ?? last) < last;
  const isLater = (file: ManifestFile) => !isClosed(file);
  const closed = withFiles(tables, isClosed);
  if (closed.every(({ files }) => files.length === 0)) return { base: undefined, open: { tables, opening: tables } };
  const open = withFiles(tables, isLater);
  const database = await Database.open(spill);
  try {
    const height = hasHoldings(tables) || hasTrackedHoldings(tables) ? openingHeight(coverage) : null;
    const used = [...MONTHLY, ...(hasHoldings(tables) ? MONTHLY_HOLDINGS : [])];
    const content = filesOf(closed, used);
    const base = { tables: closed, content };
    if (height === null) return { base, open: { tables: open } };
    // Opening holdings are computed back from the rows up to `height`. The open month is needed only if it has such
    // rows.
    await database.attach('blocks', tableFiles(folder, { tables: open }, 'blocks'));
    const [found] = await database.all<{ first: number }>('select min(height) as first from blocks');
    if (found!.first <= height + 1) return { base, open: { tables: open, opening: tables } };
    await database.attach('native_holdings', tableFiles(folder, { tables }, 'native_holdings'));
    const [digest] = await database.all(readSql('tables/opening_digest'));
    const opening = withFiles(tables, (file) => isClosed(file) || UNDATED_OPENING.test(file.path));
    const { chain, contracts } = reference;
    const more = [height, digest, filesOf(opening, ['opening_balances', 'coin_movements']), chain, contracts];
    return { base: { ...base, opening, content: [content, more] }, open: { tables: open } };
  } finally {
    database.close();
  }
}

/** Returns the files in the order of `names`, because the order of tables differs between manifests. */
const filesOf = (tables: Tables, names: readonly string[]) =>
  names.map((name) => tables.find((table) => table.name === name)?.files.map(({ path, sha256 }) => [path, sha256]));
