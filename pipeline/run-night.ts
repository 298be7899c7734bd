import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Manifest } from '../schemas/types.generated.js';
import { cacheKey } from './base/cache-key/cache-key.js';
import { RunningError, SpanError, VariableError } from './base/config-error.js';
import { removeUnfinished, unfinished } from './base/disk/atomic-files.js';
import { lockHolder, removeDeadScratch, takeLock } from './base/disk/lock.js';
import { type LastNight, lastNight } from './base/disk/run-records.js';
import { Database } from './base/duckdb/database.js';
import type { Config } from './config.js';
import type { Artifacts } from './night/artifacts.js';
import { Healing } from './night/jobs/chain/healing.js';
import type { Executor } from './night/jobs/run-jobs.js';
import { ThreadPool } from './night/jobs/thread-pool.js';
import type { Night, NightOptions, StepContext } from './night/night.js';
import { type PieceCounts, Pieces, piecesDir } from './night/pieces.js';
import type { Progress } from './night/progress.js';
import { type Host, oneAtATime, runSteps } from './night/run-steps.js';
import { stepsFor } from './nightly.js';
import {
  currentGeneration,
  generationDir,
  generationsDir,
  walletIndexDir,
  walletIndexesDir,
} from './publish/generation.js';
import { expectNoNewer, expectSameDataset } from './publish/losses.js';
import { clearWalletIndexes } from './publish/place-wallet-index.js';
import type { NightStore } from './publish/store/night-store.js';
import { loadReference } from './reference.js';
import type { WalletArtifacts } from './tracked-wallets/found-chain.js';

/**
 * V8's interrupt budget: how much bytecode runs before Node.js 20 optimizes a function. This is eight times the
 * default. With the default, four threads spend a third of a short run compiling. Later versions of Node.js have a
 * cheaper compiler and lack this setting.
 */
const BYTES_BEFORE_COMPILING = 1_056_000;

