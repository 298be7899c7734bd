/** A database for a test, whose spill files would lie in the system's temporary folder. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../pipeline/base/duckdb/database.js';

export const openDatabase = (options: Parameters<typeof Database.open>[1] = {}): Promise<Database> =>
  Database.open(join(tmpdir(), `hubledger-spill-${randomUUID()}`), options);
