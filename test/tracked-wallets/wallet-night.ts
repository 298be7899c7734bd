/** Nights of single wallets on test nodes, and the whole chain's night to compare them with. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import { readConfig } from '../../pipeline/config.js';
import { generationDir, readManifest } from '../../pipeline/publish/generation.js';
import { type Outcome, runNight } from '../../pipeline/run-night.js';
import type { Manifest, OwnWallet, PricedEvent } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';
import { silent } from '../pipeline/night-case.js';
import type { SearchNode } from './search-node.js';

export interface WalletNight {
  readonly outcome: Outcome;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly wallets: readonly OwnWallet[];
  /** What the night said. */
  readonly said: readonly string[];
}

interface NightSettings {
  readonly [name: `HUBLEDGER_${string}`]: string;
  readonly lcd?: readonly SearchNode[];
  /** Ends the night once all blocks are fetched. */
  readonly stop?: Error;
  readonly allowRestatement?: boolean;
  readonly allowLoss?: boolean;
}

export class WalletCase {
  readonly root = mkdtempSync(join(tmpdir(), 'hubledger-own-'));

  /** @param settings variables of all nights */
  constructor(private readonly settings: Readonly<Record<string, string>> = {}) {}

  /** @param nodes asked for blocks and searches, and for state unless `lcd` says otherwise */
  async night(
    dataDir: string,
    wallets: readonly string[],
    nodes: readonly SearchNode[],
    { lcd = nodes, stop, allowRestatement = false, allowLoss = false, ...variables }: NightSettings = {},
  ): Promise<WalletNight> {
    const config = readConfig({
      HUBLEDGER_WALLETS: wallets.join(),
      HUBLEDGER_RPC_URLS: nodes.map(({ url }) => url).join(),
      HUBLEDGER_LCD_URLS: lcd.map(({ url }) => url).join(),
      HUBLEDGER_NODE_CHAIN_ID: 'localhub-1',
      HUBLEDGER_PRICE_DIR: join(projectRoot(), 'data/sample/prices'),
      HUBLEDGER_PRICE_SOURCES: 'none',
      HUBLEDGER_DATA_DIR: join(this.root, dataDir),
      HUBLEDGER_NOW: '2026-04-16T00:00:00Z',
      HUBLEDGER_GITHUB_API_URL: 'http://127.0.0.1:1',
      ...this.settings,
      ...variables,
    });
    const said: string[] = [];
    const progress = {
      ...silent,
      begin(step: string) {
        if (stop && step === 'classify') throw stop;
      },
      say: (text: string) => said.push(text),
    };
    const outcome = await runNight(config, { workers: 0, allowRestatement, allowLoss }, progress);
    const folder = generationDir(config.dataDir, outcome.generation);
    const manifest = readManifest(folder);
    return { outcome, folder, manifest, wallets: manifest.own_wallets!, said };
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

/** The wallets' rows without their positions, which count all rows of a block. */
export async function rowsOf(folder: string, wallets: readonly string[]): Promise<Omit<PricedEvent, 'position'>[]> {
  const database = await openDatabase();
  const files = readManifest(folder).tables.find(({ name }) => name === 'priced_events')!.files;
  await database.attach(
    'priced_events',
    files.map(({ path }) => join(folder, path)),
  );
  const rows: PricedEvent[] = [];
  for await (const batch of database.sorted<PricedEvent>('priced_events')) rows.push(...batch);
  return rows.filter(({ address }) => wallets.includes(address)).map(({ position: _, ...row }) => row);
}

export const manifestText = (folder: string): string => readFileSync(join(folder, 'manifest.json'), 'utf8');
