/** The contract API from outside, against what a node of a recorded chain said. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RECORDED, smart, TestNode, TOKEN } from '../../contracts/node.js';
import { requireFaults, startServer, type TestServer } from '../../harness.js';

let node: TestNode;
let server: TestServer;
before(async () => {
  node = await TestNode.start();
  server = await startServer({ environment: { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: [node.url] }) } });
});
after(async () => {
  await server.close();
  node.stop();
});

const path = '/api/v1/query';
const queryOf = (values: Record<string, string>) => new URLSearchParams(values).toString();
const ask = (query: string, more: Record<string, string> = {}, init: RequestInit = {}) =>
  server.ask(`${path}?${queryOf({ network: 'mainnet', contract: TOKEN, query, ...more })}`, init);
const post = (body: string) =>
  server.ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

/** The path at which a caller finds the recorded answer of a path of the node. */
function pathHere(recorded: string): string {
  const [, address, message] = /^\/cosmwasm\/wasm\/v1\/contract\/(\w+)(?:\/smart\/(.+))?$/.exec(recorded) ?? [];
  if (message) {
    const query = Buffer.from(decodeURIComponent(message), 'base64').toString();
    return `${path}?${queryOf({ network: 'mainnet', contract: address!, query })}`;
  }
  if (address) return `/api/v1/contract/${address}?network=mainnet`;
  const page = new URLSearchParams(recorded.split('?')[1]);
  const wanted = [...page].map(([name, value]) => [name.replace('.key', '_key').replace('pagination.', ''), value]);
  return `/api/v1/codes?${queryOf({ network: 'mainnet', ...Object.fromEntries(wanted) })}`;
}

test('recorded answers come through as they are, with the height that answered', async () => {
  const good = RECORDED.filter(({ status }) => status === 200);
  assert.ok(good.length > 15);
  for (const { path: recorded, body } of good) {
    const answer = await server.ask(pathHere(recorded));
    assert.equal(answer.status, 200, `${recorded}: ${answer.text}`);
    assert.equal(answer.text, JSON.stringify(body));
    assert.equal(answer.headers.get('x-block-height'), '4398');
  }
});

test('recorded refusals become problems', async () => {
  const refused = RECORDED.filter(({ status }) => status !== 200).map(async ({ path: recorded, body }) => {
    const answer = await server.ask(pathHere(recorded));
    const { code, detail, errors = [] } = answer.json();
    const { message } = body as { message: string };
    const faults = errors.map((error: { path: string }) => error.path);
    if (/query wasm contract failed/.test(message)) {
      assert.deepEqual([code, errors], ['validation_failed', [{ path: 'query', message: detail }]]);
      assert.equal(`${detail}: query wasm contract failed`, message);
    } else if (/no such contract/.test(message)) assert.deepEqual([answer.status, code], [404, 'not_found']);
    else assert.deepEqual([code, faults], ['bad_request', [/bech32/.test(message) ? 'contract' : 'query']], message);
  });
  assert.ok(refused.length > 5);
  await Promise.all(refused);
});

test('what is wrong with the node is no fault of the request', async (t) => {
  const own = await TestNode.start(t);
  const environment = { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: [own.url], testnet: ['http://127.0.0.1:9'] }) };
  const beside = await startServer({ environment });
  t.after(() => beside.close());
  const asked = (query: string, network = 'mainnet') =>
    beside.ask(`${path}?${queryOf({ network, contract: TOKEN, query })}`);
  assert.equal((await asked('{"token_info":{}}')).status, 200);
  own.sick = (_request, response) => void response.writeHead(200).end('{"data":');
  const broken = await asked('{"a":2}');
  assert.deepEqual([broken.status, broken.json().code], [502, 'upstream_error']);
  const gone = await asked('{"a":3}', 'testnet');
  assert.deepEqual([gone.status, gone.json().code], [503, 'unavailable']);
  assert.ok(Number(gone.headers.get('retry-after')) >= 1);
});

test('digits beyond those of a JavaScript number stay, on the way there and back', async () => {
  const message = '{"at":123456789012345678901234567890,"x":1.10}';
  const answer =
    '{"data": {"amount":340282366920938463463374607431768211455,"rate":0.10000000000000000555, "e":1E400}}';
  node.say(message, answer);
  assert.equal((await ask(message)).text, answer);
  const posted = await post(`{"network":"mainnet","contract":"${TOKEN}","\\u0071uery":${message}}`);
  assert.equal(posted.text, answer);
  assert.equal(posted.headers.get('cache-control'), 'private, no-store');
});

test('white space between words makes no other question', async () => {
  const message = String.raw`{"say":{"words":" a \" b ","of":["c d",{}]}}`;
  node.say(message, '{"data":1}');
  const spaced = ' { "say" :\t{"words": " a \\" b ",\n "of" : [ "c d", { } ] } } ';
  assert.equal((await ask(message)).status, 200);
  const count = node.asked.length;
  assert.equal((await ask(spaced)).text, '{"data":1}');
  assert.equal((await post(`{"network":"mainnet","contract":"${TOKEN}","query":${spaced}}`)).text, '{"data":1}');
  assert.equal(node.asked.length, count);
});

test('a message goes out in an alphabet without slashes', async () => {
  const message = '{"a":"???>>>"}';
  const encoded = Buffer.from(message).toString('base64').replaceAll('/', '_').replaceAll('+', '-');
  node.answers.set(smart(TOKEN, '').replace(/$/, encodeURIComponent(encoded)), { status: 200, text: '{"data":1}' });
  assert.match(Buffer.from(message).toString('base64'), /[/+]/);
  assert.equal((await ask(message)).text, '{"data":1}');
});

