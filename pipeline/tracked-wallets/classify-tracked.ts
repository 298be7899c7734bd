/** Classifies the blocks of the configured wallets, with the same classifier that classifies a whole chain. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheKey } from '../base/cache-key/cache-key.js';
import { listFolder, makeFolder, removeFolder, removeUnfinished, unfinished } from '../base/disk/atomic-files.js';
import { damagedFile } from '../base/disk/sealed-folder.js';
import { Database } from '../base/duckdb/database.js';
import { paddedHeight } from '../chain/raw-files.js';
import type { Artifacts } from '../night/artifacts.js';
import { type Reviewed, readNotes, writeClassified } from '../night/jobs/classify/classify-range.js';
import type { StepContext } from '../night/night.js';
import { writePiece } from '../night/pieces.js';
import { readStoredBlocks } from './block-store.js';
import type { StoredBlock, WalletArtifacts } from './found-chain.js';

const PROGRAM = fileURLToPath(new URL('../night/jobs/classify/classify-range.js', import.meta.url));

/**
 * A piece contains the wallets' blocks from a range of this many heights, about a week, but at most PIECE_BLOCKS
 * blocks.
 */
const PIECE_HEIGHTS = 100_000;
const PIECE_BLOCKS = 500;

export async function classifyTracked(
  { found }: Pick<WalletArtifacts, 'found'>,
  { reference, nodeChainId, progress, signal }: StepContext,
): Promise<Pick<Artifacts, 'classified' | 'notes'>> {
  const { chain, contracts, chainActs: acts } = reference;
  const reviewed: Reviewed = { chain, contracts, acts };
  const key = cacheKey([PROGRAM], [nodeChainId, reviewed]);
  const rows = join(found.folder, 'rows', key);
  makeFolder(rows);
  removeUnfinished(rows);
  const [earlier, indexed]: [string[], string[]] = [[], []];
  const total = found.earlier.length + found.blocks.length;
  let done = 0;
  const database = await Database.open(unfinished(join(rows, 'spill')), { threads: 1 });
  try {
    const pieces = [
      ...inPieces(found.earlier).map((blocks) => ({ blocks, folders: earlier })),
      ...inPieces(found.blocks).map((blocks) => ({ blocks, folders: indexed })),
    ];
    for (const { blocks, folders } of pieces) {
      signal.throwIfAborted();
      const heights = blocks.map(({ height }) => height);
      const files = [...new Set(blocks.map(({ file }) => file))];
      const contents = blocks.map(({ height, content: text }) => `${height} ${text}`);
      const content = createHash('sha256').update(contents.join()).digest('hex').slice(0, 16);
      // The folder's name contains the first and last height, because attachRanges reads them from it.
      const folder = join(rows, `${paddedHeight(heights[0]!)}-${paddedHeight(heights.at(-1)!)}-${content}`);
      if ((await damagedFile(folder)) !== undefined) {
        removeFolder(folder);
        await writePiece(folder, (making) =>
          writeClassified(database, making, readStoredBlocks(database, files, heights), reviewed),
        );
      }
      folders.push(folder);
      done += blocks.length;
      progress.update(done, total);
    }
  } finally {
    database.close();
  }
  const kept = new Set([rows, ...earlier, ...indexed]);
  for (const parent of [dirname(rows), rows]) {
    for (const name of listFolder(parent)) if (!kept.has(join(parent, name))) removeFolder(join(parent, name));
  }
  return { classified: { key, earlier, indexed }, notes: readNotes(indexed) };
}

function inPieces(blocks: readonly StoredBlock[]): StoredBlock[][] {
  const found: StoredBlock[][] = [];
  let week: number | undefined;
  for (const block of blocks) {
    const weekOfBlock = Math.floor(block.height / PIECE_HEIGHTS);
    const last = found.at(-1);
    if (last && weekOfBlock === week && last.length < PIECE_BLOCKS) last.push(block);
    else found.push([block]);
    week = weekOfBlock;
  }
  return found;
}
