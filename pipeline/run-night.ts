/** Runs a night: takes the lock, clears what a killed night left behind, and lets the steps run. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Artifacts } from './artifacts.js';
import type { Config } from './config.js';
import { SpanError } from './config-error.js';
import { removeUnfinished, unfinished } from './disk/atomic-files.js';
import { type LastNight, writeLastNight } from './disk/last-night.js';
import { takeLock } from './disk/lock.js';
import { removeDeadScratch } from './disk/scratch-folder.js';
import { Database } from './duckdb/database.js';
import { Healing } from './jobs/chain/healing.js';
import type { Night, NightOptions, StepContext } from './night.js';
import { steps } from './nightly.js';
import type { Progress } from './progress.js';
import {
  currentGeneration,
  generationDir,
  generationsDir,
  walletIndexDir,
  walletIndexesDir,
} from './publish/generation.js';
import { expectNoNewer } from './publish/losses.js';
import { clearWalletIndexes } from './publish/place-wallet-index.js';
import { eventLinesFile } from './publish/wallet-batches.js';
import { loadReference } from './reference.js';
import { type Host, runSteps } from './run-steps.js';

/**
 * Bytes of bytecode that a function runs before Node.js 20 compiles it once more, eight times as many as usual. A night has four
 * threads, and each compiles for itself: of a night of minutes that took a third, for functions that were over before it had paid. A
 * night of hours does not notice. Later Node.js has a cheap compiler before the costly one, and no such setting.
 */
const BYTES_BEFORE_COMPILING = 1_056_000;

function compileLate(): void {
  const [major] = process.versions.node.split('.');
  if (major === '20') setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_COMPILING}`);
}

/** The outcome of a night that published. */
export interface Outcome {
  readonly generation: string;
  /** False when the generation was in force already. */
  readonly isNew: boolean;
  readonly height: number;
  /** Milliseconds by step. Steps overlap, so that their sum is more than the night took. */
  readonly durations: Readonly<Record<string, number>>;
}

/**
 * Indexes, classifies, prices, replays, audits and publishes. Whenever it ends early the dataset in force stays as it was.
 * @throws ConfigError what the operator can mend @throws BlockError a block that is missing or does not fit
 * @throws AuditError tables that contradict an audit @throws LossError a generation with less than the one in force
 */
export async function runNight(config: Config, options: NightOptions, progress: Progress): Promise<Outcome> {
  compileLate();
  const reference = loadReference();
  const release = await takeLock(config.dataDir, 'night', 'a night is running already');
  const began = new Date();
  const durations: Record<string, number> = {};
  const note = (outcome: LastNight['outcome'], error: string | null) =>
    noteNight(config.dataDir, { outcome, began: began.toISOString(), durations, error });
  try {
    for (const folder of [config.dataDir, generationsDir(config.dataDir), walletIndexesDir(config.dataDir)]) {
      mkdirSync(folder, { recursive: true });
      removeUnfinished(folder);
      await removeDeadScratch(folder);
    }
    await clearWalletIndexes(config.dataDir);
    if (!options.allowLoss) expectNoNewer(config.dataDir, reference);
    const before = currentGeneration(config.dataDir);
    const nodeChainId = config.nodeChainId ?? reference.chain.node_chain_id;
    const { rpcUrls, dataDir } = config;
    const now = Math.max(Date.now(), config.now().getTime());
    const healing = new Healing({
      rpcUrls,
      dataDir,
      nodeChainId,
      now,
      comparesAll: config.crossCheck === 1,
      say: progress.say,
    });
    for (;;) {
      try {
        const night = { config, reference, options, nodeChainId, healing };
        const { manifest, published } = await runOnce(night, progress, durations);
        const isNew = published !== before;
        note(isNew ? 'published' : 'nothing-new', null);
        return { generation: published, isNew, height: manifest.height, durations };
      } catch (error) {
        if (!(await healing.heal(error))) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof SpanError)) note('failed', (error as Error).message.split('\n')[0]!);
    throw error;
  } finally {
    release();
  }
}

/** Runs all steps, and removes what they left behind. */
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
    return await runSteps<Artifacts, RunningStep>(steps, hostOf(night, database, progress, durations));
  } finally {
    database.close();
    for (const path of [folder, indexFolder, eventLinesFile(indexFolder)]) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Leaves word of how a night ended; a full disk that ended it must not say something else. */
function noteNight(dataDir: string, night: Omit<LastNight, 'ended' | 'generation'>): void {
  try {
    const generation = currentGeneration(dataDir) ?? null;
    writeLastNight(dataDir, { ...night, generation, ended: new Date().toISOString() });
  } catch {
    // It is for people to look at: nothing rests on it.
  }
}

interface RunningStep extends StepContext {
  /** Time of its begin, in milliseconds of the process's clock. */
  readonly began: number;
}

/** Gives each step a connection of its own, and says when it begins and how long it took. */
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
      const own = {
        update: (done: number, total: number) => progress.update(step, done, total),
        say: progress.say,
      };
      return { ...night, database, progress: own, signal, began: performance.now() };
    },
    end(step, { database, began }, isDone) {
      database.close();
      if (!isDone) return progress.fail(step);
      durations[step] = Math.round(performance.now() - began);
      progress.end(step, durations[step]);
    },
  };
}
