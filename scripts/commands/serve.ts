/**
 * `hubledger serve`: prepares the wallet index, then runs the server until a signal arrives. With `--with-schedule`, the
 * same process also starts the recurring jobs.
 */
import type { Command } from 'commander';
import { endSignal } from '../../pipeline/base/disk/end-signal.js';
import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { mustCompareFirst } from '../../pipeline/base/disk/sealed-folder.js';
import { type Config, expectNoFollowing, readConfig } from '../../pipeline/config.js';
import { currentGeneration, walletIndexDir } from '../../pipeline/publish/generation.js';
import { layerFolders } from '../../pipeline/publish/wallet-index/open-index.js';
import { indexState } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference, type Reference } from '../../pipeline/reference.js';
import type { Companion } from '../../server/main.js';
import { declareTimes, type Times } from '../schedule/times.js';

/**
 * Builds the wallet index if it is missing, outdated or damaged. A large index is checked later, while the server is
 * running. Errors are only logged, so that the server also starts with an incompatible dataset.
 */
export async function prepareIndex(dataDir: string): Promise<void> {
  const generation = currentGeneration(dataDir);
  if (generation === undefined) return;
  const reference = loadReference();
  try {
    const state = indexState(dataDir, generation, reference);
    if (state === 'sound') return;
    const made = ensureIndex(dataDir, generation, reference);
    if (state !== 'unread' || layerFolders(walletIndexDir(dataDir, generation)).some(mustCompareFirst)) await made;
    else made.catch((error) => logUnserved(generation, error));
  } catch (error) {
    logUnserved(generation, error);
  }
}

async function ensureIndex(dataDir: string, generation: string, reference: Reference): Promise<void> {
  const { ensureWalletIndex } = await import('../../pipeline/publish/place-wallet-index.js');
  const damaged = indexState(dataDir, generation, reference) === 'damaged';
  if (damaged) console.error(`hubledger: the wallet index of ${generation} is damaged: rebuilding it`);
  const built = await ensureWalletIndex(dataDir, generation, reference);
  if (built && !damaged) console.error(`hubledger: the wallet index of ${generation} was rebuilt`);
}

const logUnserved = (generation: string, error: unknown) =>
  console.error(`hubledger: ${generation} cannot be served before the next nightly run: ${(error as Error).message}`);

interface Options extends Times {
  readonly withSchedule?: true;
}

/** Returns a function that starts the recurring jobs, and a nightly run at once if one is due. */
async function scheduleOf(times: Times, config: Config): Promise<Companion> {
  expectNoFollowing(config, 'serve --with-schedule');
  await requireLocks(config.dataDir);
  const { nightDue } = await import('../schedule/night-due.js');
  const { startRecurring } = await import('../schedule/recurring.js');
  return (log) => {
    const due = nightDue(config, loadReference());
    if (due) log.info({ reason: due.reason }, 'a nightly run starts now');
    return startRecurring(times, config, log, due !== undefined);
  };
}

export async function serveDataset(
  config: Config,
  companionOf?: (config: Config) => Promise<Companion>,
): Promise<void> {
  const ended = endSignal();
  const companion = await companionOf?.(config);
  // Building a large index takes minutes, and may have to wait for another process. A signal during this time ends the
  // process.
  if ((await Promise.race([prepareIndex(config.dataDir), ended])) !== undefined) process.exit();
  const { serve } = await import('../../server/main.js');
  // Exits explicitly, because an unresponsive database connection would keep the process alive.
  await serve(config, ended, companion).finally(() => setImmediate(() => process.exit()));
}

export const examples = ['', '--with-schedule'];

export function declare(command: Command): void {
  command.option(
    '--with-schedule',
    'also start nightly runs and other recurring jobs, the first at once if one is due',
  );
  declareTimes(command).action(({ withSchedule, ...times }: Options) =>
    serveDataset(readConfig(), withSchedule && ((config) => scheduleOf(times, config))),
  );
}
