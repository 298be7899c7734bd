import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ByteAllowance, NodeFailure } from '../../../pipeline/chain/nodes/ask-node.js';
import { Endpoint } from '../../../pipeline/chain/nodes/endpoint.js';
import type { NodeHeaders } from '../../../pipeline/config.js';

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly text: string;
}

type Answer = (request: IncomingMessage, body: string) => Reply;

const asking = () => ({ timeoutMs: 10_000, allowance: new ByteAllowance(1) });
const RESULT = '{"jsonrpc":"2.0","id":0,"result":{"height":"5"}}';

/** @returns the node's host with port */
async function start(context: TestContext, answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { status = 200, headers, text } = answer(request, body);
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failureOf(context: TestContext, answer: Answer, rest = '', headers?: NodeHeaders): Promise<NodeFailure> {
  const endpoint = new Endpoint(`http://${await start(context, answer)}${rest}`, headers);
  const error = await endpoint.call('status', {}, asking()).then(
    () => undefined,
    (failure) => failure,
  );
  assert.ok(error instanceof NodeFailure);
  return error;
}

test('POST is used if a node refuses GET, with parameters as texts', async (context) => {
  const bodies: string[] = [];
  const host = await start(context, ({ method }, body) => {
    if (method !== 'POST') return { status: 405, text: '{"message":"method not allowed"}' };
    bodies.push(body);
    return { text: RESULT };
  });
  const endpoint = new Endpoint(`http://${host}`);
  const call = { query: "a.b='c'", page: 1, hash: Buffer.of(255) };
  assert.equal((await endpoint.call('tx_search', call, asking())).result, '{"height":"5"}');
  await endpoint.call('abci_query', { data: Buffer.of(255) }, asking());
  assert.deepEqual(
    bodies.map((body) => JSON.parse(body).params),
    [{ query: "a.b='c'", page: '1', hash: '/w==' }, { data: 'FF' }],
  );
});

test('in a URL, texts have quotes, numbers have none, and bytes are hexadecimal', async (context) => {
  const asked: string[] = [];
  const host = await start(context, ({ url }) => {
    asked.push(decodeURIComponent(url!));
    return { text: RESULT };
  });
  await new Endpoint(`http://${host}/path/`).call('tx', { query: 'a', height: 5, hash: Buffer.of(255) }, asking());
  assert.deepEqual(asked, ['/path/tx?query="a"&height=5&hash=0xFF']);
});

test('the ids of a batch may be texts in any order', async (context) => {
  const host = await start(context, () => ({ text: '[{"id":"1","result":"b"},{"id":"0","result":"a"}]' }));
  const answers = await new Endpoint(`http://${host}`).batch([{ method: 'a', params: {} }], asking());
  assert.deepEqual([answers?.get(0)?.result, answers?.get(1)?.result], ['"a"', '"b"']);
});

test('a key is sent in a header, in the query or as user and password, and only to its host', async (context) => {
  const seen: (string | undefined)[][] = [];
  const host = await start(context, ({ url, headers }) => {
    seen.push([url, headers['x-api-key'] as string | undefined, headers.authorization]);
    return { text: RESULT };
  });
  const call = (url: string, headers?: NodeHeaders) =>
    new Endpoint(url, headers).call('block', { height: 5 }, asking());
  await call(`http://${host}`, { '*': { 'x-api-key': 'abc' } });
  await call(`http://${host}`, { [host]: { 'x-api-key': 'abc' }, 'other.example': { authorization: 'Bearer x' } });
  await call(`http://${host}/?api_key=abc`);
  await call(`http://user:secret@${host}`);
  assert.deepEqual(seen, [
    ['/block?height=5', 'abc', undefined],
    ['/block?height=5', 'abc', undefined],
    ['/block?height=5&api_key=abc', undefined, undefined],
    ['/block?height=5', undefined, `Basic ${Buffer.from('user:secret').toString('base64')}`],
  ]);
});

test('a node that asks for a key, or refuses it, says so without the key', async (context) => {
  const unauthorized = () => ({ status: 401, text: '{}' });
  const { message, kind } = await failureOf(context, unauthorized);
  assert.deepEqual([message, kind], ['HTTP 401: it asks for a key (HUBLEDGER_NODE_HEADERS)', 'refused']);
  const refused = await failureOf(context, unauthorized, '', { '*': { 'x-api-key': 'abc' } });
  assert.equal(refused.message, 'HTTP 401: it refuses the key (HUBLEDGER_NODE_HEADERS)');
});

test('403 is a rate limit of a node that has answered before', async (context) => {
  let requests = 0;
  const host = await start(context, () => (++requests === 2 ? { status: 403, text: 'error' } : { text: RESULT }));
  const endpoint = new Endpoint(`http://${host}`);
  await endpoint.call('status', {}, asking());
  const isLimit = (error: unknown) =>
    error instanceof NodeFailure && error.kind === 'limit' && error.retryAfter === 1000;
  await assert.rejects(endpoint.batch([{ method: 'status', params: {} }], asking()), isLimit);
  assert.equal((await failureOf(context, () => ({ status: 403, text: '' }))).kind, 'refused');
});

test('a rate limit in an answer with status 200 is one', async (context) => {
  const text = '{"id":-1,"error":{"code":-32005,"message":"rate limit exceeded"}}';
  assert.equal((await failureOf(context, () => ({ text }))).kind, 'limit');
});

test('a web page is called one, and a redirect is named with its target', async (context) => {
  const page = await failureOf(context, () => ({ text: '\n<!DOCTYPE html><html></html>' }));
  assert.equal(page.message, 'it answers with a web page, not as a node');
  const redirect = () => ({ status: 301, headers: { location: 'https://new.example/rpc/status?a=b' }, text: '' });
  const { message } = await failureOf(context, redirect);
  assert.equal(message, 'HTTP 301: redirects are not followed; it leads to https://new.example/rpc/status');
  const withKey = await failureOf(context, redirect, '/secret-key');
  assert.equal(withKey.message, 'HTTP 301: redirects are not followed; it leads to new.example');
});

test('an address of the other API is recognized', async (context) => {
  const rest = await start(context, ({ url }) =>
    url!.endsWith('/node_info') ? { text: '{"default_node_info":{}}' } : { status: 501, text: '{}' },
  );
  const rpc = await start(context, ({ url }) =>
    url === '/status' ? { text: '{"result":{"node_info":{}}}' } : { status: 404, text: '404 page not found' },
  );
  const [asRpc, asRest] = [new Endpoint(`http://${rest}`), new Endpoint(`http://${rpc}`)];
  assert.match((await asRpc.otherApi('rpc', asking()))!, /REST endpoint: move it to HUBLEDGER_LCD_URLS/);
  assert.match((await asRest.otherApi('rest', asking()))!, /RPC endpoint: move it to HUBLEDGER_RPC_URLS/);
  assert.equal(await asRpc.otherApi('rest', asking()), undefined);
});
