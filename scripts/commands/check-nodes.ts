/** `hubledger check-nodes`: what each RPC and REST endpoint can do. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import pLimit from 'p-limit';
import { VariableError } from '../../pipeline/base/config-error.js';
import { Endpoint } from '../../pipeline/chain/nodes/endpoint.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { type Config, nodeUrl, readConfig } from '../../pipeline/config.js';
import { loadPublicNodes, loadReference } from '../../pipeline/reference.js';
import { checkNode } from '../check-nodes/check-node.js';
import { advice, formatReports } from '../check-nodes/describe.js';
import type { NodeReport } from '../check-nodes/report.js';

const NODES_AT_ONCE = 8;

interface Options {
  readonly nodes?: 'registry';
  readonly json?: true;
}

/** Returns the URLs of the known public nodes of the chain. */
export const publicNodes = (): string[] =>
  loadPublicNodes().nodes.flatMap(({ rpc = [], rest = [] }) => [...rpc, ...rest]);

async function checkNodes(given: readonly string[], { nodes, json }: Options): Promise<void> {
  const config = readConfig();
  const { rpcUrls, lcdUrls, sample } = config;
  const listed = nodes === undefined ? [] : publicNodes();
  const configured = sample ? lcdUrls : [...rpcUrls.filter((url) => !url.startsWith('file:')), ...lcdUrls];
  const urls = [...new Set([...given, ...listed])];
  if (urls.length === 0) urls.push(...new Set(configured));
  if (urls.length === 0) throw new VariableError('name the URLs of nodes, or set HUBLEDGER_RPC_URLS');
  const reports = await surveyNodes(urls, listed, config);
  const line = advice(reports);
  console.log(json ? JSON.stringify({ nodes: reports, advice: line }) : `${formatReports(reports)}\n\n${line}`);
  if (reports.every(({ fault }) => fault !== null)) process.exitCode = 1;
}

/**
 * Tests what each node can do. The URLs in the result have no key.
 * @param listed public URLs, which contain no key and stay as they are
 */
export function surveyNodes(
  urls: readonly string[],
  listed: readonly string[],
  { nodeHeaders, nodeChainId, now, sample }: Pick<Config, 'nodeHeaders' | 'nodeChainId' | 'now' | 'sample'>,
): Promise<NodeReport[]> {
  const { chain, contracts } = loadReference();
  const [searched] = chainFacts(chain, contracts).feeCollectors;
  // Without HUBLEDGER_RPC_URLS, the configured chain is the one of the bundled sample.
  const chainIds = [...new Set([nodeChainId ?? chain.node_chain_id, ...(sample ? [chain.node_chain_id] : [])])];
  const expected = { chainIds, searched: searched!, now: now().getTime() };
  const limit = pLimit(NODES_AT_ONCE);
  const check = async (url: string): Promise<NodeReport> => {
    const report = await checkNode(new Endpoint(url, nodeHeaders), expected);
    return listed.includes(url) ? { ...report, url } : report;
  };
  return Promise.all(urls.map((url) => limit(() => check(url))));
}

export function urlAfter(text: string, earlier: readonly string[] = []): string[] {
  try {
    return [...earlier, nodeUrl(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

const HELP = `
Columns:
  blocks  first and newest block of the node
  lag     age of its newest block
  index   whether it searches transactions and blocks, or how many blocks its index is behind
  search  number of blocks that it searches within five seconds (powers of ten, or all)
  states  how many blocks back it has the state (powers of ten)
  height  whether the state has the height that was asked for
  proofs  whether it proves the state against a block
  batch   number of calls that it accepts in one request
  limit   answers to 20 requests at once
Without URLs, the nodes of HUBLEDGER_RPC_URLS and HUBLEDGER_LCD_URLS are checked. Exit code 1: no node can be used.`;

export const examples = ['', 'https://rpc.example https://rest.example', '--nodes registry --json'];

export function declare(command: Command): void {
  command
    .argument('[URL...]', 'RPC or REST endpoints', urlAfter)
    .addOption(new Option('--nodes <list>', 'also check the known public nodes of the chain').choices(['registry']))
    .option('--json', 'print one JSON document, for programs')
    .addHelpText('after', HELP)
    .action((given: readonly string[] = [], options: Options) => checkNodes(given, options));
}
