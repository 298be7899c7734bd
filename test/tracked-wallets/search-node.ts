/**
 * A node for tests with a search index (CometBFT 0.38 RPC) and with state (LCD): answers from the bundled recording and
 * from answers that a node of the same chain gave for some wallets after blocks 43 and 1000.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { memberSlices } from '../../pipeline/base/json/exact-json.js';
import { projectRoot } from '../../pipeline/base/project.js';
import type { BlockRecord, RecordedEvent } from '../../pipeline/chain/block-record.js';
import { CHAIN_ID, sampleLines } from '../chain/sample.js';
import { recordAt, type SignedRecord, validatorsAt } from '../chain/validator-sets.js';

type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const recorded: State = JSON.parse(readFileSync(join(projectRoot(), 'test/tracked-wallets/node-state.json'), 'utf8'));

/** Wallets whose state the node knows. */
export const KNOWN = {
  /** Deposits that were burned. */
  depositor: 'cosmos16vksqynkuqg0wh0hhfrptz9sw8ted5ysyfxms4',
  /** Slashes and a burned deposit. */
  slashed: 'cosmos1g0ex76hrykn2tr7zktekaen89uwwp848urlyw3',
  /** Five rows, and nothing before its first one. */
  small: 'cosmos1f42mdh4wffta0qalauj397mnc5pwhn3gywmhaf',
  /** Tokenized shares, and a slash of a redelegation. */
  sharer: 'cosmos12gf8z4gzqw2x5zy0jh0ms6q0f9lgq5nv6vttqg',
} as const;

export interface SearchNodeOptions {
  readonly latest?: () => number;
  /** Blocks below this height are pruned. The index still has them. */
  readonly earliest?: number;
  /** Heights that the index lacks. */
  readonly searchHoles?: readonly number[];
  /** Heights whose blocks the node lacks. */
  readonly blockHoles?: readonly number[];
  readonly hasIndex?: boolean;
  /** Last block of the index. */
  readonly indexUntil?: () => number;
  /** Attribute that is not indexed, such as `message.sender`. */
  readonly lacksKey?: () => string | undefined;
  /** States before this height are pruned. */
  readonly earliestState?: number;
  /** Any free port by default. */
  readonly port?: number;
  /** Answers state queries over RPC. By default, the node refuses them. */
  readonly abci?: (parameters: URLSearchParams) => object;
  /** Height that each answer of the LCD states, in place of its own. */
  readonly statedHeight?: string;
  /** Changes an answer of the LCD. */
  readonly lie?: (path: string, body: unknown, height: string) => unknown;
  /** Changes the node's record of a block. */
  readonly change?: (height: number, record: SignedRecord) => SignedRecord;
  /** Called with each request's path; it may end the node. */
  readonly onRequest?: (path: string) => void;
}

export interface SearchNode {
  readonly url: string;
  /** Searches so far. */
  readonly searches: string[];
  /** Heights of which blocks were asked. */
  readonly asked: number[];
  close(): Promise<void>;
}

interface Indexed {
  readonly height: number;
  readonly events: readonly RecordedEvent[];
}

interface Index {
  readonly transactions: readonly Indexed[];
  readonly blocks: readonly Indexed[];
}

let made: Index | undefined;

function index(): Index {
  if (made) return made;
  const [transactions, blocks]: [Indexed[], Indexed[]] = [[], []];
  for (const [height, line] of sampleLines.entries()) {
    if (!line) continue;
    const { block_results: results }: BlockRecord = JSON.parse(line);
    for (const { events } of results.txs_results ?? []) transactions.push({ height, events: events ?? [] });
    blocks.push({ height, events: results.finalize_block_events ?? [] });
  }
  made = { transactions, blocks };
  return made;
}

const GENESIS_CHUNKS = 3;
let readGenesis: Buffer | undefined;

function genesis(): Buffer {
  readGenesis ??= gunzipSync(readFileSync(join(projectRoot(), 'data/sample/genesis.json.gz')));
  return readGenesis;
}

const CONDITION = /^(\w+)\.(\w+)(?:='([^']*)'| (EXISTS)|(>=|<=|=)(\d+))$/;

/** @param byBeginning whether a value is also found by its beginning up to a slash, as in the index of transactions */
function finds(query: string, byBeginning: boolean): (one: Indexed) => boolean {
  const tests = query.split(' AND ').map((text) => {
    const [, type, key, value, exists, sign, bound] = CONDITION.exec(text) ?? [];
    if (type === undefined) throw new Error(`the test node does not know ${text}`);
    if (sign !== undefined) {
      const limit = Number(bound);
      return ({ height }: Indexed) =>
        sign === '=' ? height === limit : sign === '>=' ? height >= limit : height <= limit;
    }
    const fits = (found: string | null) =>
      exists !== undefined || found === value || (byBeginning && found?.startsWith(`${value}/`) === true);
    return ({ events }: Indexed) =>
      events.some(
        (event) => event.type === type && event.attributes?.some((one) => one.key === key && fits(one.value)),
      );
  });
  return (one) => tests.every((test) => test(one));
}

function signedHeaderAt(height: number) {
  const { header } = recordAt(height).block.block;
  const commit = height + 1 < sampleLines.length ? recordAt(height + 1).block.block.last_commit : null;
  return { header, commit };
}

