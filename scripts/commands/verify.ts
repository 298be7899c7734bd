/** `hubledger verify`: checks a published dataset and prints one line for each check. */
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { ConfigError, VariableError } from '../../pipeline/base/config-error.js';
import { makeFolder } from '../../pipeline/base/disk/atomic-files.js';
import { scratchFolder } from '../../pipeline/base/disk/lock.js';
import { type LastVerify, lastVerify } from '../../pipeline/base/disk/run-records.js';
import { addressFault } from '../../pipeline/base/values/address.js';
import { endpointsOf } from '../../pipeline/chain/nodes/endpoint.js';
import { type Config, httpUrl, readConfig, readsNode, startingState, storeUrl } from '../../pipeline/config.js';
import { fetchGeneration } from '../../pipeline/publish/follow/pull.js';
import { receiveManifest } from '../../pipeline/publish/follow/receive-manifest.js';
import { openUpstream } from '../../pipeline/publish/follow/upstream.js';
import { generationDir, readAnyManifest } from '../../pipeline/publish/generation.js';
import { publicKeyOf } from '../../pipeline/publish/signature.js';
import { STORE_PATIENCE_MS, WrongBytesError } from '../../pipeline/publish/store/object-store.js';
import { type Check, publishedFolder, verify } from '../../pipeline/publish/verify/verify.js';
import { verifyAgainstExport } from '../../pipeline/publish/verify/verify-against-export.js';
import { verifyAgainstNode } from '../../pipeline/publish/verify/verify-against-node.js';
import { verifyWalletIndex } from '../../pipeline/publish/verify/verify-wallet-index.js';
import { loadReference } from '../../pipeline/reference.js';
import { verifyAgainstIndex, verifyWallets } from '../../pipeline/tracked-wallets/verify-wallets.js';
import { EXIT } from '../exit-codes.js';
import { wholeNumber } from './arguments.js';

/** Default number of accounts to compare. */
const ACCOUNTS = 20;

interface Options {
  readonly dataset?: string;
  readonly againstNode?: true;
  readonly accounts?: number;
  readonly againstExport?: string;
  /** Address of the wallet whose blocks are compared with nodes' search indexes. */
  readonly againstIndex?: string;
  /** If true, compares every account with a node. With an export, every account is always compared. */
  readonly all?: true;
  readonly json?: true;
}

/**
 * Downloads the current generation of an object store or another server.
 * @returns its folder, inside a temporary folder that the caller must remove
 */
async function download(
  url: string,
  { dataDir, s3Endpoint, cacheBytes, now }: Config,
  scratch: string,
): Promise<string> {
  const reference = loadReference();
  const say = (text: string) => console.error(`hubledger: ${text}`);
  const isServer = /^https?:/.test(url);
  const place = isServer ? { followUrl: url, storeUrl: undefined } : { followUrl: undefined, storeUrl: url };
  const upstream = await openUpstream({ ...place, s3Endpoint }, reference.chain.chain_id, {
    forMs: STORE_PATIENCE_MS,
    say,
  });
  try {
    const generation = await upstream.current();
    if (generation === undefined) throw new ConfigError(`nothing is published in ${url}`);
    const progress = { begin() {}, update() {} };
    const at = Math.max(Date.now(), now().getTime());
    const options = { dataDir: scratch, reference, cacheBytes, say, progress, now: at, followKeys: undefined };
    const received = await receiveManifest(upstream, generation, options);
    say(`downloading ${generation} to ${dataDir}`);
    await fetchGeneration(upstream, received, options);
    return generationDir(scratch, generation);
  } finally {
    await upstream.close();
  }
}

/** @throws VariableError if the URL is neither the URL of a store nor the URL of a server */
function datasetUrl(text: string): string {
  try {
    if (/^https?:/.test(text)) return httpUrl(text);
    const url = storeUrl(text);
    if (url.startsWith('file:') && !existsSync(fileURLToPath(url))) throw new Error(`${text} does not exist`);
    return url;
  } catch (error) {
    throw new VariableError(`--dataset ${(error as Error).message}`);
  }
}

