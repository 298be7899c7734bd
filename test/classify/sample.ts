/** The recorded sample chain as blocks, for tests that look at all of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Block } from '../../pipeline/chain/block.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';

/** The sample's blocks in ascending order. */
export function* sampleBlocks(): Generator<Block> {
  const folder = join(projectRoot(), 'data/sample/blocks');
  const files = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  for (const file of files) {
    for (const record of gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .split('\n')) {
      if (record === '') continue;
      const height = Number(/^\{"height":(\d+)/.exec(record)![1]);
      yield readBlock({ height, hash: '', record });
    }
  }
}
