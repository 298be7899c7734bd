/** A published dataset against what the recorded node said of the same wallets at its last block. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { lastVerify } from '../../../pipeline/base/disk/run-records.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { type Check, publishedFolder } from '../../../pipeline/publish/verify/verify.js';
import { verifyAgainstNode } from '../../../pipeline/publish/verify/verify-against-node.js';
import { FOLDED, NightCase } from '../../pipeline/night-case.js';

type Answers = Record<string, unknown>;

/** Which of the recorded answers a path asks for. */
const PATHS: readonly [answer: string, path: RegExp][] = [
  ['balances', /^\/cosmos\/bank\/v1beta1\/balances\/(\w+)$/],
  ['delegations', /^\/cosmos\/staking\/v1beta1\/delegations\/(\w+)$/],
  ['unbonding_delegations', /^\/cosmos\/staking\/v1beta1\/delegators\/(\w+)\/unbonding_delegations$/],
  ['rewards', /^\/cosmos\/distribution\/v1beta1\/delegators\/(\w+)\/rewards$/],
];

const file = join(projectRoot(), `test/holdings/hub-short/state/${FOLDED.last}/wallets.jsonl.gz`);
const recorded = new Map<string, Answers>(
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ address, answers }) => [address, answers]),
);

const chain = new NightCase(FOLDED);
let node: Server;
let url: string;
let alter = (body: string) => body;
/** Trouble of some requests: an HTTP status, with the message of a node that pruned the state. */
let trouble: (n: number) => 429 | 500 | undefined = () => undefined;
let asked = 0;
before(async () => {
  node = createServer((request, response) => {
    const hasState = request.headers['x-cosmos-block-height'] === String(FOLDED.last);
    const refusal = { code: 2, message: 'codespace sdk code 18: invalid request: failed to load state at height' };
    const [answer, path] = PATHS.find(([, pattern]) => pattern.test(request.url!))!;
    const body = recorded.get(path.exec(request.url!)![1]!)?.[answer];
    const status = trouble(++asked);
    if (status === 429) return void response.writeHead(429, { 'retry-after': '0.01' }).end('{}');
    if (status === 500) return void response.writeHead(500).end(JSON.stringify(refusal));
    response.statusCode = hasState ? 200 : 500;
    if (hasState) response.setHeader('grpc-metadata-x-cosmos-block-height', FOLDED.last);
    response.end(hasState ? alter(JSON.stringify(body)) : JSON.stringify(refusal));
  }).listen(0, '127.0.0.1');
  await Promise.all([new Promise((resolve) => node.once('listening', resolve)), chain.published('data')]);
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
after(() => {
  node.close();
  chain.remove();
});

async function sample(size: number, ...urls: string[]): Promise<Check[]> {
  const all: Check[] = [];
  for await (const check of verifyAgainstNode(publishedFolder(chain.path('data')), urls, size)) all.push(check);
  return all;
}
const checks = (...urls: string[]) => sample(20, ...urls);

test('twenty wallets hold what the node says, to the last decimal of their rewards', async () => {
  const [heights, ...lines] = await checks(url);
  assert.deepEqual(heights, { ok: true, text: `node: has the state of heights ${FOLDED.last}` });
  assert.equal(lines.length, 80);
  assert.deepEqual(
    lines.filter(({ ok }) => !ok),
    [],
  );
  assert.match(lines[3]!.text, new RegExp(`^cosmos1\\w+ at ${FOLDED.last}: rewards$`));
});

test('a validator whose founding message spelled it in capitals is the same one', async () => {
  alter = (body) =>
    body.replace(/"validator_address":"(\w+)"/g, (_, address) => `"validator_address":"${address.toUpperCase()}"`);
  const failed = (await checks(url)).filter(({ ok }) => !ok);
  assert.deepEqual(failed, []);
  alter = (body) => body;
});

test('a differing figure is named, and the command says so by its exit code', async () => {
  alter = (body) => body.replace(/"shares":"(\d)/, '"shares":"9$1');
  const failed = (await checks(url)).filter(({ ok }) => !ok);
  assert.ok(failed.length > 10);
  for (const { text } of failed)
    assert.match(text, /: delegations\n {2}cosmosvaloper1\w+: [\d.]+ shares, \d+, the node has 9/);
  chain.variables = { HUBLEDGER_LCD_URLS: url };
  const { code, out } = await chain.command('data', 'verify', '--against-node');
  assert.equal(code, 3);
  assert.match(out, /\nFAIL cosmos1\w+ at \d+: delegations\n/);
  const noted = () => lastVerify.read(chain.path('data'));
  assert.equal(noted()!.outcome, 'differs');
  assert.match(noted()!.error!, /^cosmos1\w+ at \d+: delegations$/);
  alter = (body) => body;
  assert.equal((await chain.command('data', 'verify', '--against-node', '--accounts', '1')).code, 0);
  assert.deepEqual([noted()!.outcome, noted()!.error], ['agrees', null]);
  chain.variables = { HUBLEDGER_LCD_URLS: 'http://127.0.0.1:1' };
  assert.notEqual((await chain.command('data', 'verify', '--against-node')).code, 0);
  assert.equal(noted()!.outcome, 'failed');
  assert.match(noted()!.error!, /^no node answers/);
});

test('a sample is as large as it is asked for, and comes from nodes behind one address that prune and limit requests', async () => {
  asked = 0;
  trouble = (n) => (n === 1 ? undefined : ([429, 500, undefined] as const)[n % 3]);
  const lines = await sample(5, url);
  trouble = () => undefined;
  assert.equal(lines.length, 21);
  assert.ok(lines.every(({ ok }) => ok));
  chain.variables = { HUBLEDGER_LCD_URLS: url };
  const { out } = await chain.command('data', 'verify', '--against-node', '--accounts', '3');
  assert.equal(out.match(/^(ok {2}|FAIL) cosmos1\w+ at \d+: rewards$/gm)?.length, 3);
});

test('an endpoint that fails is passed over, and where none answers it is one line', async () => {
  const dead = 'http://127.0.0.1:1';
  assert.equal((await checks(dead, url)).filter(({ ok }) => !ok).length, 0);
  await assert.rejects(
    () => checks(dead),
    (error) => error instanceof ConfigError && /^no node answers/.test(error.message),
  );
});

test('an endpoint that does not answer as a node does is passed over like one that fails', async (t) => {
  const odd: readonly (readonly [answer: string, reason: RegExp])[] = [
    ['<html>sign in</html>', /a web page, not as a node/],
    ...['{"balances": [', '', 'null'].map((page) => [page, /other than a JSON object/] as const),
    ['{"status": "ok"}', /answers without balances/],
    ['{"balances": "none"}', /balances is "none", not a list/],
    ['{"balances": [null]}', /balances\[0\] is null, not an object/],
    ['{"balances": [{"denom": "uatom", "amount": 5}]}', /balances\[0\]\.amount is 5, not text/],
    ['{"balances": [], "pagination": {"next_key": 7}}', /an invalid page key/],
  ];
  const gatewayOf = async (answer: string) => {
    const gateway = createServer(({ headers }, response) => {
      response.setHeader('x-cosmos-block-height', headers['x-cosmos-block-height']!);
      response.end(answer);
    }).listen(0, '127.0.0.1');
    t.after(() => gateway.close());
    await new Promise((resolve) => gateway.once('listening', resolve));
    return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  };
  const refused = (gateway: string, reason: RegExp) =>
    assert.rejects(
      () => sample(1, gateway),
      (error) => error instanceof ConfigError && /^no node answers /.test(error.message) && reason.test(error.message),
    );
  const tries = odd.map(async ([answer, reason]) => {
    const gateway = await gatewayOf(answer);
    assert.equal((await sample(1, gateway, url)).filter(({ ok }) => !ok).length, 0, answer);
    await refused(gateway, reason);
  });
  const endless = await gatewayOf('{"balances": [], "pagination": {"next_key": "AA=="}}');
  await Promise.all([...tries, refused(endless, /an invalid page key/)]);
});