async function verifyDataset(options: Options): Promise<void> {
  const { dataset } = options;
  if (dataset === undefined || !/^\w+:\/\//.test(dataset)) return verifyFolder(options);
  const url = datasetUrl(dataset);
  const config = readConfig();
  makeFolder(config.dataDir);
  const scratch = await scratchFolder(config.dataDir, 'verify');
  try {
    await verifyFolder({ ...options, dataset: await download(url, config, scratch) });
  } catch (error) {
    if (!(error instanceof WrongBytesError)) throw error;
    await printChecks(failure(error.message), [], options);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function* failure(text: string): AsyncGenerator<Check> {
  yield { ok: false, text };
}

async function verifyFolder(options: Options): Promise<void> {
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
    await printChecks(verify(folder, keysOf(config)), failed, options);
    if (dataset === undefined) await printChecks(verifyWalletIndex(config.dataDir, generation), failed, options);
    const sampleSize = all ? Number.MAX_SAFE_INTEGER : (accounts ?? ACCOUNTS);
    const { own_wallets } = readAnyManifest(folder);
    const nodesOf = (urls: readonly string[]) => endpointsOf(urls, config.nodeHeaders);
    if (own_wallets && (readsNode(config) || config.lcdUrls.length > 0)) {
      const { native_denom } = loadReference().chain;
      const nodes = { rpc: readsNode(config) ? nodesOf(config.rpcUrls) : [], rest: nodesOf(config.lcdUrls) };
      await printChecks(verifyWallets(folder, nodes, native_denom), failed, options);
    }
    if (againstIndex !== undefined)
      await printChecks(verifyAgainstIndex(folder, nodesOf(config.rpcUrls), againstIndex), failed, options);
    if (againstNode) await printChecks(verifyAgainstNode(folder, nodesOf(config.lcdUrls), sampleSize), failed, options);
    if (againstExport !== undefined) await printChecks(verifyAgainstExport(folder, againstExport), failed, options);
  } catch (error) {
    note('failed', (error as Error).message.split('\n', 1)[0]!);
    throw error;
  }
  note(failed.length > 0 ? 'differs' : 'agrees', failed[0]?.split('\n', 1)[0] ?? null);
}

/** Returns the public keys that a signature must fit; undefined if no key is configured. */
function keysOf({ followKeys, signingKey }: Config): readonly string[] | undefined {
  return followKeys ?? (signingKey === undefined ? undefined : [publicKeyOf(signingKey)]);
}

/**
 * Checks that the export exists. Called before the audits, because they take long.
 * @throws VariableError if the export does not exist
 */
function requireState(source: string): void {
  try {
    startingState(source);
  } catch (error) {
    throw new VariableError(`--against-export ${source} ${(error as Error).message}`);
  }
}

/**
 * Prints a line for each check and collects the failed ones. If an audit cannot read a file that an earlier check found
 * damaged, the audit counts as failed.
 */
async function printChecks(checks: AsyncIterable<Check>, failed: string[], { json }: Options): Promise<void> {
  const print = ({ ok, text }: Check) => {
    console.log(json ? JSON.stringify({ ok, text }) : `${ok ? 'ok  ' : 'FAIL'} ${text}`);
    if (ok) return;
    failed.push(text);
    process.exitCode = EXIT.refused;
  };
  try {
    for await (const check of checks) print(check);
  } catch (error) {
    if (failed.length === 0) throw error;
    print({ ok: false, text: (error as Error).message.split('\n', 1)[0]! });
  }
}

export const examples = [
  '',
  '--dataset s3://bucket/prefix',
  '--against-node --accounts 100',
  '--against-export export.json.gz',
];

export function declare(command: Command): void {
  command
    .option('--dataset <dir or URL>', 'folder, object store or server to verify; default: the current dataset')
    .option('--against-node', 'also compare with a node of HUBLEDGER_LCD_URLS')
    .option('--accounts <number>', `wallets to compare with the node; default: ${ACCOUNTS}`, wholeNumber)
    .option('--against-export <file>', 'also compare all holdings with a state export')
    .option('--against-index <address>', 'also compare a wallet with the search of the nodes of HUBLEDGER_RPC_URLS')
    .option('--all', 'compare every wallet with the node')
    .option('--json', 'print one JSON line for each check, for programs')
    .action(verifyDataset);
}
