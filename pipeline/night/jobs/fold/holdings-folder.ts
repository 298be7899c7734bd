/**
 * Stores the results of the fold (which computes holdings block by block), in one folder for each part:
 * - `start`: the starting state as a checkpoint, with balances, deposits and slashes
 * - `<from>-<to>`: final rows of these blocks, and a checkpoint
 * - `open-<height>`: rows that may still change with blocks after this height, and the reason why the fold stopped
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HoldingsStop } from '../../../../schemas/types.generated.js';
import { listFolder, removeFolder } from '../../../base/disk/atomic-files.js';
import { damagedFile, removeSealed } from '../../../base/disk/sealed-folder.js';
import type { Database } from '../../../base/duckdb/database.js';
import { writeTableFile } from '../../../base/duckdb/table-file.js';
import type { EdgeCalendar, Period } from '../../../base/values/edges.js';
import { paddedHeight } from '../../../chain/raw-files.js';
import type { Start } from '../../../holdings/start/starting-state.js';
import type { HoldingsTable, UpgradePlan } from '../../../holdings/state.js';
import type { ReviewedChanges } from '../../../holdings/state-changes.js';

export const FOLDED_TABLES = [
  'delegation_spans',
  'reward_ratios',
  'reward_payments',
  'validator_days',
  'validator_edges',
  'validator_rates',
  'block_nanos',
  'validator_slashes',
  'unbonding_intervals',
  'slash_losses',
  'balance_corrections',
] as const satisfies readonly HoldingsTable[];

/** DuckDB gets little memory, because the fold's state needs most of it. DuckDB spills rows to disk. */
export const ROWS_DATABASE = { threads: 1, memoryLimit: '200MB' };

/**
 * Writes a table's rows in sorted order. Reward ratios are not sorted, because sorting them may need gigabytes and
 * readers only look them up by key.
 */
export async function writeRows(database: Database, table: string, folder: string): Promise<void> {
  if (table === 'reward_ratios') await database.keep(table, tableFile(folder, table));
  else await writeTableFile(database, table, tableFile(folder, table));
}

interface FinalRows {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

export const startFile = (start: string) => join(start, 'start.json');
export const tableFile = (path: string, table: string) => join(path, `${table}.parquet`);
export const checkpointFile = (path: string) => join(path, 'checkpoint.jsonl');

const partFactsFile = (path: string) => join(path, 'part.json');
const openFactsFile = (path: string) => join(path, 'open.json');

interface PartFacts {
  readonly month: string;
  readonly upgrades: readonly UpgradePlan[];
  /** Hash of the reviewed state changes that affect the rows. */
  readonly reviewed: string;
  readonly edges: EdgeFacts;
}

/** Edges with rows in the folder, and the period of the folder's blocks. Nanoseconds since 1970, as text. */
interface EdgeFacts {
  readonly after: string;
  readonly until: string;
  readonly kept: readonly string[];
}

interface OpenFacts {
  readonly reviewed: string;
  readonly edges: EdgeFacts;
  readonly stop?: HoldingsStop | undefined;
}

const readFacts = (path: string): PartFacts => JSON.parse(readFileSync(partFactsFile(path), 'utf8'));

/** What decides, besides the blocks, which rows a folder has. */
export interface FoldSettings {
  /** State changes without an event. */
  readonly reviewed: ReviewedChanges;
  readonly edges: EdgeCalendar;
}

export function writePartFacts(
  path: string,
  { month, to, upgrades, period }: Pick<PartFacts, 'month' | 'upgrades'> & { readonly to: number; period: Period },
  { reviewed, edges }: FoldSettings,
): void {
  const facts = { month, upgrades, reviewed: keyUpTo(to, upgrades, reviewed), edges: edgeFacts(edges, period) };
  writeFileSync(partFactsFile(path), JSON.stringify(facts satisfies PartFacts));
}

export function writeOpenFacts(
  path: string,
  { stop, period }: { readonly stop?: HoldingsStop | undefined; readonly period: Period },
  { reviewed, edges }: FoldSettings,
): void {
  const facts: OpenFacts = { reviewed: keyOfAll(reviewed), stop, edges: edgeFacts(edges, period) };
  writeFileSync(openFactsFile(path), JSON.stringify(facts));
}

function edgeFacts(edges: EdgeCalendar, { after, until }: Period): EdgeFacts {
  const kept = edges.between({ after, until }).map(({ at }) => String(at));
  return { after: String(after), until: String(until), kept };
}

/** Returns true if an edge in the folder's period has no rows in it. */
function lacksEdge({ edges: { after, until, kept } }: PartFacts | OpenFacts, edges: EdgeCalendar): boolean {
  const inPeriod = edges.between({ after: BigInt(after), until: BigInt(until) });
  return inPeriod.some(({ at }) => !kept.includes(String(at)));
}

const readOpenFacts = (path: string): OpenFacts => JSON.parse(readFileSync(openFactsFile(path), 'utf8'));

/** `until`: last height with holdings. `stop`: why the fold ended before the last block. */
export interface FoldEnd {
  readonly until: number;
  readonly stop: HoldingsStop | undefined;
}

const hasCheckpoint = ({ path }: FinalRows) => existsSync(checkpointFile(path));

export class HoldingsFolder {
  readonly start: string;

