/**
 * Splits a dataset into the layers of its wallet index. The open layer has the last month, and all tables that are not
 * split by month. The base layers have the closed months. Generations share a base layer until its months change.
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
  /** Tables with the months of this layer and of all earlier layers. */
  readonly until: Tables;
  /** Tables from which opening holdings are computed; only in the layer that contains opening holdings. */
  readonly opening?: Tables;
}

/** `content` identifies everything from which the layer is built. */
type BaseLayer = Layer & { readonly content: unknown };

export interface Layers {
  /** In order of time. */
  readonly base: readonly BaseLayer[];
  readonly open: Layer;
}

/** Up to this number of rows of priced_events, months share a layer. Building such a layer takes two CPU seconds. */
const SMALL_LAYER_ROWS = 100_000;

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

/** Tables of earlier months from which a layer takes the numbers of delegators, and the ends of days and edges. */
const EARLIER = ['validator_payouts', 'validator_days', 'validator_edges'];

/** Tables from which opening holdings are computed. */
const OPENING = ['opening_balances', 'coin_movements', 'priced_events'];
const UNDATED_OPENING = /^(opening_balances|native_holdings)\//;

/** True for datasets of single wallets, whose holdings have a table of their own. */
export const hasTrackedHoldings = (tables: Tables) =>
  tables.some(({ name }) => name === 'daily_holdings') && !tables.some(({ name }) => name === 'validator_days');

export const hasHoldings = (tables: Tables): boolean => tables.some(({ name }) => name === 'validator_days');

/** Returns '2026-03' for `priced_events/2026-03_01.parquet`; undefined for a file that is not split by month. */
const monthOf = ({ path }: ManifestFile): string | undefined => /\/(\d{4}-\d\d)/.exec(path)?.[1];

/** False for files that are not split by month. */
function isWithin(file: ManifestFile, first: string, last: string): boolean {
  const month = monthOf(file);
  return month !== undefined && month >= first && month <= last;
}

const rowsOf = (tables: Tables, month: string): number =>
  withFiles(tables, (file) => monthOf(file) === month)
    .filter(({ name }) => name === 'priced_events')
    .flatMap(({ files }) => files)
    .reduce((sum, { rows }) => sum + rows, 0);

const withFiles = (tables: Tables, test: (file: ManifestFile) => boolean): Tables =>
  tables.map((table) => ({ ...table, files: table.files.filter(test) }));

/**
 * Splits the dataset.
 * @param spill folder for temporary files
 */
export async function splitLayers(
  { folder, manifest, reference }: IndexSource,
  spill: string,
  smallLayerRows: number = SMALL_LAYER_ROWS,
): Promise<Layers> {
  const { tables, coverage } = manifest;
  const months = [...new Set(tables.flatMap(({ files }) => files).flatMap((file) => monthOf(file) ?? []))].sort();
  const closed = months.slice(0, -1);
  if (closed.length === 0) return { base: [], open: { tables, until: tables, opening: tables } };
  const rows = closed.map((month) => rowsOf(tables, month));
  const groups = groupMonths(closed, rows, months.at(-1)!, smallLayerRows);
  const hasAny = hasHoldings(tables);
  const used = [...MONTHLY, ...(hasAny ? MONTHLY_HOLDINGS : [])];
  const base = groups.map((group): BaseLayer => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const own = withFiles(tables, (file) => isWithin(file, first, last));
    const until = withFiles(tables, (file) => isWithin(file, '', last));
    const earlier = withFiles(until, (file) => !isWithin(file, first, last));
    return { tables: own, until, content: [filesOf(own, used), filesOf(earlier, EARLIER)] };
  });
  const open = { tables: withFiles(tables, (file) => !isWithin(file, '', closed.at(-1)!)), until: tables };
  const height = hasAny || hasTrackedHoldings(tables) ? openingHeight(coverage) : null;
  if (height === null) return { base, open };
  const database = await Database.open(spill);
  try {
    const at = await layerOfOpening(database, folder, [...base, open], height);
    const layer = base[at];
    if (layer === undefined) return { base, open: { ...open, opening: tables } };
    const opening = withFiles(
      tables,
      (file) => layer.until.some(({ files }) => files.includes(file)) || UNDATED_OPENING.test(file.path),
    );
    await database.attach('native_holdings', tableFiles(folder, { tables }, 'native_holdings'));
    const [digest] = await database.all(readSql('tables/opening_digest'));
    const { chain, contracts } = reference;
    const more = [height, digest, filesOf(opening, OPENING), chain, contracts];
    return { base: base.with(at, { ...layer, opening, content: [layer.content, more] }), open };
  } finally {
    database.close();
  }
}

/**
 * Returns the number of the first layer that has all rows up to a block after the opening. Opening holdings are computed
 * back from these rows.
 */
async function layerOfOpening(
  database: Database,
  folder: string,
  layers: readonly Layer[],
  height: number,
): Promise<number> {
  for (const [i, { tables }] of layers.slice(1).entries()) {
    await database.attach('blocks', tableFiles(folder, { tables }, 'blocks'));
    const [found] = await database.all<{ first: number }>('select min(height) as first from blocks');
    if (found!.first > height + 1) return i;
  }
  return layers.length - 1;
}

/**
 * Groups closed months into layers: whole years, then the whole quarters of the open year, then the months of the open
 * quarter. A group with few rows joins the group before it. So a chain with few rows has one layer, and a month that
 * closes changes only the last layer or two.
 */
export function groupMonths(
  closed: readonly string[],
  rows: readonly number[],
  open: string,
  smallLayerRows: number,
): string[][] {
  const groups: { name: string; months: string[]; rows: number }[] = [];
  for (const [i, month] of closed.entries()) {
    const name = groupOf(month, open);
    const last = groups.at(-1);
    if (last?.name === name) {
      last.months.push(month);
      last.rows += rows[i]!;
    } else groups.push({ name, months: [month], rows: rows[i]! });
  }
  const layers: { months: string[]; rows: number }[] = [];
  for (const group of groups) {
    const last = layers.at(-1);
    if (last && last.rows + group.rows <= smallLayerRows) {
      last.months.push(...group.months);
      last.rows += group.rows;
    } else layers.push(group);
  }
  return layers.map(({ months }) => months);
}

function groupOf(month: string, open: string): string {
  if (yearOf(month) < yearOf(open)) return yearOf(month);
  return quarterOf(month) < quarterOf(open) ? quarterOf(month) : month;
}

const yearOf = (month: string) => month.slice(0, 4);
const quarterOf = (month: string) => `${yearOf(month)}-Q${Math.ceil(Number(month.slice(5)) / 3)}`;

/** Returns the files in the order of `names`, because the order of tables differs between manifests. */
const filesOf = (tables: Tables, names: readonly string[]) =>
  names.map((name) => tables.find((table) => table.name === name)?.files.map(({ path, sha256 }) => [path, sha256]));
