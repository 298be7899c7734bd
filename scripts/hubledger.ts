#!/usr/bin/env node
/** The command line. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { BlockError } from '../pipeline/chain/block-error.js';
import { readConfig } from '../pipeline/config.js';
import { ConfigError } from '../pipeline/config-error.js';
import { HoldingsError } from '../pipeline/holdings/holdings-error.js';
import { USUAL_WORKERS } from '../pipeline/jobs/run-jobs.js';
import type { NightOptions } from '../pipeline/night.js';
import { loggedProgress, terminalProgress } from '../pipeline/progress.js';
import { VERSION } from '../pipeline/project.js';
import { ensureWalletStore } from '../pipeline/publish/build-wallet-store.js';
import { currentGeneration } from '../pipeline/publish/generation.js';
import { AuditError } from '../pipeline/publish/run-audits.js';
import { loadReference } from '../pipeline/reference.js';
import { runNight } from '../pipeline/run-night.js';
import { type Check, publishedFolder, verify } from '../pipeline/verify/verify.js';
import { verifyAgainstNode } from '../pipeline/verify/verify-against-node.js';
import type { BenchOptions } from './bench/bench.js';
import { addAccountCommands } from './commands/accounts.js';
import { completionScript } from './commands/completion.js';
import { addSubmissionCommands } from './commands/submissions.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addWidgetCommands } from './commands/widget-keys.js';
import { addScheduleCommand } from './schedule/schedule.js';

/** Exit code of a failed audit. */
const AUDIT_FAILED = 3;

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

function heightOrDay(text: string): number | string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return wholeNumber(text);
  if (Number.isNaN(Date.parse(text)) || new Date(text).toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError('There is no such day.');
  }
  return text;
}

async function nightly(options: NightOptions): Promise<void> {
  const config = readConfig();
  const progress = process.stdout.isTTY
    ? terminalProgress((text) => process.stdout.write(text))
    : loggedProgress(config.logLevel);
  try {
    const { generation, isNew, height, durations } = await runNight(config, options, progress);
    progress.say(isNew ? `published ${generation}` : `nothing new: ${generation} stays`, {
      generation,
      height,
      durations,
    });
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    console.error(`${error.message}\nhubledger: an audit failed; nothing is published`);
    process.exitCode = AUDIT_FAILED;
  }
}

/** A dataset that cannot be prepared, of another form for one, leaves the server waiting for the next. */
async function prepareStore(dataDir: string): Promise<void> {
  const generation = currentGeneration(dataDir);
  if (generation === undefined) return;
  const reference = loadReference();
  try {
    await ensureWalletStore(dataDir, generation, reference);
  } catch (error) {
    console.error(`hubledger: ${generation} cannot be served before another night: ${(error as Error).message}`);
  }
}

/** Exit code 1 tells a scheduler that something could not be learned; what could is kept all the same. */
async function watchOnce(): Promise<void> {
  const config = readConfig();
  const { watchReleases } = await import('../pipeline/chain/releases/watch-releases.js');
  const { newest_release, node_version, pending_upgrade, error } = await watchReleases(config, loadReference());
  const upgrade = pending_upgrade && `; ${pending_upgrade.name} comes at height ${pending_upgrade.height}`;
  console.log(`newest release ${newest_release ?? 'unknown'}, node ${node_version ?? 'unknown'}${upgrade ?? ''}`);
  if (error === null) return;
  console.error(`hubledger: ${error}`);
  process.exitCode = 1;
}

async function serveDataset(): Promise<void> {
  const config = readConfig();
  await prepareStore(config.dataDir);
  const { serve } = await import('../server/main.js');
  await serve(config);
}

async function verifyDataset({ dataset, againstNode }: { dataset?: string; againstNode?: true }): Promise<void> {
  const config = readConfig();
  const folder = dataset === undefined ? publishedFolder(config.dataDir) : resolve(dataset);
  await printChecks(verify(folder));
  if (againstNode) await printChecks(verifyAgainstNode(folder, config.lcdUrls));
}

async function printChecks(checks: AsyncIterable<Check>): Promise<void> {
  for await (const { ok, text } of checks) {
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${text}`);
    if (!ok) process.exitCode = AUDIT_FAILED;
  }
}

async function runBench(options: BenchOptions): Promise<void> {
  const { bench } = await import('./bench/bench.js');
  await bench(readConfig(), options);
}

const program = new Command('hubledger')
  .description('Tax records of the Cosmos Hub. Configured by HUBLEDGER_ variables: see README.md.')
  .version(VERSION);
program
  .command('nightly')
  .description('index new blocks, rebuild, audit and publish')
  .option('--from <height>', 'first height, in place of the first block of HUBLEDGER_INDEX_START', wholeNumber)
  .option('--until <height or day>', 'last height or UTC day, inclusive', heightOrDay)
  .option('--workers <number>', 'threads that classify', wholeNumber, USUAL_WORKERS)
  .action(nightly);
program
  .command('watch-releases')
  .description('look once for releases of the node software and for a coming upgrade')
  .action(watchOnce);
program.command('serve').description('serve the published dataset').action(serveDataset);
addScheduleCommand(program);
program
  .command('verify')
  .description('all audits on a published dataset, one line each')
  .option('--dataset <dir>', "a generation's folder, by default the one in force")
  .option('--against-node', 'also compare holdings of some wallets with the state of a node (HUBLEDGER_LCD_URLS)')
  .action(verifyDataset);
addAccountCommands(program);
addWidgetCommands(program);
addSubmissionCommands(program);
addWebhookCommands(program);
program
  .command('bench')
  .description('the benchmarks, ratios side by side')
  .option('--recording <dir>', 'the recording to measure the night with, by default the bundled sample')
  .option('--only <part>', 'night, fold, replay, requests or contracts')
  .option('--full', 'also a starting state of three million accounts, which takes minutes')
  .action(runBench);
program
  .command('completion')
  .description('a completion script for bash or zsh: eval "$(hubledger completion)"')
  .action(() => console.log(completionScript(program)));

try {
  await program.parseAsync();
} catch (error) {
  const expected = [ConfigError, BlockError, HoldingsError].some((kind) => error instanceof kind);
  console.error(expected ? `hubledger: ${(error as Error).message}` : error);
  process.exitCode = 1;
}
