/** Writes files of raw blocks from checked rows, which come in ascending order of height. */
import type { RawBlock } from '../../schemas/types.generated.js';
import type { Database } from '../duckdb/database.js';
import { writeTableFile } from '../duckdb/table-file.js';
import { lastHeightOfRange, listRanges, placeRange } from './raw-files.js';

/** Characters of records kept outside DuckDB before they are handed over. */
const BATCH_CHARACTERS = 8_000_000;

export class RawWriter {
  private batch: RawBlock[] = [];
  private characters = 0;
  private first: number | undefined;
  private last = 0;

  constructor(
    private readonly database: Database,
    private readonly folder: string,
  ) {}

  /** Takes the next row; a row that ends a range puts its file on disk. */
  async add(row: RawBlock): Promise<void> {
    if (this.first === undefined) {
      await this.database.create('raw_blocks');
      this.first = row.height;
    }
    this.batch.push(row);
    this.last = row.height;
    this.characters += row.record.length;
    if (this.characters >= BATCH_CHARACTERS) await this.flush();
    if (row.height === lastHeightOfRange(row.height)) await this.finish();
  }

  /** Puts what was added since the last file on disk, together with the blocks of its range that adjoin it there. */
  async finish(): Promise<void> {
    if (this.first === undefined) return;
    await this.flush();
    const [first, last] = [this.first, this.last];
    const range = lastHeightOfRange(first);
    const adjoining = listRanges(this.folder).filter(
      ({ from, to }) => lastHeightOfRange(from) === range && (to === first - 1 || from === last + 1),
    );
    for (const { path } of adjoining) await this.database.run('tables/append_raw_blocks', { path });
    const from = Math.min(first, ...adjoining.map((file) => file.from));
    const to = Math.max(last, ...adjoining.map((file) => file.to));
    await placeRange(this.folder, from, to, adjoining, (path) => writeTableFile(this.database, 'raw_blocks', path));
    await this.database.create('raw_blocks'); // empty: its text need not stay in memory
    this.first = undefined;
  }

  private async flush(): Promise<void> {
    await this.database.append('raw_blocks', this.batch);
    this.batch = [];
    this.characters = 0;
  }
}
