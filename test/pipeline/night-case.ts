/** A short chain cut from the bundled sample, and nights on it in this process or in one of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import { readConfig } from '../../pipeline/config.js';
import type { NightOptions } from '../../pipeline/night/night.js';
import type { Progress } from '../../pipeline/night/progress.js';
import { type Outcome, runNight } from '../../pipeline/run-night.js';
import { sealed } from '../chain/seal.js';
import { sharedFolder } from '../shared-folder.js';

/** Heights of a cut, of which the index has those from a later day on. */
export interface Cut {
  readonly from: number;
  readonly first: number;
  readonly last: number;
  readonly firstDay: string;
  /** Whether nights know the chain's genesis: then holdings are folded, and the cut begins with the chain. */
  readonly genesis: boolean;
}

/** A recording of two months and two files of raw blocks, without holdings. */
export const CUT: Cut = { from: 478, first: 483, last: 540, firstDay: '2026-02-23', genesis: false };

/** A recording with holdings: it spans two months, a proposal whose deposits burn after the index began, and a slash. */
export const FOLDED: Cut = { from: 1, first: 245, last: 451, firstDay: '2026-01-30', genesis: true };

/** The whole sample, with holdings: blocks before the index, then every month that it has. */
export const SAMPLE_CHAIN: Cut = { from: 1, first: 2, last: 1000, firstDay: '2025-12-31', genesis: true };

export const silent: Progress = { begin() {}, update() {}, end() {}, fail() {}, say() {} };

const SAMPLE = join(projectRoot(), 'data/sample');
const readLines = (file: string) => gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');

/** A temporary folder with a recording of the sample's first blocks and any number of data folders. */
export class NightCase {
  readonly root = mkdtempSync(join(tmpdir(), 'hubledger-night-'));
  readonly recording = join(this.root, 'recording');
  /** Variables that take the place of the case's own. */
  variables: Readonly<Record<string, string>> = {};

  constructor(private readonly cut: Cut = CUT) {
    const lines = ['1-500', '501-1000'].flatMap((name) => readLines(join(SAMPLE, `blocks/${name}.jsonl.gz`)));
    mkdirSync(join(this.recording, 'blocks'), { recursive: true });
    cpSync(join(SAMPLE, 'status.json'), join(this.recording, 'status.json'));
    this.write(lines.slice(cut.from - 1, cut.last));
  }

  /** Replaces the recording's blocks; they get the hashes of what they hold now. */
  record(lines: readonly string[]): void {
    this.write(sealed(lines));
  }

  private write(lines: readonly string[]): void {
    rmSync(join(this.recording, 'blocks'), { recursive: true });
    mkdirSync(join(this.recording, 'blocks'));
    const file = join(this.recording, `blocks/${this.cut.from}-${this.cut.last}.jsonl.gz`);
    writeFileSync(file, gzipSync(`${lines.join('\n')}\n`, { level: 1 }));
  }

  /** The recording's blocks as their text. */
  lines(): string[] {
    const [file] = readdirSync(join(this.recording, 'blocks'));
    return gunzipSync(readFileSync(join(this.recording, 'blocks', file!)))
      .toString()
      .trimEnd()
      .split('\n');
  }

  environment(dataDir: string): Record<string, string> {
    return {
      HUBLEDGER_RPC_URLS: pathToFileURL(this.recording).href,
      HUBLEDGER_NODE_CHAIN_ID: 'localhub-1',
      HUBLEDGER_INDEX_START: this.cut.firstDay,
      HUBLEDGER_PRICE_DIR: join(projectRoot(), 'test/prices/real'),
      HUBLEDGER_RATES_FILE: join(SAMPLE, 'eurofxref-hist.csv'),
      ...(this.cut.genesis ? { HUBLEDGER_GENESIS: join(SAMPLE, 'genesis.json.gz') } : {}),
      HUBLEDGER_DATA_DIR: join(this.root, dataDir),
      ...this.variables,
    };
  }

  /** A night in this process, without threads unless the options say otherwise. */
  async night(dataDir: string, options: Partial<NightOptions> = {}): Promise<Outcome> {
    return runNight(readConfig(this.environment(dataDir)), { workers: 0, ...options }, silent);
  }

  /** A night on the whole recording as it was cut: other test files begin with the same one, which is made once. */
  published(dataDir: string): Promise<Outcome> {
    const { from, first, last } = this.cut;
    const priced = this.variables.HUBLEDGER_PRICE_DIR === undefined ? '' : '-own-prices';
    return sharedFolder(`night-${from}-${first}-${last}${priced}`, this.path(dataDir), (folder) => {
      const environment = { ...this.environment(dataDir), HUBLEDGER_DATA_DIR: folder };
      return runNight(readConfig(environment), { workers: 0 }, silent);
    });
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** The command line in a process of its own. */
  start(dataDir: string, ...words: string[]): ChildProcess {
    const program = join(import.meta.dirname, `../../scripts/hubledger${extname(import.meta.filename)}`);
    const { PATH, HOME } = process.env;
    return spawn(
      process.execPath,
      [...process.execArgv.filter((word) => !word.startsWith('--test')), program, ...words],
      {
        env: { PATH, HOME, HUBLEDGER_LOG_LEVEL: 'debug', ...this.environment(dataDir) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  }

  /** The command line to its end. */
  async command(dataDir: string, ...words: string[]): Promise<{ code: number | null; out: string; error: string }> {
    const child = this.start(dataDir, ...words);
    let [out, error] = ['', ''];
    child.stdout!.on('data', (text) => {
      out += text;
    });
    child.stderr!.on('data', (text) => {
      error += text;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, out, error };
  }
}

/** Files that tell of a folder's past: its Delta Lake logs have earlier generations, and a word is left about its last night. */
const OF_THE_PAST = /(^|\/)(_delta_log|_earlier)\/|(^|\/)last-night\.json$/;

/** Path and SHA-256 of every file below a folder that follows from the chain. */
export function treeHashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((file) => statSync(join(folder, file)).isFile() && !OF_THE_PAST.test(file))
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  );
}
