#!/usr/bin/env node
/** The command line. A command's module is loaded when it is called, so that help, and every other command, need not wait for it. */
import { Command } from 'commander';
import { BlockError } from '../pipeline/chain/block-error.js';
import { ConfigError, isSystemFault, RunningError, VariableError } from '../pipeline/config-error.js';
import { VERSION } from '../pipeline/project.js';

/** Exit code of wrong arguments and of a wrong HUBLEDGER_ variable. */
const WRONG_USAGE = 2;
/** Exit code of a command that another process of hubledger excludes. */
const IS_RUNNING = 5;

/** Faults that are told in one line. */
const isExpected = (error: unknown) =>
  error instanceof ConfigError || error instanceof BlockError || isSystemFault(error);

interface CommandModule {
  /** Gives the command its arguments, options and action, or its subcommands. */
  readonly declare: (command: Command) => void;
}

const COMMANDS: readonly (readonly [name: string, description: string, load: () => Promise<CommandModule>])[] = [
  ['nightly', 'index new blocks, rebuild, audit and publish', () => import('./commands/nightly.js')],
  ['refetch', 'fetch stored blocks again, and replace those that differ', () => import('./commands/refetch.js')],
  [
    'watch-releases',
    'look once for releases of the node software and for a coming upgrade',
    () => import('./commands/watch-releases.js'),
  ],
  ['serve', 'serve the published dataset', () => import('./commands/serve.js')],
  [
    'schedule',
    'run nights, the release watcher and deliveries of webhooks at their times, UTC, beside a server',
    () => import('./commands/schedule.js'),
  ],
  [
    'status',
    'what is in force, since when and how far, the last night and the next; exit code 1 when something is wrong',
    () => import('./commands/status.js'),
  ],
  ['verify', 'all audits on a published dataset, one line each', () => import('./commands/verify.js')],
  [
    'explain',
    'from a row back to its event, payments, block and price, and on to lots and journal entries',
    () => import('./commands/explain.js'),
  ],
  ['export', 'files of wallets for other programs, as the API gives them', () => import('./commands/export.js')],
  ['accounts', 'accounts of people', () => import('./commands/accounts.js')],
  ['keys', 'personal API keys', () => import('./commands/keys.js')],
  ['widget-keys', "keys of pages that embed a delegator's report", () => import('./commands/widget-keys.js')],
  ['submissions', 'what people propose for the reviewed data', () => import('./commands/submissions.js')],
  [
    'deliver-webhooks',
    'tell endpoints of releases and upgrades that were found, and repeat what is due',
    () => import('./commands/deliver-webhooks.js'),
  ],
  [
    'record-case',
    'cut a case for a test of classification out of a recording',
    () => import('./commands/record-case.js'),
  ],
  ['bench', 'the benchmarks, ratios side by side', () => import('./commands/bench.js')],
  [
    'completion',
    'a completion script for bash or zsh: eval "$(./hubledger completion)"',
    () => import('./commands/completion.js'),
  ],
];

process.setSourceMapsEnabled(true);
const words = process.argv.slice(2);
const program = new Command('hubledger')
  .description(
    'Tax records of the Cosmos Hub. Configured by HUBLEDGER_ variables: see docs/operations/configuration.md.',
  )
  .version(VERSION)
  // Subcommands inherit this.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));
for (const [name, description, load] of COMMANDS) {
  const command = program.command(name).description(description);
  // Completion is made from the declarations of all of them.
  if (words.includes(name) || words[0] === 'completion') (await load()).declare(command);
}

/** The message of a fault; DuckDB adds the query that met it. */
const messageOf = (error: unknown) => (error as Error).message.replace(/\n\nLINE \d+:.*/s, '');

function exitCodeOf(error: unknown): number {
  if (error instanceof VariableError) return WRONG_USAGE;
  const { cause = error } = error as Error; // the store wraps its lock's error
  return cause instanceof RunningError ? IS_RUNNING : 1;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(isExpected(error) ? `hubledger: ${messageOf(error)}` : error);
  process.exitCode = exitCodeOf(error);
}
