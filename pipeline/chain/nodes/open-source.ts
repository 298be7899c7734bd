/**
 * Opens the source of blocks: nodes, or a recording. A recording is a folder with status.json (a node's /status) and
 * files blocks/<from>-<to>.jsonl.gz with one record per line.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { ConfigError } from '../../base/config-error.js';
import type { NodeHeaders } from '../../config.js';
import { BlockError } from '../block-error.js';
import type { CrossCheck } from '../cross-check.js';
import type { ChainRecord, ChainSource, ChainStatus } from './chain-source.js';
import { endpointsOf, type NodeAddress } from './endpoint.js';
import { NodePool } from './node-pool.js';

interface RecordedFile {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

const inflate = promisify(gunzip);
/** Chunk size for zlib. With the default of 16 KiB, zlib would need hundreds of calls for a file. */
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 10;
const HEIGHT = /^\{"height":\s*(\d+)/;

/** Reads a file. If it is truncated, returns the readable part. Reading a missing height later throws an error. */
async function readLines({ path }: RecordedFile): Promise<Buffer> {
  const bytes = await readFile(path);
  return path.endsWith('.gz') ? inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES }) : bytes;
}

export class Recording implements ChainSource {
  private readonly files: readonly RecordedFile[];
  private readonly folder: string;
  private readonly opened = new Map<RecordedFile, Promise<Buffer>>();

  constructor(url: string) {
    this.folder = fileURLToPath(url);
    this.files = listFiles(this.folder);
  }

  async status(): Promise<ChainStatus> {
    const path = join(this.folder, 'status.json');
    let chainId: unknown;
    try {
      chainId = JSON.parse(readFileSync(path, 'utf8')).node_info.network;
    } catch (error) {
      throw new ConfigError(`${path} does not name the chain: ${(error as Error).message}`);
    }
    return { chainId: String(chainId), earliest: this.files[0]!.from, latest: this.files.at(-1)!.to };
  }

  async *records(from: number, to: number): AsyncGenerator<ChainRecord> {
    let height = from;
    for (const [i, file] of this.files.entries()) {
      if (file.to < height || file.from > to) continue;
      const lines = this.open(file, height);
      const next = this.files[i + 1];
      if (next && next.from <= to) this.open(next, next.from).catch(() => {});
      for (const record of cutLines(await lines, height)) {
        if (height > to) return;
        yield { height, record };
        height++;
      }
      if (height <= Math.min(to, file.to)) throw missing(height);
    }
    if (height <= to) throw missing(height);
  }

  private open(file: RecordedFile, height: number): Promise<Buffer> {
    const lines =
      this.opened.get(file) ??
      readLines(file).catch((error) => {
        throw new BlockError(height, undefined, `${file.path} cannot be read: ${error.message}`);
      });
    this.opened.delete(file);
    this.opened.set(file, lines);
    for (const old of [...this.opened.keys()].slice(0, -2)) this.opened.delete(old);
    return lines;
  }
}

const missing = (height: number) => new BlockError(height, undefined, 'the recording does not contain it');

function listFiles(folder: string): RecordedFile[] {
  const blocks = join(folder, 'blocks');
  let names: string[];
  try {
    names = readdirSync(blocks);
  } catch (error) {
    throw new ConfigError(`${folder} is not a recording of a chain: ${(error as Error).message}`);
  }
  const files = names.flatMap((name) => {
    const match = /^(\d+)-(\d+)\.jsonl(\.gz)?$/.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(blocks, name) }] : [];
  });
  if (files.length === 0) throw new ConfigError(`${blocks} contains no <from>-<to>.jsonl.gz`);
  return files.sort((a, b) => a.from - b.from);
}

function* cutLines(lines: Buffer, from: number): Generator<string> {
  let height = from;
  for (let start = 0; start < lines.length; ) {
    const feed = lines.indexOf(LINE_FEED, start);
    const end = feed < 0 ? lines.length : feed;
    const lineHeight = HEIGHT.exec(lines.toString('latin1', start, Math.min(end, start + 40)))?.[1];
    if (lineHeight === undefined || Number(lineHeight) >= height) {
      if (lineHeight !== undefined && Number(lineHeight) > height) return;
      yield lines.toString('utf8', start, end);
      height++;
    }
    start = end + 1;
  }
}

export function openSource(
  addresses: readonly NodeAddress[],
  { crossCheck, headers }: { readonly crossCheck?: CrossCheck | undefined; readonly headers?: NodeHeaders } = {},
): ChainSource {
  const recording = addresses.find((url) => typeof url === 'string' && url.startsWith('file:'));
  return typeof recording === 'string'
    ? new Recording(recording)
    : new NodePool(endpointsOf(addresses, headers), {}, crossCheck);
}
