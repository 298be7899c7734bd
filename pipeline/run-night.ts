/** Runs a night: takes the lock, clears what a killed night left behind, goes through the steps. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from './config.js';
import { removeUnfinished, unfinished } from './disk/atomic-files.js';
import { takeLock } from './disk/lock.js';
import { Database } from './duckdb/database.js';
import { Night, type NightOptions } from './night.js';
import { steps } from './nightly.js';
import type { Progress } from './progress.js';
import { clearWalletStores } from './publish/build-wallet-store.js';
import { currentGeneration, generationDir, generationsDir, storeDir, storesDir } from './publish/generation.js';
import { packedFile } from './publish/wallet-pieces.js';
import { loadReference } from './reference.js';

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

/** How a night ended. */
export interface Outcome {
  readonly generation: string;
  /** False when the generation was in force already. */
  readonly isNew: boolean;
  readonly height: number;
  /** Milliseconds by step. */
  readonly durations: Readonly<Record<string, number>>;
}

/**
 * Indexes, classifies, prices, replays, audits and publishes. Whenever it ends early the dataset in force stays as it was.
 * @throws ConfigError what the operator can mend @throws BlockError a block that is missing or does not fit
 * @throws AuditError tables that contradict an audit
 */
export async function runNight(config: Config, options: NightOptions, progress: Progress): Promise<Outcome> {
  compileLate();
  const reference = loadReference();
  const release = await takeLock(config.dataDir, 'night', 'a night is running already');
  try {
    for (const folder of [config.dataDir, generationsDir(config.dataDir), storesDir(config.dataDir)]) {
      mkdirSync(folder, { recursive: true });
      removeUnfinished(folder);
    }
    await clearWalletStores(config.dataDir);
    const before = currentGeneration(config.dataDir);
    const folder = unfinished(generationDir(config.dataDir, 'next'));
    const storeFolder = unfinished(storeDir(config.dataDir, 'next'));
    const spill = unfinished(join(config.dataDir, 'spill'));
    const database = await Database.open({ temporaryDir: spill });
    try {
      const night = new Night(config, reference, options, database, progress, folder, storeFolder);
      const durations = await runSteps(night).finally(() => endThreads(night));
      const { generation, height } = night.manifest;
      return { generation, isNew: generation !== before, height, durations };
    } finally {
      database.close();
      for (const path of [folder, storeFolder, packedFile(storeFolder), spill])
        rmSync(path, { recursive: true, force: true });
    }
  } finally {
    release();
  }
}

/** A night that fails leaves no thread behind. */
async function endThreads({ chain, classification, replay }: Night): Promise<void> {
  for (const work of [chain, classification, replay]) {
    work?.abandon();
    await work?.finished.catch(() => {});
  }
}

async function runSteps(night: Night): Promise<Record<string, number>> {
  const durations: Record<string, number> = {};
  for (const { name, run } of steps) {
    const start = performance.now();
    night.progress.begin(name);
    await run(night);
    durations[name] = Math.round(performance.now() - start);
    night.progress.end(durations[name]);
  }
  return durations;
}