function compileLate(): void {
  const [major] = process.versions.node.split('.');
  if (major === '20') setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_COMPILING}`);
}

export interface Outcome {
  readonly generation: string;
  /** False if the run published no new generation, because nothing changed. */
  readonly isNew: boolean;
  readonly height: number;
  /** Only in a dataset of single wallets: what is proved of each wallet. */
  readonly trackedWallets: Manifest['own_wallets'];
  /** Milliseconds by step. Steps overlap, so the sum is larger than the duration of the run. */
  readonly durations: Readonly<Record<string, number>>;
  readonly pieces: PieceCounts;
}

/**
 * Runs all steps. If a step fails, the published dataset does not change.
 * @param otherExecutor runs the jobs instead of threads of this process
 * @throws ConfigError if the operator can fix the cause
 * @throws BlockError if a block is missing or contradicts the chain
 * @throws AuditError if an audit fails
 * @throws LossError if the new generation would lack data of the current generation
 */
export async function runNight(
  config: Config,
  options: NightOptions,
  progress: Progress,
  otherExecutor?: Executor,
): Promise<Outcome> {
  compileLate();
  const reference = loadReference();
  const release = await takeLock(config.dataDir, 'night', 'a nightly run is already in progress');
  const follower = await lockHolder(config.dataDir, 'follow');
  if (follower !== undefined) {
    release();
    throw new RunningError(`a server follows another one in this folder (HUBLEDGER_FOLLOW_URL): ${follower}`);
  }
  const threads = new ThreadPool(options.workers);
  const executor = otherExecutor ?? threads;
  let store: NightStore | undefined;
  const began = new Date();
  const durations: Record<string, number> = {};
  const note = (outcome: LastNight['outcome'], error: string | null, pieces?: PieceCounts) =>
    noteNight(config.dataDir, { outcome, began: began.toISOString(), durations, ...(pieces && { pieces }), error });
  try {
    await prepareFolders(config);
    store = await openStore(config, options, progress);
    const nodeChainId = config.nodeChainId ?? reference.chain.node_chain_id;
    if (!options.allowLoss) {
      expectSameDataset({ ...config, nodeChainId });
      expectNoNewer(config.dataDir, reference);
    }
    const before = currentGeneration(config.dataDir);
    const { rpcUrls, nodeHeaders, dataDir } = config;
    const program = cacheKey([fileURLToPath(import.meta.url)], reference);
    const now = Math.max(Date.now(), config.now().getTime());
    const comparesAll = config.crossCheck === 1;
    const healing = new Healing({ rpcUrls, nodeHeaders, dataDir, nodeChainId, now, comparesAll, say: progress.say });
    for (;;) {
      try {
        const night = { config, reference, options, nodeChainId, program, healing, executor, store };
        const pieces = new Pieces(
          piecesDir(dataDir),
          options.full ?? false,
          (file) => progress.say('a piece is damaged and is made again', { file }),
          store,
        );
        const { manifest, published } = await runOnce({ ...night, pieces }, progress, durations);
        const isNew = published !== before;
        note(isNew ? 'published' : 'nothing-new', null, pieces.counts);
        const { height, own_wallets: trackedWallets } = manifest;
        return { generation: published, isNew, height, trackedWallets, durations, pieces: pieces.counts };
      } catch (error) {
        if (config.wallets || !(await healing.heal(error))) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof SpanError || error instanceof VariableError))
      note('failed', (error as Error).message.split('\n')[0]!);
    throw error;
  } finally {
    await threads.close();
    await store?.close().catch(() => {}); // if this fails, the lease expires
    release();
  }
}

/** Makes the folders, and removes what ended runs have left in them. */
async function prepareFolders({ dataDir }: Config): Promise<void> {
  for (const folder of [dataDir, generationsDir(dataDir), walletIndexesDir(dataDir)]) {
    mkdirSync(folder, { recursive: true });
    removeUnfinished(folder);
    await removeDeadScratch(folder);
  }
  await clearWalletIndexes(dataDir);
}

async function openStore(config: Config, options: NightOptions, progress: Progress): Promise<NightStore | undefined> {
  const { storeUrl, s3Endpoint, dataDir } = config;
  if (storeUrl === undefined) return undefined;
  const step = 'fetch from store';
  const began = performance.now();
  progress.begin(step);
  try {
    const { NightStore } = await import('./publish/store/night-store.js');
    return await NightStore.open({
      storeUrl,
      s3Endpoint,
      dataDir,
      say: progress.say,
      patienceMs: options.storePatienceMs,
      allowLoss: options.allowLoss ?? false,
      onProgress: (done, total) => progress.update(step, done, total),
    });
  } finally {
    progress.end(step, performance.now() - began);
  }
}

async function runOnce(
  given: Omit<Night, 'folder' | 'indexFolder'>,
  progress: Progress,
  durations: Record<string, number>,
): Promise<Artifacts> {
  const { dataDir } = given.config;
  const folder = unfinished(generationDir(dataDir, 'next'));
  const indexFolder = unfinished(walletIndexDir(dataDir, 'next'));
  const database = await Database.open(unfinished(join(dataDir, 'night-spill')));
  try {
    const night = { ...given, folder, indexFolder };
    night.pieces.clear();
    const host = hostOf(night, database, progress, durations);
    return await runSteps<WalletArtifacts, RunningStep>(
      stepsFor(given.config),
      given.options.isSerial ? oneAtATime(host) : host,
    );
  } finally {
    database.close();
    for (const path of [folder, indexFolder]) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Saves a record of the run. Ignores disk errors, because they would hide an error of the run itself. */
function noteNight(dataDir: string, night: Omit<LastNight, 'ended' | 'generation'>): void {
  try {
    const generation = currentGeneration(dataDir) ?? null;
    lastNight.write(dataDir, { ...night, generation, ended: new Date().toISOString() });
  } catch {}
}

interface RunningStep extends StepContext {
  readonly began: number;
}

function hostOf(
  night: Night,
  shared: Database,
  progress: Progress,
  durations: Record<string, number>,
): Host<RunningStep> {
  return {
    async begin(step, signal) {
      const database = await shared.beside();
      progress.begin(step);
      const stepProgress = {
        update: (done: number, total: number) => progress.update(step, done, total),
        say: progress.say,
      };
      return { ...night, database, progress: stepProgress, signal, began: performance.now() };
    },
    end(step, { database, began }, isDone) {
      database.close();
      if (!isDone) return progress.fail(step);
      durations[step] = Math.round(performance.now() - began);
      progress.end(step, durations[step]);
    },
  };
}
