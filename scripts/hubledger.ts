#!/usr/bin/env node
/**
 * The command line. The module of a command is loaded only when the command is called, so that other commands and the
 * help start quickly.
 */
import { Command } from 'commander';
import { ConfigError, isSystemFault, RunningError, VariableError } from '../pipeline/base/config-error.js';
import { isInstalled, versionAndCommit } from '../pipeline/base/project.js';
import { BlockError } from '../pipeline/chain/block-error.js';
import { EXIT } from './exit-codes.js';

/** Returns true for errors that are printed as one line, without a stack trace. */
const isExpected = (error: unknown) =>
  error instanceof ConfigError || error instanceof BlockError || isSystemFault(error);

interface CommandModule {
  readonly declare: (command: Command) => void;
  /** Examples at the end of the help, without the program's name. */
  readonly examples: readonly string[];
}

type Entry = readonly [name: string, description: string, load: () => Promise<CommandModule>];

const COMMANDS: Readonly<Record<string, readonly Entry[]>> = {
  'Make and check a dataset:': [
    ['nightly', 'index new blocks, then audit and publish a dataset', () => import('./commands/nightly.js')],
    ['worker', 'run jobs of nightly runs on other machines', () => import('./commands/worker.js')],
    ['pull', "bring another server's dataset into the data folder", () => import('./commands/pull.js')],
    ['verify', 'repeat all audits on a published dataset', () => import('./commands/verify.js')],
    ['refetch', 'fetch stored blocks again and replace blocks that differ', () => import('./commands/refetch.js')],
    ['check-nodes', 'show what RPC and REST endpoints can do', () => import('./commands/check-nodes.js')],
    ['watch-releases', 'look once for releases and a scheduled upgrade', () => import('./commands/watch-releases.js')],
  ],
  'Serve it:': [
    ['serve', 'serve the published dataset', () => import('./commands/serve.js')],
    ['schedule', 'start nightly runs and other recurring jobs at their times', () => import('./commands/schedule.js')],
    ['status', 'show the state of the service', () => import('./commands/status.js')],
    ['deliver-webhooks', 'send the webhook deliveries that are due', () => import('./commands/deliver-webhooks.js')],
  ],
  'Read it:': [
    ['report', 'make and open the report of your own wallets', () => import('./commands/report.js')],
    ['explain', 'follow a row from its block to its lots and journal entries', () => import('./commands/explain.js')],
    ['export', 'write files about wallets for other programs', () => import('./commands/export.js')],
    ['mcp', 'answer tool calls of AI assistants (Model Context Protocol)', () => import('./commands/mcp.js')],
  ],
  'Manage access:': [
    ['accounts', 'invite users', () => import('./commands/accounts.js')],
    ['keys', 'create, list, limit and revoke API keys', () => import('./commands/keys.js')],
    [
      'widget-keys',
      'create, list and revoke keys for pages that embed a report',
      () => import('./commands/widget-keys.js'),
    ],
    ['submissions', 'review proposed corrections of the reference data', () => import('./commands/submissions.js')],
  ],
  'Develop:': [
    ['record-case', 'extract a classification test case from a block', () => import('./commands/record-case.js')],
    [
      'fetch-cases',
      'write single blocks of a node to a recording for tests',
      () => import('./commands/fetch-cases.js'),
    ],
    ['bench', 'run the benchmarks', () => import('./commands/bench.js')],
    ['completion', 'print a completion script for bash and zsh', () => import('./commands/completion.js')],
  ],
};

/**
 * Converts an error of commander to one line, for example `hubledger: --from '0' is invalid: it must be a whole number
 * from 1`.
 */
function usageError(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument ('.*?') is invalid\. /s, '$1 $2 is invalid: ')
    .replace(/^command-argument value ('.*?') is invalid for argument '(.*?)'\. /s, '<$2> $1 is invalid: ')
    .replace(/(?<=^too many arguments for .*)\. Expected (\d+) arguments? but got/, ': expected $1, got')
    .replace(/\.?\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
    .replace(/(?<=is invalid: )[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '');
  return `hubledger: ${line}\n`;
}

process.setSourceMapsEnabled(true);
// If a pipe's reader closes the pipe, as `| head` does, printing ends and the command continues. The exit code stays
// correct, and a nightly run still publishes.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Name of the command: a path in a checkout, a bare name after an installation. */
const typed = isInstalled() ? 'hubledger' : './hubledger';

const words = process.argv.slice(2);
const program = new Command('hubledger')
  .description(
    'Tax records of the Cosmos Hub.\nThe environment variables are listed in docs/operations/configuration.md.',
  )
  .version(versionAndCommit())
  .commandsGroup('Develop:')
  .helpCommand(true)
  .configureOutput({ outputError: (text, write) => write(usageError(text)) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.wrongUsage));
for (const [group, entries] of Object.entries(COMMANDS)) {
  for (const [name, description, load] of entries) {
    const command = program.command(name).description(description).helpGroup(group).helpCommand(false);
    // `completion` needs the declarations of all commands, so it loads all of them.
    if (!words.includes(name) && words[0] !== 'completion') continue;
    const { declare, examples } = await load();
    declare(command);
    const lines = examples.map((example) => `\n  ${typed} ${name} ${example}`.trimEnd());
    command.addHelpText('afterAll', `\nExamples:${lines.join('')}`);
  }
}
program.addHelpText(
  'after',
  `
Each command has its own help, for example: ${typed} nightly --help

Exit codes:
  0  the command succeeded
  1  the command failed, or status found a fault
  2  an argument or a HUBLEDGER_ variable is wrong
  3  an audit failed, data would be lost, closed months would change, holdings differ,
     another nightly run has published, or the object store has lost its data
  4  two results under one key differ, also of nightly --full or of two workers
  5  a nightly run is active, or a server has the store open
  6  a nightly run has published, but a wallet of HUBLEDGER_WALLETS is incomplete`,
);

/** Returns the message of an error, without the query that DuckDB appends. */
const messageOf = (error: unknown) => (error as Error).message.replace(/\n\nLINE \d+:.*/s, '');

function exitCodeOf(error: unknown): number {
  if (error instanceof VariableError) return EXIT.wrongUsage;
  const { cause = error } = error as Error; // the store wraps lock errors in other errors
  return cause instanceof RunningError ? EXIT.isRunning : EXIT.failed;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(isExpected(error) ? `hubledger: ${messageOf(error)}` : error);
  process.exitCode = exitCodeOf(error);
}
