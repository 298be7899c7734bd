#!/usr/bin/env node
/**
 * Cuts a case for test/classify out of a recording, with the rows as they are classified now. Whoever commits it has checked them
 * against the chain: the events are above them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import type { Block } from '../../pipeline/chain/block.js';
import { Recording } from '../../pipeline/chain/nodes/recording.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { projectRoot } from '../../pipeline/project.js';
import { loadReference } from '../../pipeline/reference.js';
import { caseEvents, caseOfTransaction, compactRow, formatCase, type RecordedCase, toBlock } from './recorded-case.js';

async function readBlockAt(folder: string, height: number): Promise<Block> {
  const source = new Recording(pathToFileURL(`${resolve(folder)}/`).href);
  for await (const { record } of source.records(height, height)) return readBlock({ height, hash: '', record });
  throw new Error(`${folder} has no block ${height}`);
}

/** @param place the start of a transaction's hash, or <first event>-<last event> of the block's own events */
function cut(block: Block, place: string): Pick<RecordedCase, 'transaction' | 'events'> {
  const range = /^(\d+)-(\d+)$/.exec(place);
  if (range) return { events: caseEvents(block.events, Number(range[1]), Number(range[2])) };
  const transaction = block.transactions.find(({ hash }) => hash.startsWith(place));
  if (!transaction) throw new Error(`block ${block.height} has no transaction ${place}`);
  return caseOfTransaction(transaction);
}

async function record(folder: string, height: number, place: string, name: string, title: string): Promise<void> {
  const block = await readBlockAt(folder, height);
  const empty = {
    title,
    recording: basename(resolve(folder)),
    height,
    time: block.time,
    ...cut(block, place),
    rows: [],
  };
  const { chain, contracts } = loadReference();
  const { events } = classifyBlock(toBlock(empty), chainFacts(chain, contracts));
  const path = join(projectRoot(), `test/classify/${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, formatCase({ ...empty, rows: events.map(compactRow) }));
}

const program = new Command('record-case')
  .description('cuts a case for test/classify out of a recording')
  .argument('<recording>', 'folder with blocks/<from>-<to>.jsonl.gz')
  .argument('<height>', 'block height', Number)
  .argument('<place>', "start of a transaction's hash, or <first>-<last> event of the block's own")
  .argument('<name>', 'file below test/classify: <module>/<Msg>-<variant>')
  .argument('<title>', 'what the case shows')
  .action(record);

await program.parseAsync();
