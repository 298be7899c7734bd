/** `hubledger verify`: checks a published dataset and prints one line per check. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { VariableError } from '../../pipeline/base/config-error.js';
import { type LastVerify, lastVerify } from '../../pipeline/base/disk/run-records.js';
import { addressFault } from '../../pipeline/base/values/address.js';
import { readConfig, readsNode, startingState } from '../../pipeline/config.js';
import { verifyAgainstIndex, verifyWallets } from '../../pipeline/own-wallets/verify-wallets.js';
import { readAnyManifest } from '../../pipeline/publish/generation.js';
import { type Check, publishedFolder, verify } from '../../pipeline/publish/verify/verify.js';
import { verifyAgainstExport, verifyAgainstNode } from '../../pipeline/publish/verify/verify-holdings.js';
import { verifyWalletIndex } from '../../pipeline/publish/verify/verify-wallet-index.js';
import { loadReference } from '../../pipeline/reference.js';
import { wholeNumber } from './arguments.js';

/** Exit code if a check fails. `hubledger nightly` uses the same code for a failed audit. */
const CHECK_FAILED = 3;
/** Number of accounts that are compared by default. */
const ACCOUNTS = 20;

interface Options {
  readonly dataset?: string;
  readonly againstNode?: true;
  readonly accounts?: number;
  readonly againstExport?: string;
  /** Address of a wallet. */
  readonly againstIndex?: string;
  /** Compares every account of a node. With an export, every account is always compared. */
  readonly all?: true;
  readonly json?: true;
}

async function verifyDataset(options: Options): Promise<void> {
  const { dataset, againstNode, againstExport, againstIndex, accounts, all } = options;
  if (againstNode && againstExport !== undefined)
    throw new VariableError('give --against-node or --against-export, not both');
  if (accounts !== undefined && (!againstNode || all))
    throw new VariableError('--accounts needs --against-node, and cannot be combined with --all');
  if (all && !againstNode && againstExport === undefined)
    throw new VariableError('--all needs --against-node or --against-export');
  const config = readConfig();
  if (againstIndex !== undefined) {
    const fault = addressFault(againstIndex, loadReference().chain.bech32_prefix);
    if (fault) throw new VariableError(`--against-index: ${fault}`);
    if (!readsNode(config)) throw new VariableError('HUBLEDGER_RPC_URLS names no node for --against-index');
  }
  if (againstNode && config.lcdUrls.length === 0)
    throw new VariableError('HUBLEDGER_LCD_URLS names no node for --against-node');
  if (againstExport !== undefined) requireState(againstExport);
  if (dataset !== undefined && !existsSync(join(dataset, 'manifest.json')))
    throw new VariableError(`--dataset: ${resolve(dataset)} contains no manifest.json`);
  const folder = dataset === undefined ? publishedFolder(config.dataDir) : resolve(dataset);
  const generation = basename(folder);
  const note = (outcome: LastVerify['outcome'], error: string | null) => {
    if (!againstNode || dataset !== undefined) return;
    lastVerify.write(config.dataDir, { outcome, ended: new Date().toISOString(), generation, error });
  };
  const failed: string[] = [];
  try {
    await printChecks(verify(folder), failed, options);
    if (dataset === undefined) await printChecks(verifyWalletIndex(config.dataDir, generation), failed, options);
    const sampleSize = all ? Number.MAX_SAFE_INTEGER : (accounts ?? ACCOUNTS);
    const { own_wallets } = readAnyManifest(folder);
    if (own_wallets && config.lcdUrls.length > 0) {
      const { native_denom } = loadReference().chain;
      await printChecks(verifyWallets(folder, config.lcdUrls, native_denom), failed, options);
    }
    if (againstIndex !== undefined)
      await printChecks(verifyAgainstIndex(folder, config.rpcUrls, againstIndex), failed, options);
    if (againstNode) await printChecks(verifyAgainstNode(folder, config.lcdUrls, sampleSize), failed, options);
    if (againstExport !== undefined) await printChecks(verifyAgainstExport(folder, againstExport), failed, options);
  } catch (error) {
    note('failed', (error as Error).message.split('\n', 1)[0]!);
    throw error;
  }
  note(failed.length > 0 ? 'differs' : 'agrees', failed[0]?.split('\n', 1)[0] ?? null);
}

/**
 * Checks that the export exists before the audits, which take long.
 * @throws VariableError if the export is missing
 */
function requireState(source: string): void {
  try {
    startingState(source);
  } catch (error) {
    throw new VariableError(`--against-export ${source} ${(error as Error).message}`);
  }
}

/**
 * Prints a line for each check and collects the failed ones. An audit that cannot read a file counts as failed if an earlier check has
 * failed.
 */
async function printChecks(checks: AsyncIterable<Check>, failed: string[], { json }: Options): Promise<void> {
  const print = ({ ok, text }: Check) => {
    console.log(json ? JSON.stringify({ ok, text }) : `${ok ? 'ok  ' : 'FAIL'} ${text}`);
    if (ok) return;
    failed.push(text);
    process.exitCode = CHECK_FAILED;
  };
  try {
    for await (const check of checks) print(check);
  } catch (error) {
    if (failed.length === 0) throw error;
    print({ ok: false, text: (error as Error).message.split('\n', 1)[0]! });
  }
}

export const examples = ['', '--against-node --accounts 100', '--against-export export.json.gz'];

export function declare(command: Command): void {
  command
    .option('--dataset <dir>', 'folder of the generation; default: the current one')
    .option('--against-node', 'also compare with a node of HUBLEDGER_LCD_URLS')
    .option('--accounts <number>', `wallets to compare with the node; default: ${ACCOUNTS}`, wholeNumber)
    .option('--against-export <file>', 'also compare all holdings with a state export')
    .option('--against-index <address>', 'also compare a wallet with the search of the nodes of HUBLEDGER_RPC_URLS')
    .option('--all', 'compare every wallet with the node')
    .option('--json', 'print one JSON line for each check, for programs')
    .action(verifyDataset);
}
