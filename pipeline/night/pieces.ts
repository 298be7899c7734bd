/**
 * A piece is a sealed folder `pieces/<step>/<key>`. A pure function makes it from named inputs: the program, reviewed
 * data, files, and other pieces. The key is a hash of these inputs. So a nightly run makes only pieces whose inputs
 * have changed, and a run that makes all pieces again gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { DifferentPieces } from '../base/config-error.js';
import { linkOrCopy, listFolder, removeFolder, removeUnfinished, unfinished } from '../base/disk/atomic-files.js';
import { damagedFile, readSums, sealFolder } from '../base/disk/sealed-folder.js';
import { readTable } from '../base/duckdb/table.js';
import type { LocalPiece } from '../publish/store/dataset-store.js';
import type { NightStore } from '../publish/store/night-store.js';

export interface Piece {
  readonly key: string;
  readonly folder: string;
  /** False if the folder must still be made. */
  readonly isThere: boolean;
}

export interface PieceCounts {
  readonly made: number;
  readonly taken: number;
}

/** Returns the key of the piece that is made from these inputs. */
export const pieceKey = (inputs: unknown): string =>
  createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 20);

export class Pieces {
  private readonly used = new Map<string, LocalPiece>();
  private readonly elsewhere: LocalPiece[] = [];
  private readonly dropped = new Set<string>();

  /**
   * @param root folder of all pieces
   * @param makesAll if true, all pieces are made again and compared with the pieces on disk
   * @param onDamaged called with the path of a damaged file
   * @param store contains the pieces of other runs
   */
  constructor(
    private readonly root: string,
    private readonly makesAll: boolean,
    private readonly onDamaged: (path: string) => void,
    private readonly store?: Pick<NightStore, 'getPiece'>,
  ) {}

  get counts(): PieceCounts {
    const made = [...this.used.values()].filter(({ isNew }) => isNew).length;
    return { made, taken: this.used.size - made };
  }

  /** Looks for a piece. If it is missing, the caller must make its folder with `writePiece`. */
  async find(step: string, inputs: unknown): Promise<Piece> {
    const piece = this.named(step, inputs);
    const { key, folder } = piece;
    const known = this.used.get(folder);
    const damaged = await damagedFile(folder);
    if (damaged === undefined && (known || !this.makesAll)) {
      this.used.set(folder, known ?? { ...piece, isNew: false });
      return { key, folder, isThere: true };
    }
    if (damaged !== undefined && listFolder(folder).length > 0) {
      this.onDamaged(join(folder, damaged));
      removeFolder(folder);
    }
    const isThere = !this.makesAll && (await this.fetch(piece));
    this.used.set(folder, { ...piece, isNew: !isThere });
    return { key, folder, isThere };
  }

  /** Keeps a piece, if it exists, although this run does not need it. */
  async keep(step: string, inputs: unknown): Promise<void> {
    const piece = this.named(step, inputs);
    const isThere = (await damagedFile(piece.folder)) === undefined || (await this.fetch(piece));
    if (isThere) this.used.set(piece.folder, { ...piece, isNew: false });
  }

  /** Removes a piece that no other piece needs any more. */
  drop({ folder }: Piece): void {
    removeFolder(folder);
    this.dropped.add(folder);
  }

  private named(step: string, inputs: unknown): Omit<LocalPiece, 'isNew'> {
    const key = pieceKey(inputs);
    return { step, key, folder: join(this.root, step, key) };
  }

  /** Returns the piece. If it is missing, makes it in this thread. */
  async make(step: string, inputs: unknown, write: (folder: string) => Promise<void>): Promise<Piece> {
    const piece = await this.find(step, inputs);
    if (!piece.isThere) await writePiece(piece.folder, write);
    return piece;
  }

