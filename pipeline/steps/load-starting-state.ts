/** The step that reads the starting state, once: what holdings are folded from, and the balances before the first block. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpeningBalance, OpeningDeposit, ValidatorName } from '../../schemas/types.generated.js';
import { ConfigError } from '../config-error.js';
import { finishFolder, removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { writeLines } from '../disk/lines.js';
import { Database } from '../duckdb/database.js';
import { serializeState } from '../holdings/checkpoint.js';
import { emitDay, startingRows } from '../holdings/modules/intervals.js';
import { loadStartingState } from '../holdings/start/load-starting-state.js';
import type { HoldingsTables } from '../holdings/state.js';
import { StartingStateError } from '../holdings/values/json-item.js';
import { cacheKey } from '../jobs/cache-key.js';
import {
  checkpointFile,
  readStart,
  type Start,
  startFile,
  startFolder,
  tableFile,
} from '../jobs/fold/holdings-folder.js';
import { runJobs, STATE_HEAP } from '../jobs/run-jobs.js';
import { powerOfTen } from '../ledger/amount.js';
import type { Night } from '../night.js';

/** Amounts from here on fit no column of the tables. */
const TOO_LARGE = powerOfTen(38);

/** The entry modules of the jobs that read a starting state and fold blocks. */
const WORKERS = ['../jobs/fold/start-worker.js', '../jobs/chain/chain-worker.js'].map(
  (path) => new URL(path, import.meta.url),
);

/** A starting state is of no day of the index: its validators are found by its height. */
const NO_DAY = '0001-01-01';

/** Bytes up to which a state, packed or not, fits into any thread's memory: no thread of its own is worth its start. */
const SMALL_STATE = 16_000_000;

/** What is to be done. Plain data: it may cross threads. */
interface StartJob {
  /** Path or URL of the state. */
  readonly source: string;
  /** Of the fold, see holdings-folder. */
  readonly folder: string;
}

/** Tables that the starting state alone decides. */
const START_TABLES = ['opening_balances', 'opening_deposits', 'validator_slashes', 'validator_days', 'validator_names'];

/**
 * Sets what the night knows of its starting state; reads it when this is the first night with it. Without one there are no
 * holdings.
 * @throws ConfigError when it cannot be read, or is of another chain
 */
export async function loadStart(night: Night): Promise<void> {
  const { config, nodeChainId } = night;
  if (config.genesis === undefined) return;
  const cache = join(config.dataDir, 'holdings');
  const folder = join(
    cache,
    cacheKey(
      WORKERS.map((url) => fileURLToPath(url)),
      [nodeChainId, fingerprint(config.genesis)],
    ),
  );
  removeUnfinished(folder);
  if (!readStart(folder)) await makeOnThread({ source: config.genesis, folder });
  const start = readStart(folder)!;
  if (start.chainId !== nodeChainId) {
    throw new ConfigError(`the starting state is of ${start.chainId}, not of ${nodeChainId} (HUBLEDGER_GENESIS)`);
  }
  night.start = { ...start, folder };
}

/** A large state gets a thread with a limit on its memory: without one, V8 would rather grow than collect. */
function makeOnThread(job: StartJob): Promise<void> {
  const path = pathOf(job.source);
  const threads = path !== undefined && statSync(path).size <= SMALL_STATE ? 0 : 1;
  const [worker] = WORKERS;
  return runJobs({ jobs: [job], run: makeStart, worker: worker!, threads, heap: STATE_HEAP });
}

/** Path of a starting state that is a file. */
function pathOf(source: string): string | undefined {
  if (/^https?:/.test(source)) return undefined;
  return source.startsWith('file:') ? fileURLToPath(source) : resolve(source);
}

/** Tells a starting state from others without reading gigabytes: a URL by its name, a file also by its size and time. */
function fingerprint(source: string): readonly unknown[] {
  const path = pathOf(source);
  if (path === undefined) return [source];
  try {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  } catch (error) {
    throw new ConfigError(`HUBLEDGER_GENESIS cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Reads a starting state into the folder.
 * @throws ConfigError when it cannot be read
 */
export async function makeStart({ source, folder }: StartJob): Promise<void> {
  const making = unfinished(startFolder(folder));
  mkdirSync(making, { recursive: true });
  const database = await Database.open();
  try {
    for (const table of START_TABLES) await database.create(table);
    const start = await readInto(database, source, making);
    for (const table of START_TABLES) await database.copy(table, tableFile(making, table));
    writeFileSync(startFile(making), JSON.stringify(start));
    finishFolder(making, startFolder(folder));
  } catch (error) {
    throw error instanceof StartingStateError ? new ConfigError(`HUBLEDGER_GENESIS: ${error.message}`) : error;
  } finally {
    database.close();
  }
}

/** Leaves the rows in the database and the checkpoint in the folder. */
async function readInto(database: Database, source: string, folder: string): Promise<Start> {
  const balances = await database.appender<OpeningBalance>('opening_balances');
  const deposits = await database.appender<OpeningDeposit>('opening_deposits');
  const slashes = await database.appender<HoldingsTables['validator_slashes']>('validator_slashes');
  const validators = await database.appender<HoldingsTables['validator_days']>('validator_days');
  const names = await database.appender<ValidatorName>('validator_names');
  const named: Pick<ValidatorName, 'validator' | 'moniker'>[] = [];
  const oversized = new Set<string>();
  const { chainId, state } = await loadStartingState(
    source,
    (address, denom, amount) => {
      if (amount >= TOO_LARGE) oversized.add(denom);
      else if (amount > 0n) balances.add({ address, denom, amount });
    },
    (proposal, address, denom, amount) => {
      if (amount < TOO_LARGE) deposits.add({ proposal, address, denom, amount });
    },
    (validator, moniker) => named.push({ validator, moniker }),
  );
  startingRows(state, (_, row) => slashes.add(row as HoldingsTables['validator_slashes']));
  emitDay({ ...state, day: NO_DAY }, (_, row) => validators.add(row as HoldingsTables['validator_days']));
  for (const [position, name] of named.entries()) names.add({ height: state.height, position, ...name });
  for (const appender of [balances, deposits, slashes, validators, names]) appender.close();
  writeLines(checkpointFile(folder), serializeState(state));
  return { chainId, height: state.height, oversized: [...oversized].sort() };
}