  constructor(readonly path: string) {
    this.start = join(path, 'start');
  }

  finalFolder(from: number, to: number): string {
    return join(this.path, `${paddedHeight(from)}-${paddedHeight(to)}`);
  }

  openFolder(height: number): string {
    return join(this.path, `open-${paddedHeight(height)}`);
  }

  readStart(): Start | undefined {
    const file = startFile(this.start);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  }

  finalRows(): FinalRows[] {
    return listFolder(this.path).flatMap((name) => {
      const match = /^(\d{10,})-(\d{10,})$/.exec(name);
      return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(this.path, name) }] : [];
    });
  }

  lastCheckpoint(max = Number.POSITIVE_INFINITY): { readonly height: number; readonly path: string } {
    const last = this.finalRows()
      .filter(({ to }) => to <= max)
      .findLast(hasCheckpoint);
    return last ? { height: last.to, path: last.path } : { height: this.readStart()!.height, path: this.start };
  }

  /** Removes all rows after the last checkpoint at or before this height. */
  dropLater(height: number): void {
    const parts = this.finalRows();
    const kept = parts.filter(({ to }) => to <= height).findLast(hasCheckpoint)?.to ?? 0;
    const dropped = parts.filter(({ to }) => to > kept);
    if (dropped.length > 0) for (const path of this.openRows()) removeFolder(path);
    for (const { path } of dropped.reverse()) removeFolder(path);
  }

  dropFrom(height: number): void {
    for (const path of this.openRows()) removeFolder(path);
    this.dropLater(height - 1);
  }

  /** Removes rows that depend on an edited state change, and all rows after an edge that was added later. */
  dropOutdated({ reviewed, edges }: FoldSettings): void {
    const key = keyOfAll(reviewed);
    for (const path of this.openRows()) {
      const facts = readOpenFacts(path);
      if (facts.reviewed !== key || lacksEdge(facts, edges)) removeFolder(path);
    }
    const outdated = this.finalRows().find(({ path, to }) => {
      const facts = readFacts(path);
      return facts.reviewed !== keyUpTo(to, facts.upgrades, reviewed) || lacksEdge(facts, edges);
    });
    if (outdated) this.dropLater(outdated.from - 1);
  }

  /** Removes damaged folders and all folders of later blocks. @returns paths of the damaged files */
  async dropDamaged(): Promise<string[]> {
    const damaged: string[] = [];
    for (const path of this.openRows()) {
      const name = await damagedFile(path);
      if (name === undefined) continue;
      damaged.push(join(path, name));
      removeFolder(path);
    }
    let next = this.readStart()!.height + 1;
    for (const { from, to, path } of this.finalRows()) {
      const name = from === next ? await damagedFile(path) : 'the part before it';
      next = to + 1;
      if (name === undefined) continue;
      damaged.push(join(path, name));
      this.dropLater(from - 1);
      break;
    }
    return damaged;
  }

  private openRows(): string[] {
    return listFolder(this.path).flatMap((name) => (name.startsWith('open-') ? [join(this.path, name)] : []));
  }

  /** Returns undefined if the fold has not reached the height. */
  end(height: number): FoldEnd | undefined {
    for (const path of this.openRows()) {
      const { stop } = readOpenFacts(path);
      if (stop && stop.height <= height) return { until: stop.height - 1, stop };
    }
    return existsSync(this.openFolder(height)) ? { until: height, stop: undefined } : undefined;
  }

  folders(height: number): string[] {
    return [this.start, ...this.finalRows().map(({ path }) => path), this.openFolder(height)];
  }

  /** Removes all checkpoints except the last one of each month, and `open-` folders of other heights. */
  tidy(height: number): void {
    const parts = this.finalRows().map(({ path }) => ({ path, month: readFacts(path).month }));
    for (const [i, { path, month }] of parts.entries()) {
      if (parts[i + 1]?.month === month) removeSealed(path, basename(checkpointFile(path)));
    }
    for (const path of this.openRows()) if (path !== this.openFolder(height)) removeFolder(path);
  }
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

function keyUpTo(to: number, ran: readonly UpgradePlan[], { upgrades, corrections }: ReviewedChanges): string {
  const known = new Map(upgrades.map(({ name, changes }) => [name, changes]));
  return hashOf([
    ran.map(({ name, height }) => [height, name, known.get(name) ?? null]),
    corrections.filter(({ height }) => height <= to).map(({ height, what }) => [height, what]),
  ]);
}

const keyOfAll = (reviewed: ReviewedChanges): string => hashOf(reviewed);
