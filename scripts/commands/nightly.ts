/** `hubledger nightly`: runs the pipeline once and publishes a dataset. */
import { type Command, InvalidArgumentError } from 'commander';
import { DifferentPieces } from '../../pipeline/base/config-error.js';
import { isDay } from '../../pipeline/base/values/day.js';
import { type Config, expectBlocks, expectNoFollowing, readConfig } from '../../pipeline/config.js';
import { USUAL_WORKERS } from '../../pipeline/night/jobs/thread-pool.js';
import type { NightOptions } from '../../pipeline/night/night.js';
import { openProgress, type Progress } from '../../pipeline/night/progress.js';
import { openRemote } from '../../pipeline/night/queue/open.js';
import { LossError } from '../../pipeline/publish/losses.js';
import { RestatementError } from '../../pipeline/publish/restatements.js';
import { AuditError } from '../../pipeline/publish/run-audits.js';
import { OvertakenError } from '../../pipeline/publish/store/dataset-store.js';
import { LostStoreError } from '../../pipeline/publish/store/night-store.js';
import { runNight } from '../../pipeline/run-night.js';
import type { OwnWallets } from '../../schemas/types.generated.js';
import { EXIT } from '../exit-codes.js';
import { walletLinks } from '../wallet-links.js';
import { wholeNumber, wholeNumberFrom } from './arguments.js';

function heightOrDay(text: string): number | string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return wholeNumber(text);
  if (!isDay(text)) throw new InvalidArgumentError('There is no such day.');
  return text;
}

async function nightly({ json, ...options }: NightOptions & { readonly json?: true }): Promise<void> {
  const config = readConfig();
  expectNoFollowing(config, 'nightly');
  expectBlocks(config);
  const progress = openProgress(config.logLevel, json);
  let remote: Awaited<ReturnType<typeof openRemote>> | undefined;
  try {
    if (config.queueUrl !== undefined) remote = await openRemote(config, config.queueUrl, options, progress);
    const { generation, isNew, height, durations, pieces, trackedWallets } = await runNight(
      config,
      options,
      progress,
      remote?.executor,
    );
    progress.say(isNew ? `published ${generation}` : `nothing new: ${generation} stays`, {
      generation,
      height,
      durations,
      pieces,
    });
    if (trackedWallets) reportWallets(trackedWallets, config, progress);
  } catch (error) {
    if (error instanceof AuditError)
      console.error(`${error.message}\nhubledger: an audit failed; nothing is published`);
    else if (error instanceof LossError)
      console.error(`hubledger: ${error.message}; nothing is published (use --allow-loss to publish anyway)`);
    else if (error instanceof OvertakenError || error instanceof LostStoreError)
      console.error(`hubledger: ${error.message}; nothing is published`);
    else if (error instanceof RestatementError)
      console.error(`hubledger: ${error.message}\nnothing is published (use --allow-restatement to publish anyway)`);
    else if (error instanceof DifferentPieces) {
      console.error(`hubledger: ${error.message}; nothing is published`);
      process.exitCode = EXIT.different;
      return;
    } else throw error;
    process.exitCode = EXIT.refused;
  } finally {
    await remote?.close();
  }
}

/** Says where the reports are and which wallets are incomplete. An incomplete wallet changes the exit code. */
function reportWallets(wallets: OwnWallets, { baseUrl }: Config, { say }: Progress): void {
  const links = walletLinks(
    baseUrl,
    wallets.map(({ address }) => address),
  );
  for (const [name, url] of links) say(`${name}: ${url}`, { url });
  const incomplete = wallets.filter(({ state }) => state === 'incomplete').map(({ address }) => address);
  if (incomplete.length === 0) return;
  say(`${incomplete.length} of ${wallets.length} wallets are incomplete: see above what is missing and what to do`, {
    incomplete,
  });
  process.exitCode = EXIT.incomplete;
}

export const examples = ['', '--until 2026-03-01', '--allow-loss', '--allow-restatement'];

export function declare(command: Command): void {
  command
    .option('--from <height>', 'first height; default: HUBLEDGER_INDEX_START', wholeNumber)
    .option('--until <height or day>', 'last height or UTC day, inclusive', heightOrDay)
    .option('--allow-loss', 'publish even if published data is lost')
    .option('--full', 'make all pieces again and compare them with the stored ones')
    .option('--allow-restatement', 'publish even if figures of closed months change')
    .option('--workers <number>', 'number of threads for jobs; 0: no threads', wholeNumberFrom(0), USUAL_WORKERS)
    .option('--json', 'print JSON lines also on a terminal, for programs')
    .action(nightly);
}
