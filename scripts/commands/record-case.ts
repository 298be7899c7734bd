/**
 * `hubledger record-case`: writes a test case for classification from a block. A case is one transaction, or some of a
 * block's own events, with the correct rows. Events keep their index, so the rows have the same ids as on the chain.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Block } from '../../pipeline/chain/block.js';
import type { ChainSource } from '../../pipeline/chain/nodes/chain-source.js';
import { openSource } from '../../pipeline/chain/nodes/open-source.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../pipeline/reference.js';
import {
  caseEvents,
  caseOfTransaction,
  compactRow,
  formatCase,
  type RecordedCase,
  toBlock,
} from '../recordings/recorded-case.js';

/**
 * Opens a node by its URL, or a recording by its folder.
 * @returns the source, and the name for the case: the chain id, or the name of the folder
 */
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

/**
 * Cuts the part at `place` out of a block. @param place first characters of a transaction's hash, or `<first
 * event>-<last event>` of the block's own events
 */
function cut(block: Block, place: string): Pick<RecordedCase, 'transaction' | 'events'> {
  const range = /^(\d+)-(\d+)$/.exec(place);
  if (range) return { events: caseEvents(block.events, Number(range[1]), Number(range[2])) };
  const transaction = block.transactions.find(({ hash }) => hash.startsWith(place));
  if (!transaction) throw new ConfigError(`block ${block.height} has no transaction ${place}`);
  return caseOfTransaction(transaction);
}

/**
 * Returns the text of a case. The rows come from the current program, so a person must review them.
 * @param from URL of a node, or folder of a recording
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

async function recordCase(from: string, height: number, place: string, name: string, title: string): Promise<string> {
  const path = join(projectRoot(), `test/classify/${name}.json`);
  const text = await cutCase(from, height, place, title);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export function height(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the height of a block.');
  return Number(text);
}

function place(text: string): string {
  if (/^([0-9A-F]{4,64}|\d+-\d+)$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the start of a transaction's hash in capitals, or <first>-<last>.");
}

export function name(text: string): string {
  if (/^[a-z-]+\/[\w.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be <module>/<message>-<variant>.');
}

const HELP = `
The case contains the events of one transaction, or some of a block's own events.
It also contains the rows that the program currently makes from these events.
Compare the rows with the events before you commit the file.`;

export const examples = [
  'data/sample 52 6E478ED7 staking/MsgBeginRedelegate-again "both validators pay a reward"',
  'https://rpc.example 29500000 6E478ED7 staking/MsgBeginRedelegate-again "both validators pay a reward"',
];

export function declare(command: Command): void {
  command
    .argument('<source>', 'URL of a node, or folder of a recording (blocks/<from>-<to>.jsonl.gz)')
    .argument('<height>', 'height of the block', height)
    .argument(
      '<place>',
      "start of a transaction's hash, or <first>-<last> of the block's own events, counted from 0",
      place,
    )
    .argument('<name>', 'file to write below test/classify, without .json: <module>/<message>-<variant>', name)
    .argument('<title>', 'name of the test: what the case shows')
    .addHelpText('after', HELP)
    .action(async (...words: Parameters<typeof recordCase>) => {
      const path = await recordCase(...words);
      console.log(`written: ${path}`);
    });
}