test('what is wrong with a request is told by its name, and no node hears of it', async () => {
  const before = node.asked.length;
  const wrong: [Record<string, string>, string][] = [
    [{ network: 'nonesuch' }, 'network'],
    [{ network: '' }, 'network'],
    [{ contract: `${TOKEN.slice(0, -1)}q` }, 'contract'],
    [{ contract: 'juno1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnqtr4sy' }, 'contract'],
    [{ contract: '../../x' }, 'contract'],
    [{ query: '{' }, 'query'],
    [{ query: '[]' }, 'query'],
    [{ query: '1' }, 'query'],
    [{ height: '0' }, 'height'],
    [{ height: '-1' }, 'height'],
  ];
  for (const [values, name] of wrong) {
    requireFaults(await ask('{"token_info":{}}', values), 400, [name], values);
  }
  const bodies: [object, string][] = [
    [{ network: 'mainnet', contract: TOKEN, query: '{"token_info":{}}' }, 'query'],
    [{ network: 'mainnet', contract: TOKEN, query: null }, 'query'],
    [{ network: 'mainnet', contract: TOKEN, query: { a: 'x'.repeat(65_536) } }, 'query'],
    [{ network: 'other', contract: TOKEN, query: {} }, 'network'],
    [{ network: 'mainnet', contract: 7, query: {} }, 'contract'],
    [{ network: 'mainnet', contract: TOKEN, query: {}, height: 1.5 }, 'height'],
  ];
  for (const [body, name] of bodies) {
    requireFaults(await post(JSON.stringify(body)), 422, [name]);
  }
  for (const limit of ['0', '1001', 'x', '1e2']) {
    assert.equal((await server.ask(`/api/v1/codes?network=mainnet&limit=${limit}`)).json().errors[0].path, 'limit');
  }
  assert.equal((await post('{')).status, 400);
  assert.equal((await server.ask(`${path}?network=mainnet&query=${'x'.repeat(65_536)}`)).status, 400);
  assert.equal(node.asked.length, before);
});

test('an answer is asked for again when a later block is seen, and an ETag says whether it changed', async () => {
  const message = '{"changing":{}}';
  node.say(message, '{"data":1}');
  const count = () => node.asked.filter((asked) => asked === smart(TOKEN, message)).length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(message)));
  assert.ok(answers.every(({ text }) => text === '{"data":1}'));
  assert.equal(count(), 1);
  const etag = answers[0]!.headers.get('etag')!;
  assert.match(etag, /^W\/"4398\./);
  assert.equal(answers[0]!.headers.get('cache-control'), 'public, no-cache');
  const same = await ask(message, {}, { headers: { 'if-none-match': etag } });
  assert.deepEqual([same.status, same.text, same.headers.get('x-block-height')], [304, '', '4398']);
  node.height++;
  node.say(message, '{"data":2}');
  // Any answer of the node shows the new height.
  node.say('{"other":{}}', '{"data":0}');
  assert.equal((await ask('{"other":{}}')).headers.get('x-block-height'), '4399');
  const later = await ask(message, {}, { headers: { 'if-none-match': etag } });
  assert.deepEqual([later.status, later.text, count()], [200, '{"data":2}', 2]);
});

test('a height is passed on, and its answer may be kept by anybody', async () => {
  const answer = await ask('{"token_info":{}}', { height: '4000' });
  assert.deepEqual([answer.status, answer.headers.get('x-block-height')], [200, '4000'], answer.text);
  assert.equal(node.headers.at(-1)!['x-cosmos-block-height'], '4000');
  assert.match(answer.headers.get('cache-control')!, /max-age/);
  node.say(
    '{"future":{}}',
    '{"code":2,"message":"codespace sdk code 26: invalid height: cannot query with height in the future; please provide a valid height","details":[]}',
    500,
  );
  const future = await ask('{"future":{}}', { height: '999999' });
  assert.deepEqual([future.status, future.json().errors[0].path], [400, 'height'], future.text);
  node.say(
    '{"pruned":{}}',
    '{"code":2,"message":"codespace sdk code 18: invalid request: failed to load state at height 5; version does not exist (latest height: 4398)","details":[]}',
    500,
  );
  assert.equal((await ask('{"pruned":{}}', { height: '5' })).json().code, 'not_found');
});

test('HEAD, preflight, methods and the quota are those of the platform', async () => {
  const head = await ask('{"token_info":{}}', {}, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.ok(Number(head.headers.get('content-length')) > 50);
  assert.equal(head.headers.get('access-control-allow-origin'), '*');
  assert.match(head.headers.get('access-control-expose-headers')!, /X-Block-Height/);
  const preflight = await server.ask(path, {
    method: 'OPTIONS',
    headers: { origin: 'https://dapp.example', 'access-control-request-method': 'POST' },
  });
  assert.deepEqual(
    [preflight.status, preflight.headers.get('access-control-allow-methods')],
    [204, 'GET, HEAD, OPTIONS, POST'],
  );
  const deleted = await server.ask(path, { method: 'DELETE' });
  assert.deepEqual([deleted.status, deleted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS, POST']);
  const limited = await startServer({
    environment: { HUBLEDGER_RATE_LIMIT: '60', HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: [node.url] }) },
  });
  try {
    const answer = await limited.ask(`/api/v1/contract/${TOKEN}?network=mainnet`);
    assert.equal(answer.headers.get('ratelimit-policy'), '"contract";q=120;w=60');
  } finally {
    await limited.close();
  }
});

test('llms.txt shows requests that are answered', async () => {
  const { text } = await server.ask('/llms.txt');
  const examples = [...text.matchAll(/^Example: https:\/\/tax\.example(\/api\/v1\/\S+)$/gm)].map(([, one]) => one!);
  assert.equal(examples.length, 4);
  for (const example of examples) assert.equal((await server.ask(example)).status, 200, example);
});
