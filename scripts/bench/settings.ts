import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Config } from '../../pipeline/config.js';
import { generationDir } from '../../pipeline/publish/generation.js';

export interface Settings {
  /** Folder with status.json and blocks/<from>-<to>.jsonl.gz. */
  readonly recording: string;
  readonly workDir: string;
  readonly rounds: number;
  readonly milliseconds: number;
  /** Number of mixed requests that are sent before the memory of a server is measured. */
  readonly mixedRequests: number;
  readonly config: Config;
}

interface Status {
  node_info: { network: string };
  sync_info: { earliest_block_height: string; earliest_block_time: string; latest_block_height: string };
}

function readStatus({ recording }: Settings): Status {
  return JSON.parse(readFileSync(join(recording, 'status.json'), 'utf8'));
}

export function heights(settings: Settings): { first: number; last: number } {
  const { sync_info: sync } = readStatus(settings);
  return { first: Number(sync.earliest_block_height), last: Number(sync.latest_block_height) };
}

/** Returns the folder of prices: the recording's own folder, otherwise the configured one, otherwise the sample's. */
export function priceDirOf({ recording, config }: Settings): string {
  const recordedPrices = join(recording, 'prices');
  return existsSync(recordedPrices) ? recordedPrices : (config.priceDir ?? join(projectRoot(), 'data/sample/prices'));
}

/** Returns the HUBLEDGER_ variables, as JSON, for a process that indexes the recording. */
export function variables(settings: Settings, dataDir: string, more: Record<string, string> = {}): string {
  const { node_info: node, sync_info: sync } = readStatus(settings);
  const genesis = join(settings.recording, 'genesis.json.gz');
  return JSON.stringify({
    HUBLEDGER_RPC_URLS: pathToFileURL(settings.recording).href,
    HUBLEDGER_NODE_CHAIN_ID: node.network,
    HUBLEDGER_INDEX_START: sync.earliest_block_time.slice(0, 10),
    ...(existsSync(genesis) ? { HUBLEDGER_GENESIS: genesis } : {}),
    HUBLEDGER_DATA_DIR: dataDir,
    HUBLEDGER_PRICE_DIR: priceDirOf(settings),
    HUBLEDGER_PRICE_SOURCES: 'none',
    ...more,
  });
}

export function generationFolder(dataDir: string): string {
  return generationDir(dataDir, readFileSync(join(dataDir, 'CURRENT'), 'utf8').trim());
}
