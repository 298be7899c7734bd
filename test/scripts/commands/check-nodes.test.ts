/** `hubledger check-nodes` against servers that answer as nodes do, each with one ability that it lacks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Endpoint } from '../../../pipeline/chain/nodes/endpoint.js';
import { checkNode } from '../../../scripts/check-nodes/check-node.js';
import { advice, formatReports } from '../../../scripts/check-nodes/describe.js';
import type { NodeReport } from '../../../scripts/check-nodes/report.js';
import { run, runBeside } from '../run-program.js';

const CHAIN = 'cosmoshub-4';
const LATEST = 2_000;
const TIME = '2026-11-01T00:00:00Z';
const EXPECTED = { chainIds: [CHAIN], now: Date.parse(TIME) + 6_000, searched: 'cosmos1wallet' };

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
}

interface Abilities {
  readonly chain?: string;
  readonly refusesGet?: boolean;
  readonly refusesPost?: boolean;
  readonly batch?: number;
  readonly index?: 'off' | 'unsupported';
  readonly behind?: number;
  /** Widest range that is searched; wider ones get 504. */
  readonly window?: number;
  /** Number of blocks with state below the newest one; undefined without abci_query. */
  readonly states?: number;
  readonly ignoresHeight?: boolean;
  readonly key?: string;
  readonly requests?: number;
}

const fault = (message: string) => ({ error: { code: -32603, message } });

function bounds(query: string): [number, number] {
  const exact = /block\.height=(\d+)/.exec(query)?.[1];
  const [from, to] = [/>=(\d+)/.exec(query)?.[1], /<=(\d+)/.exec(query)?.[1]];
  return [Number(exact ?? from), Number(exact ?? to)];
}

function answer({ method, params }: Call, abilities: Abilities): object | 504 {
  const { chain = CHAIN, index, behind = 0, window = LATEST, states, ignoresHeight } = abilities;
  const heights = { earliest_block_height: '1', latest_block_height: String(LATEST), latest_block_time: TIME };
  if (method === 'health') return { result: {} };
  if (method === 'status') {
    const other = { tx_index: index === 'off' ? 'off' : 'on' };
    return { result: { node_info: { network: chain, other }, sync_info: heights } };
  }
  if (method.endsWith('_search')) {
    if (index !== undefined) return fault(index === 'off' ? 'indexing is disabled' : 'search is not supported');
    const [from, to] = bounds(params.query!);
    if (to - from >= window) return 504;
    if (method === 'tx_search') return { result: { txs: [], total_count: '0' } };
    const height = Math.min(to, LATEST - behind);
    const blocks = height < from ? [] : [{ block: { header: { height: String(height) } } }];
    return { result: { blocks, total_count: String(blocks.length) } };
  }
  if (method !== 'abci_query' || states === undefined) return fault('method not found');
  const height = ignoresHeight ? LATEST : Number(params.height);
  if (LATEST - height > states) return { result: { response: { code: 38, log: 'failed to load state', height: '0' } } };
  const proofOps = params.prove === undefined ? null : { ops: [{}] };
  return { result: { response: { code: 0, height: String(height), proofOps } } };
}

