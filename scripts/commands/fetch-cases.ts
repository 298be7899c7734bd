/** `hubledger fetch-cases`: writes single blocks of a node to a small recording, from which cases for tests are cut. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Command, InvalidArgumentError } from 'commander';
import { VariableError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { type CheckedBlock, checkBlock, type Expectation, linkFault } from '../../pipeline/chain/check-block.js';
import type { ChainRecord, ChainSource } from '../../pipeline/chain/nodes/chain-source.js';
import { openSource } from '../../pipeline/chain/nodes/open-source.js';
import { readBlock } from '../../pipeline/chain/read-blocks.js';
import { readConfig } from '../../pipeline/config.js';
import { loadReference } from '../../pipeline/reference.js';

const HASH_DIGITS = 8;

async function fetchCases(heights: readonly number[], { out }: { readonly out: string }): Promise<void> {
  const config = readConfig();
  if (config.sample) throw new VariableError('HUBLEDGER_RPC_URLS names no node for fetch-cases');
  const chainId = config.nodeChainId ?? loadReference().chain.node_chain_id;
  const source = openSource(config.rpcUrls, { headers: config.nodeHeaders });
  await source.status();
  const folder = resolve(out);
  mkdirSync(join(folder, 'blocks'), { recursive: true });
  writeFileSync(join(folder, 'status.json'), `${JSON.stringify({ node_info: { network: chainId } })}\n`);
  for (const height of heights) {
    const expected = { chainId, now: Math.max(Date.now(), config.now().getTime()) };
    const block = await fetchBlock(source, { ...expected, height });
    const next = await fetchBlock(source, { ...expected, height: height + 1 });
    const fault = linkFault(block.link, next);
    if (fault) throw fault;
    writeFileSync(
      join(folder, 'blocks', `${height}-${height}.jsonl.gz`),
      gzipSync(`${block.row.record}\n`, { level: 9 }),
    );
    console.log(describe(block));
  }
  console.log(`written: ${folder}`);
}

/**
 * Returns a block whose hashes fit. Asks the nodes in turn.
 * @throws BlockError if no node has the block, or if every node's block fails its check
 */
async function fetchBlock(source: ChainSource, expected: Expectation): Promise<CheckedBlock> {
  let fault: BlockError | undefined;
  for await (const { record } of recordsOf(source, expected.height)) {
    try {
      return checkBlock(record, expected);
    } catch (error) {
      if (!(error instanceof BlockError)) throw error;
      fault ??= error;
    }
  }
  throw fault;
}

async function* recordsOf(source: ChainSource, height: number): AsyncGenerator<ChainRecord> {
  for await (const first of source.records(height, height)) {
    yield first;
    if (source.again) yield* source.again(height, first.endpoint);
  }
}

/** Lists a block's transactions with the parts that `record-case` needs. */
function describe({ row: { height, time, hash, record } }: CheckedBlock): string {
  const { transactions } = readBlock({ height, hash, record });
  const lines = transactions.map(({ hash: transactionHash, code, messages }) => {
    const types = messages.map(({ typeUrl }) => typeUrl).join(', ');
    return `  ${transactionHash.slice(0, HASH_DIGITS)}  ${code === 0 ? '' : `failed with code ${code}  `}${types}`;
  });
  return [`block ${height} of ${time}, ${transactions.length} transactions`, ...lines].join('\n');
}

function heightAfter(text: string, earlier: readonly number[] = []): number[] {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the height of a block.');
  return [...new Set([...earlier, Number(text)])];
}

const FOLDER = 'test/data/real';

const HELP = `
The nodes of HUBLEDGER_RPC_URLS return the blocks and their results. Hashes of each block and of the next block confirm
them, but no hash confirms events. The recording contains no signatures of validators. Cut cases from it with \`record-case ${FOLDER} <height> …\`.`;

export const examples = [
  '30296490 30296492 30297381  # transfers: of a token, of ATOM, received over IBC',
  '31821176 32549829 33086741  # redirected rewards, rewards of all share records, coins moved by a fork',
];

export function declare(command: Command): void {
  command
    .argument('<height...>', 'heights of the blocks', heightAfter)
    .option('--out <folder>', 'folder of the recording; later calls add blocks to it', join(projectRoot(), FOLDER))
    .addHelpText('after', HELP)
    .action(fetchCases);
}
