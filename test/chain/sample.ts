/** The bundled recording and what the tests of chain reading do with it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import { type IndexOptions, indexBlocks } from '../../pipeline/chain/index-blocks.js';
import type { ChainSource } from '../../pipeline/chain/nodes/chain-source.js';
import { Recording } from '../../pipeline/chain/nodes/open-source.js';
import { openDatabase } from '../open-database.js';

export const CHAIN_ID = 'localhub-1';
export const sampleDir = join(projectRoot(), 'data/sample');
export const sampleUrl = pathToFileURL(sampleDir).href;
export const recording = () => new Recording(sampleUrl);

/** The recorded lines by height (index 0 is empty), read without the code under test. */
export const sampleLines: readonly string[] = [
  '',
  ...['1-500', '501-1000'].flatMap((name) =>
    gunzipSync(readFileSync(join(sampleDir, `blocks/${name}.jsonl.gz`)))
      .toString('utf8')
      .trimEnd()
      .split('\n'),
  ),
];

/** A folder that is gone after the test. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-chain-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The source with the text of some heights changed; undefined ends it there as a killed connection would. */
export function altered(source: ChainSource, changes: Record<number, (record: string) => string>): ChainSource {
  return {
    status: () => source.status(),
    async *records(from, to) {
      for await (const { height, record } of source.records(from, to)) {
        yield { height, record: changes[height]?.(record) ?? record };
      }
    },
  };
}

/** indexBlocks over the recording unless told otherwise, with a database of its own. */
export async function index(dataDir: string, options: Partial<IndexOptions> = {}) {
  const database = await openDatabase();
  try {
    return await indexBlocks({
      source: recording(),
      database,
      dataDir,
      nodeChainId: CHAIN_ID,
      indexStart: '2025-12-31',
      ...options,
    });
  } finally {
    database.close();
  }
}

/** File name → SHA-256 of the raw blocks on disk. */
export function rawFiles(dataDir: string): Record<string, string> {
  const folder = join(dataDir, 'raw', CHAIN_ID);
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );
}