function callOf(url: string): Call {
  const { pathname, searchParams } = new URL(url, 'http://node');
  const params = Object.fromEntries([...searchParams].map(([name, value]) => [name, value.replace(/^"|"$/g, '')]));
  return { id: -1, method: pathname.slice(1), params };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

function rpcReply(url: string, body: string, abilities: Abilities): Reply {
  const { batch = 20, refusesGet, refusesPost } = abilities;
  if (body === '' ? refusesGet : refusesPost) return { status: 405, body: {} };
  const asked: Call | Call[] = body === '' ? callOf(url) : JSON.parse(body);
  const calls = [asked].flat();
  if (calls.length > batch) return { status: 200, body: { error: { code: -32600, message: 'batch is too large' } } };
  const answers = calls.map((call) => ({ call, told: answer(call, abilities) }));
  if (answers.some(({ told }) => told === 504)) return { status: 504, body: {} };
  const all = answers.map(({ call, told }) => ({ jsonrpc: '2.0', id: call.id, ...(told as object) }));
  return { status: 200, body: Array.isArray(asked) ? all : all[0] };
}

function restReply(url: string, headers: IncomingHttpHeaders, abilities: Abilities): Reply {
  const { chain = CHAIN, states = 0, ignoresHeight } = abilities;
  const header = { chain_id: chain, height: String(LATEST), time: TIME };
  if (url.endsWith('/blocks/latest')) return { status: 200, body: { block: { header } } };
  if (!url.endsWith('/params')) return { status: 501, body: {} };
  const height = ignoresHeight ? LATEST : Number(headers['x-cosmos-block-height']);
  if (LATEST - height > states) return { status: 500, body: { message: 'failed to load state' } };
  return { status: 200, body: { params: {} }, headers: { 'x-cosmos-block-height': String(height) } };
}

async function startNode(t: TestContext, kind: 'rpc' | 'rest' | 'page', abilities: Abilities = {}): Promise<string> {
  const requests = { count: 0 };
  const server = createServer(async (request, response) => {
    const { url, headers, method } = request;
    const body = method === 'POST' ? await text(request) : '';
    requests.count++;
    if (kind === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html>');
    if (abilities.key !== undefined && headers['x-api-key'] !== abilities.key)
      return void response.writeHead(401).end();
    if (requests.count > (abilities.requests ?? Number.POSITIVE_INFINITY)) {
      return void response.writeHead(429, { 'retry-after': '3600' }).end();
    }
    const reply = kind === 'rpc' ? rpcReply(url!, body, abilities) : restReply(url!, headers, abilities);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const check = (url: string, headers = {}) => checkNode(new Endpoint(url, headers), EXPECTED);

test('a node with everything', async (t) => {
  const url = await startNode(t, 'rpc', { states: 150 });
  assert.deepEqual(await check(url), {
    name: new URL(url).host,
    url,
    kind: 'RPC',
    fault: null,
    chain: CHAIN,
    earliest: 1,
    latest: LATEST,
    lag_seconds: 6,
    index: 'on',
    index_behind: 0,
    search_blocks: LATEST,
    states: 100,
    height_honoured: true,
    proofs: true,
    get: true,
    post: true,
    batch: 20,
    limit: 'none at 20',
  } satisfies NodeReport);
});

/** What a node lacks, and the members of its report that say so. */
const LACKS: readonly (readonly [what: string, abilities: Abilities, report: Partial<NodeReport>])[] = [
  ['GET', { refusesGet: true }, { get: false, post: true, batch: 20 }],
  ['POST', { refusesPost: true }, { get: true, post: false, batch: 0 }],
  ['large batches', { batch: 3 }, { batch: 3 }],
  ['batches', { batch: 1 }, { batch: 0, post: true }],
  ['an index', { index: 'off' }, { index: 'off', search_blocks: null, index_behind: null }],
  ['searches', { index: 'unsupported' }, { index: 'cannot search', search_blocks: 0 }],
  ['wide searches', { window: 150 }, { index: 'on', search_blocks: 100 }],
  ['the end of its index', { behind: 9 }, { index: 'on', index_behind: 9 }],
  ['ABCI queries', {}, { states: null, proofs: false, height_honoured: null }],
  ['earlier states', { states: 0 }, { states: 0, height_honoured: null }],
  ['the height of a request', { states: 2_000, ignoresHeight: true }, { states: 0, height_honoured: false }],
  ['the chain', { chain: 'other-1' }, { fault: `it is a node of other-1, not ${CHAIN}` }],
];

for (const [what, abilities, expected] of LACKS) {
  test(`an RPC endpoint that lacks ${what}`, async (t) => {
    const report = await check(await startNode(t, 'rpc', abilities));
    assert.deepEqual({ ...report, ...expected }, report);
  });
}

test('a limit is shown with the number of answers before it', async (t) => {
  const open = await startNode(t, 'rpc');
  const before = await check(open);
  assert.equal(before.limit, 'none at 20');
  const limited = await check(await startNode(t, 'rest', { requests: 14 }));
  assert.match(limited.limit!, /^\d+ of 20: HTTP 429, retry after 3600 s/);
});

test('a REST endpoint, with and without the state that is asked for', async (t) => {
  const good = await check(await startNode(t, 'rest', { states: 20 }));
  const { kind, latest, states, height_honoured, lag_seconds } = good;
  assert.deepEqual([kind, latest, states, height_honoured, lag_seconds], ['REST', LATEST, 10, true, 6]);
  const deaf = await check(await startNode(t, 'rest', { ignoresHeight: true }));
  assert.deepEqual([deaf.states, deaf.height_honoured], [0, false]);
});

test('a web page, a dead address and a missing key are named', async (t) => {
  assert.match((await check(await startNode(t, 'page'))).fault!, /web page/);
  assert.match((await check('http://127.0.0.1:9')).fault!, /ECONNREFUSED|bad port/);
  const keyed = await startNode(t, 'rpc', { key: 'secret' });
  assert.match((await check(keyed)).fault!, /asks for a key/);
  assert.equal((await check(keyed, { '*': { 'x-api-key': 'secret' } })).fault, null);
});

test('the table has a line for each node, and the advice names the two best', async (t) => {
  const reports = await Promise.all([
    startNode(t, 'rpc', { window: 150, states: 20 }).then(check),
    startNode(t, 'rpc', { states: 20 }).then(check),
    startNode(t, 'rpc', { index: 'off' }).then(check),
    startNode(t, 'rest', { states: 20 }).then(check),
    startNode(t, 'page').then(check),
  ]);
  const lines = formatReports(reports).split('\n');
  assert.equal(lines.length, 6);
  assert.match(lines[0]!, /^node +kind +blocks +lag +index +search +states +height +proofs +batch +GET +POST +limit$/);
  assert.match(lines.at(-1)!, /web page/);
  const [narrow, wide, , rest] = reports.map(({ name }) => `http://${name}`);
  const line = `export HUBLEDGER_RPC_URLS=${wide},${narrow} HUBLEDGER_LCD_URLS=${rest}`;
  assert.equal(advice(reports), line);
  assert.match(advice([reports[1]!]), /^Add a second node: with one, rows cannot be proved\.\nexport /);
  assert.match(advice([reports[2]!]), /^No node can search\./);
  assert.match(advice([reports[4]!]), /^No RPC endpoint can be used\. Name other nodes/);
  const { url } = await check(`${wide}/key-in-the-path`);
  assert.equal(url, `${wide}/…`);
});

test('the command checks the given URLs, else those of the variables', async (t) => {
  const [rpc, rest, page] = await Promise.all([startNode(t, 'rpc'), startNode(t, 'rest'), startNode(t, 'page')]);
  const given = await runBeside(['check-nodes', '--json', rpc]);
  assert.deepEqual([given.code, given.error], [0, '']);
  const { nodes } = JSON.parse(given.out);
  assert.deepEqual([nodes.length, nodes[0].name, nodes[0].fault], [1, new URL(rpc).host, null]);
  const configured = await runBeside(['check-nodes'], { HUBLEDGER_RPC_URLS: rpc, HUBLEDGER_LCD_URLS: rest });
  assert.equal(configured.code, 0);
  for (const url of [rpc, rest]) assert.ok(configured.out.includes(`${new URL(url).host}  `), configured.out);
  assert.equal((await runBeside(['check-nodes', page])).code, 1);
  const none = run(['check-nodes']);
  assert.deepEqual([none.code, none.error], [2, 'hubledger: name the URLs of nodes, or set HUBLEDGER_RPC_URLS\n']);
  assert.match(run(['check-nodes', 'rpc.example']).error, /'rpc\.example' is invalid[^\n]*: must be a URL/);
});
