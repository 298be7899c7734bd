/** Blocks of the sample and its node's holdings, for comparison. */
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { serializeState } from '../../pipeline/holdings/checkpoint.js';
import { loadStartingState } from '../../pipeline/holdings/start/load-starting-state.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { blocksOf } from './prove-holdings.js';

/** Blocks 1 to 1000 of a chain that runs the Hub's software. */
export const BLOCKS = join(projectRoot(), 'data/sample');
export const GENESIS = join(BLOCKS, 'genesis.json.gz');
/** Its node's answers at some heights, and its export after the last block. */
export const STATES = join(projectRoot(), 'test/holdings/hub-short');
export const EXPORT = join(STATES, 'export-1000.json.gz');

export async function openGenesis(): Promise<HoldingsState> {
  return (await loadStartingState(GENESIS)).state;
}

let blocks: Promise<FullBlock[]> | undefined;

export function readSample(): Promise<FullBlock[]> {
  blocks ??= (async () => {
    const all: FullBlock[] = [];
    for await (const block of blocksOf(BLOCKS, 1)) all.push(block);
    return all;
  })();
  return blocks;
}

export const linesOf = (state: HoldingsState): string[] => [...serializeState(state)];
