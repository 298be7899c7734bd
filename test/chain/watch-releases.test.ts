/** The watcher against servers that answer as GitHub and a node do. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import { watchReleases } from '../../pipeline/chain/watch-releases.js';
import { loadReference } from '../../pipeline/reference.js';
import { DAMAGES } from '../damage.js';
import { temporaryFolder } from './sample.js';

const reference = loadReference();

type Reply = { status?: number; headers?: Record<string, string>; body: unknown } | undefined;
let answers: Record<string, Reply>;
let asked: string[];
/** Answers that said so, which GitHub charges to no quota. */
let notModified: number;
let server: Server;
let base: string;
before(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const {
      status = 200,
      headers = {},
      body,
    } = answers[request.url!.split('?per_page')[0]!] ?? {
      status: 404,
      body: { message: 'Not Found' },
    };
    if (headers.etag && request.headers['if-none-match'] === headers.etag) {
      notModified++;
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const release = (tag_name: string, day: string, more: object = {}) => ({
  tag_name,
  draft: false,
  prerelease: false,
  published_at: `${day}T10:00:00Z`,
  ...more,
});
const RELEASES = '/repos/cosmos/gaia/releases';
const goMod = (ref: string) => `/repos/cosmos/gaia/contents/go.mod?ref=${ref}`;
const NODE = '/cosmos/base/tendermint/v1beta1';
const header = (height: number, time: string) => ({ body: { block: { header: { height: String(height), time } } } });

beforeEach(() => {
  asked = [];
  notModified = 0;
  answers = {
    [RELEASES]: {
      body: [
        release('v28.0.0', '2026-08-21'),
        release('v29.1.0', '2026-11-18'),
        release('v30.0.0-rc0', '2026-11-19', { prerelease: true }),
        release('v31.0.0', '2026-11-19', { draft: true }),
        release('nightly', '2026-11-19'),
        release('v29.0.0', '2026-11-01'),
      ],
    },
    [goMod('v29.1.0')]: {
      body: 'require github.com/cosmos/cosmos-sdk v0.53.9\nreplace github.com/cosmos/cosmos-sdk => github.com/cosmos/cosmos-sdk v0.53.8\n',
    },
    [goMod('v29.0.0')]: { body: 'require github.com/cosmos/cosmos-sdk v0.53.8\n' },
    [`${NODE}/node_info`]: { body: { application_version: { version: '28.0.0', cosmos_sdk_version: 'v0.53.4' } } },
    '/cosmos/upgrade/v1beta1/current_plan': {
      body: { plan: { name: 'v29.0.0', time: '0001-01-01T00:00:00Z', height: '1002000', info: 'lab' } },
    },
    [`${NODE}/blocks/latest`]: header(1_000_000, '2026-11-20T00:00:00.5Z'),
    [`${NODE}/blocks/990000`]: header(990_000, '2026-11-19T08:20:00.5Z'),
  };
});

const run = (dataDir: string, now = '2026-11-20T12:00:00Z', more: { githubApiUrl?: string; lcdUrls?: string[] } = {}) =>
  watchReleases(
    {
      dataDir,
      githubApiUrl: base,
      githubToken: undefined,
      lcdUrls: [base],
      nodeHeaders: {},
      now: () => new Date(now),
      ...more,
    },
    reference,
  );
const folder = (context: TestContext) => temporaryFolder(context);

test('the newest release that is one, its SDK after replace, the node and the coming upgrade', async (context) => {
  const watch = await run(folder(context));
  assert.deepEqual(watch, {
    checked_at: '2026-11-20T12:00:00Z',
    node_version: 'v28.0.0',
    cosmos_sdk: 'v0.53.4',
    newest_release: 'v29.1.0',
    // 2,000 blocks at 5.64 s, the pace of the last 10,000
    pending_upgrade: { name: 'v29.0.0', height: 1_002_000, estimated_time: '2026-11-20T03:08:00Z' },
    height: 1_000_000,
    error: null,
    succeeded_at: '2026-11-20T12:00:00Z',
    upstream: [
      { version: 'v29.1.0', date: '2026-11-18', cosmos_sdk: 'v0.53.8' },
      { version: 'v29.0.0', date: '2026-11-01', cosmos_sdk: 'v0.53.8' },
      { version: 'v28.0.0', date: '2026-08-21', cosmos_sdk: 'v0.53.4' },
    ],
  });
});

test('go.mod is asked for once a release, and not for reviewed ones', async (context) => {
  const dataDir = folder(context);
  const asks = () => asked.filter((url) => url.includes('go.mod'));
  await run(dataDir);
  assert.deepEqual(asks().sort(), [goMod('v29.0.0'), goMod('v29.1.0')]);
  asked = [];
  await run(dataDir);
  assert.deepEqual(asks(), []);
});

test('a list that GitHub knows to be unchanged is not sent again; a changed one is', async (context) => {
  const dataDir = folder(context);
  const list = answers[RELEASES]!;
  answers[RELEASES] = { ...list, headers: { etag: 'W/"one"' } };
  const first = await run(dataDir);
  assert.deepEqual([first.upstream_etag, notModified], ['W/"one"', 0]);
  const second = await run(dataDir, '2026-11-21T12:00:00Z');
  assert.deepEqual(second, { ...first, checked_at: '2026-11-21T12:00:00Z', succeeded_at: '2026-11-21T12:00:00Z' });
  assert.equal(notModified, 1);
  answers[RELEASES] = { status: 502, body: '' };
  assert.equal((await run(dataDir)).upstream_etag, 'W/"one"', 'what was known stays');
  const newer = [release('v28.1.0', '2026-11-20'), ...(list.body as object[])];
  answers[RELEASES] = { body: newer, headers: { etag: 'W/"two"' } };
  answers[goMod('v28.1.0')] = { body: 'require github.com/cosmos/cosmos-sdk v0.53.5\n' };
  const third = await run(dataDir);
  assert.deepEqual([third.upstream_etag, third.upstream.length, notModified], ['W/"two"', 4, 1]);
});

test('what the run before left is made again when it is damaged', async (context) => {
  const dataDir = folder(context);
  const found = await run(dataDir);
  for (const damage of Object.values(DAMAGES)) {
    damage(join(dataDir, 'releases.json'));
    const { upstream, error } = await run(dataDir);
    if (damage !== DAMAGES.flipped) assert.deepEqual([upstream, error], [found.upstream, null]);
    writeFileSync(join(dataDir, 'releases.json'), JSON.stringify(found));
  }
});

test('GitHub out of reach, limiting or talking nonsense: what was known stays, and the run is no success', async (context) => {
  const dataDir = folder(context);
  const { upstream } = await run(dataDir);
  const limited = {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795176000' },
    body: {},
  };
  const cases: [Reply, RegExp][] = [
    [limited, /^GitHub: too many requests until 2026-11-20T12:00:00\.000Z$/],
    [{ status: 502, body: 'bad gateway' }, /^GitHub: answers 502$/],
    [{ body: { message: 'hello' } }, /^GitHub: the answer is not a list of releases$/],
    [
      { body: [{ tag_name: 'v29.0.0', draft: false, prerelease: false }] },
      /^GitHub: v29\.0\.0 has no publication date/,
    ],
  ];
  for (const [reply, message] of cases) {
    answers[RELEASES] = reply;
    const watch = await run(dataDir, '2026-11-21T12:00:00Z');
    assert.match(watch.error ?? '', message);
    assert.deepEqual([watch.upstream, watch.newest_release], [upstream, 'v29.1.0']);
    assert.deepEqual([watch.checked_at, watch.succeeded_at], ['2026-11-21T12:00:00Z', '2026-11-20T12:00:00Z']);
    assert.equal(watch.node_version, 'v28.0.0');
  }
  const away = await run(dataDir, '2026-11-21T12:00:00Z', { githubApiUrl: 'http://127.0.0.1:9' });
  assert.match(away.error ?? '', /^GitHub: /);
});

test('a node that is silent or has passed its plan; without a node only GitHub is asked', async (context) => {
  const dataDir = folder(context);
  await run(dataDir);
  answers[`${NODE}/node_info`] = { status: 500, body: '' };
  const silent = await run(dataDir, '2026-11-21T12:00:00Z');
  assert.match(silent.error ?? '', /^node: 127\.0\.0\.1:\d+: answers 500$/);
  assert.deepEqual([silent.node_version, silent.pending_upgrade?.name], ['v28.0.0', 'v29.0.0']);
  answers[`${NODE}/node_info`] = {
    body: { application_version: { version: 'v29.0.0', cosmos_sdk_version: 'v0.53.8' } },
  };
  answers[`${NODE}/blocks/latest`] = header(1_002_000, '2026-11-20T03:08:00Z');
  const passed = await run(dataDir, '2026-11-21T12:00:00Z');
  assert.deepEqual([passed.error, passed.node_version, passed.pending_upgrade], [null, 'v29.0.0', null]);
  const alone = await run(folder(context), '2026-11-21T12:00:00Z', { lcdUrls: [] });
  assert.deepEqual([alone.error, alone.node_version, alone.newest_release], [null, null, 'v29.1.0']);
});

test('a pace that is not known gives no estimate', async (context) => {
  answers[`${NODE}/blocks/990000`] = undefined;
  assert.equal((await run(folder(context))).pending_upgrade?.estimated_time, null);
});

const SDK = 'github.com/cosmos/cosmos-sdk';
const goModOf = (...replaces: string[]) => `module github.com/cosmos/gaia/v28

go 1.25.0

require (
	cosmossdk.io/x/tx v0.14.0
	github.com/cosmos/cosmos-sdk v0.53.6 // the one that others require
	github.com/cosmos/cosmos-sdk/tools v1.0.0
)

exclude (
	github.com/cosmos/cosmos-sdk v0.1.0
)
${replaces.join('\n')}
`;

/** Returns the SDK version that the watcher finds in a go.mod; '' if none. */
async function sdkOf(context: TestContext, body: string): Promise<string> {
  answers[goMod('v29.1.0')] = { body };
  return (await run(folder(context))).upstream[0]!.cosmos_sdk;
}

test('required, and replaced: by another version, for one version only, by a fork', async (context) => {
  const cases: [expected: string, ...replaces: string[]][] = [
    ['v0.53.6'],
    ['v0.53.4', `replace ${SDK} => ${SDK} v0.53.4`],
    ['v0.53.4', 'replace (', `\t// pinned`, `\t${SDK} => ${SDK} v0.53.4 // see the issue`, ')'],
    ['v0.53.4', `replace ${SDK} v0.53.6 => ${SDK} v0.53.4`],
    ['v0.53.6', `replace ${SDK} v0.53.5 => ${SDK} v0.53.4`],
    ['v0.50.11-lsm', `replace ${SDK} => github.com/cosmos/fork v0.50.11-lsm`],
    ['v0.53.6', `replace ${SDK}/tools => ${SDK}/tools v9.9.9`],
    ['', `replace ${SDK} => ../cosmos-sdk`],
    ['v0.53.6', `// replace ${SDK} => ${SDK} v0.1.0`],
  ];
  for (const [expected, ...replaces] of cases) {
    assert.equal(await sdkOf(context, goModOf(...replaces)), expected, replaces.join(' '));
  }
});

test('a single require, CRLF, and a module that is not there', async (context) => {
  assert.equal(await sdkOf(context, `require ${SDK} v0.45.1\r\nreplace a => b v1\r\n`), 'v0.45.1');
  assert.equal(await sdkOf(context, 'require github.com/other v0.1.0'), '');
  assert.equal(await sdkOf(context, `replace ${SDK} => ${SDK} v0.53.4`), '');
});