  /**
   * Fetches a sealed folder from the object store, where it is stored like a piece. @returns true if the folder now
   * exists
   */
  async take(step: string, key: string, folder: string): Promise<boolean> {
    const piece = { step, key, folder };
    const isThere = (await damagedFile(folder)) === undefined || (await this.fetch(piece));
    this.elsewhere.push({ ...piece, isNew: !isThere });
    return isThere;
  }

  private async fetch({ step, key, folder }: Omit<LocalPiece, 'isNew'>): Promise<boolean> {
    return (await this.store?.getPiece(step, key, folder)) ?? false;
  }

  /** All pieces that this run has requested and not dropped. */
  get list(): LocalPiece[] {
    return [...this.used.values(), ...this.elsewhere].filter(({ folder }) => !this.dropped.has(folder));
  }

  /** Removes all pieces that this run has not requested. */
  tidy(): void {
    for (const step of listFolder(this.root)) {
      for (const key of listFolder(join(this.root, step))) {
        const folder = join(this.root, step, key);
        if (!this.used.has(folder)) rmSync(folder, { recursive: true });
      }
    }
  }

  /** Removes unfinished pieces of killed runs. */
  clear(): void {
    for (const step of listFolder(this.root)) removeUnfinished(join(this.root, step));
  }
}

/**
 * Makes a piece's folder, which appears only when it is complete.
 * @throws DifferentPieces if the folder exists with other bytes
 */
export async function writePiece(folder: string, write: (folder: string) => Promise<void>): Promise<void> {
  const making = unfinished(folder);
  mkdirSync(making, { recursive: true });
  try {
    await write(making);
    if (readSums(folder) === undefined) return await sealFolder(making, folder);
    const aside = unfinished(folder);
    await sealFolder(making, aside);
    placeSealed(aside, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/**
 * Gives a sealed folder its final name. If that name exists, compares both folders and removes the new one.
 * @throws DifferentPieces if the folders have different bytes
 */
export function placeSealed(from: string, to: string): void {
  const before = readSums(to);
  if (before === undefined) {
    renameSync(from, to);
    return;
  }
  const after = readSums(from)!;
  rmSync(from, { recursive: true });
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const name = names.find((file) => before[file]?.sha256 !== after[file]?.sha256);
  if (name === undefined) return;
  const hashes = `${before[name]?.sha256 ?? 'no file'} before, ${after[name]?.sha256 ?? 'no file'} now`;
  throw new DifferentPieces(`${join(to, name)} has other bytes under the same key: ${hashes}`);
}

const TABLES_FILE = 'tables.json';

/** Records the files of a piece's tables in the piece, with paths like `ledger_entries/2026-03.parquet`. */
export function noteTables(folder: string, tables: readonly ManifestTable[]): void {
  const files = Object.fromEntries(tables.map((table) => [table.name, table.files]));
  writeFileSync(join(folder, TABLES_FILE), JSON.stringify(files));
}

const tablesOf = (folder: string): Readonly<Record<string, readonly ManifestFile[]>> =>
  JSON.parse(readFileSync(join(folder, TABLES_FILE), 'utf8'));

export const filesOfPiece = (folder: string, table: string): string[] =>
  tablesOf(folder)[table]!.map(({ path }) => join(folder, path));

/**
 * Creates hard links to a table's files in the generation's folder.
 * @param pieces folders of the pieces with the table, one for each month
 * @returns the table's entry in the manifest
 */
export function linkTable(name: string, pieces: readonly string[], folder: string): ManifestTable {
  const { description, columns, sortedBy } = readTable(name);
  mkdirSync(join(folder, name), { recursive: true });
  const files = pieces.flatMap((piece) => {
    const filesOfPiece = tablesOf(piece)[name]!;
    for (const { path } of filesOfPiece) linkOrCopy(join(piece, path), join(folder, path));
    return filesOfPiece;
  });
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name, description, columns: [...columns], sorted_by: [...sortedBy], rows, files: sorted };
}

export const piecesDir = (dataDir: string): string => join(dataDir, 'pieces');