function validatorPage(height: number, parameters: URLSearchParams) {
  const [page, size] = [Number(parameters.get('page')), Number(parameters.get('per_page'))];
  const all = validatorsAt(height);
  const validators = all.slice((page - 1) * size, page * size).map(({ address, key, power }) => ({
    address,
    pub_key: { type: 'tendermint/PubKeyEd25519', value: key },
    voting_power: String(power),
  }));
  return { block_height: String(height), validators, count: String(validators.length), total: String(all.length) };
}

export async function startSearchNode(options: SearchNodeOptions = {}): Promise<SearchNode> {
  const {
    latest = () => 1000,
    earliest = 1,
    earliestState = 1,
    searchHoles = [],
    hasIndex = true,
    blockHoles = [],
  } = options;
  const { lie = (_, body) => body, change = (_, record) => record, port = 0, statedHeight } = options;
  const { indexUntil = () => Number.POSITIVE_INFINITY, lacksKey = () => undefined } = options;
  const searches: string[] = [];
  const asked: number[] = [];

  function answerRpc(method: string, parameters: URLSearchParams): { result: string } | { error: string } {
    const height = Number(parameters.get('height'));
    if (method === 'status') {
      const sync_info = {
        earliest_block_height: String(earliest),
        latest_block_height: String(latest()),
        latest_block_time: '2026-04-15T12:00:00Z',
        catching_up: false,
      };
      return { result: JSON.stringify({ node_info: { network: CHAIN_ID }, sync_info }) };
    }
    if (method === 'tx_search' || method === 'block_search') {
      if (!hasIndex) return { error: 'transaction indexing is disabled' };
      const query = parameters.get('query')!.slice(1, -1);
      searches.push(query);
      const [page, size] = [Number(parameters.get('page')), Number(parameters.get('per_page'))];
      const isOfTransactions = method === 'tx_search';
      const all = index()[isOfTransactions ? 'transactions' : 'blocks'];
      const lacked = lacksKey();
      const fits = lacked !== undefined && query.includes(`${lacked}=`) ? () => false : finds(query, isOfTransactions);
      const found = all.filter(
        (one) => one.height <= Math.min(latest(), indexUntil()) && !searchHoles.includes(one.height) && fits(one),
      );
      const shown = found.slice((page - 1) * size, page * size);
      const items = isOfTransactions
        ? shown.map((one) => ({ height: String(one.height) }))
        : shown
            .filter((one) => one.height >= earliest)
            .map((one) => ({ block: { header: { height: String(one.height) } } }));
      const list = isOfTransactions ? { txs: items } : { blocks: items };
      return { result: JSON.stringify({ ...list, total_count: String(found.length) }) };
    }
    if (method === 'abci_query') {
      if (!options.abci) return { error: 'the method abci_query is not available' };
      return { result: JSON.stringify({ response: options.abci(parameters) }) };
    }
    if (method === 'genesis_chunked') {
      const part = Math.ceil(genesis().length / GENESIS_CHUNKS);
      const chunk = Number(parameters.get('chunk'));
      const data = genesis()
        .subarray(chunk * part, (chunk + 1) * part)
        .toString('base64');
      return { result: JSON.stringify({ chunk: String(chunk), total: String(GENESIS_CHUNKS), data }) };
    }
    if (height < earliest) return { error: `height ${height} is not available, lowest height is ${earliest}` };
    if (height > latest()) return { error: `height ${height} must be less than or equal to ${latest()}` };
    if (method === 'block') asked.push(height);
    if (blockHoles.includes(height)) return { result: '{"block_id":{},"block":null}' };
    if (method === 'commit') return { result: JSON.stringify({ signed_header: signedHeaderAt(height) }) };
    if (method === 'validators') return { result: JSON.stringify(validatorPage(height, parameters)) };
    const line = options.change ? JSON.stringify(change(height, recordAt(height))) : sampleLines[height]!;
    return { result: memberSlices(line).get(method)! };
  }

  const rpcText = (id: unknown, method: string, parameters: URLSearchParams): string => {
    const answer = answerRpc(method, parameters);
    const member =
      'result' in answer
        ? `"result":${answer.result}`
        : `"error":${JSON.stringify({ code: -32603, message: 'Internal error', data: answer.error })}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`;
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://node');
    options.onRequest?.(url.pathname);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (url.pathname.startsWith('/cosmos/')) {
      const height = request.headers['x-cosmos-block-height'] as string;
      const state = recorded[height === '0' ? String(latest()) : height]; // as nodes of the SDK do
      if (!state || (height !== '0' && Number(height) < earliestState)) {
        const message = `failed to load state at height ${height}; version does not exist`;
        return void response.writeHead(500).end(JSON.stringify({ code: 2, message }));
      }
      const body = state[url.pathname];
      if (!body) return void response.writeHead(404).end(JSON.stringify({ code: 5, message: 'not found' }));
      response.setHeader('x-cosmos-block-height', statedHeight ?? (height === '0' ? String(latest()) : height));
      return void response.end(JSON.stringify(lie(url.pathname, body, height)));
    }
    if (request.method === 'POST') {
      const calls: { id: number; method: string; params: Record<string, string> }[] = JSON.parse(
        Buffer.concat(parts).toString(),
      );
      const texts = calls.map(({ id, method, params }) => rpcText(id, method, new URLSearchParams(params)));
      return void response.end(`[${texts.join()}]`);
    }
    const text = rpcText(-1, url.pathname.slice(1), url.searchParams);
    response.writeHead(text.includes('"error":') && !text.includes('"result":') ? 500 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    searches,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
