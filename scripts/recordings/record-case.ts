/**
 * Recording of a case for test/classify: it is cut out of a block of a recording or a node, with the rows as they are classified now.
 * Whoever commits it has checked them against the chain: the events are above them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Block } from '../../pipeline/chain/block.js';
import type { ChainSource } from '../../pipeline/chain/nodes/chain-source.js';
import { openSource } from '../../pipeline/chain/nodes/open-source.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { ConfigError } from '../../pipeline/config-error.js';
import { projectRoot } from '../../pipeline/project.js';
import { loadReference } from '../../pipeline/reference.js';
import { caseEvents, caseOfTransaction, compactRow, formatCase, type RecordedCase, toBlock } from './recorded-case.js';

/** Opens a node by its URL or a recording by its folder, with the name that cases have for it: the chain's id or the folder's name. */
async function open(place: string): Promise<{ source: ChainSource; name: string }> {
  const folder = resolve(place);
  if (!/^https?:/.test(place)) return { source: openSource([`${pathToFileURL(folder)}/`]), name: basename(folder) };
  const source = openSource([place]);
  return { source, name: (await source.status()).chainId };
}

async function readBlockAt(source: ChainSource, height: number): Promise<Block> {
  for await (const { record } of source.records(height, height)) return readBlock({ height, hash: '', record });
  throw new ConfigError(`there is no block ${height}`);
}

/** Cuts a place out of a block. @param place start of a transaction's hash, or <first event>-<last event> of the block's own events */
function cut(block: Block, place: string): Pick<RecordedCase, 'transaction' | 'events'> {
  const range = /^(\d+)-(\d+)$/.exec(place);
  if (range) return { events: caseEvents(block.events, Number(range[1]), Number(range[2])) };
  const transaction = block.transactions.find(({ hash }) => hash.startsWith(place));
  if (!transaction) throw new ConfigError(`block ${block.height} has no transaction ${place}`);
  return caseOfTransaction(transaction);
}

/**
 * Makes the text of a case, with the rows that the program makes of it now.
 * @param from folder of a recording, or URL of a node
 * @param place see cut
 */
export async function cutCase(from: string, height: number, place: string, title: string): Promise<string> {
  const { source, name } = await open(from);
  const block = await readBlockAt(source, height);
  const head = { title, recording: name, height, time: block.time };
  const empty = { ...head, ...cut(block, place), rows: [] };
  const { chain, contracts } = loadReference();
  const { events } = classifyBlock(toBlock(empty), chainFacts(chain, contracts));
  return formatCase({ ...empty, rows: events.map(compactRow) });
}

/** Writes a case below test/classify. @param name file without its extension @returns its path */
export async function recordCase(
  from: string,
  height: number,
  place: string,
  name: string,
  title: string,
): Promise<string> {
  const path = join(projectRoot(), `test/classify/${name}.json`);
  const text = await cutCase(from, height, place, title);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
