import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { generationId, isUpToDate, readManifest } from '../../../pipeline/publish/generation.js';
import { ensureWalletIndex } from '../../../pipeline/publish/place-wallet-index.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer, WALLETS } from '../harness.js';

const API = '/api/tax/v1';
const FIGURES = [
  `${API}/events?address=${WALLETS.busy}`,
  `${API}/events?address=${WALLETS.busy}&format=csv&type=rewards`,
  `${API}/events?address=${WALLETS.flagged}`,
  `${API}/journal?address=${WALLETS.busy}`,
  `${API}/journal?address=${WALLETS.busy}&format=json&tags={}`,
  `${API}/positions?address=${WALLETS.busy}&date=2026-03-01`,
  `${API}/summary?address=${WALLETS.busy}&year=2026`,
  `${API}/asset-review?address=${WALLETS.flagged}`,
];
/** Paths whose answers stay true: the reviewed data, published prices with the version that made them, and the chain's own state. */
const OTHERS = [
  `${API}/price-series?start=2026-02-01&end=2026-02-02`,
  `${API}/balances?address=${WALLETS.busy}`,
  `${API}/methodology`,
  `${API}/recognition-policy`,
  `${API}/tags`,
  `${API}/openapi.json`,
  '/llms.txt',
  '/healthz',
];

async function serverOf(t: TestContext, manifest: Partial<Manifest> = {}): Promise<TestServer> {
  const server = await startServer({ manifest });
  t.after(() => server.close());
  return server;
}

for (const [name, manifest, words] of [
  ['methodology', { methodology_version: '0.9.0' }, /made under methodology 0\.9\.0, not \d+\.\d+\.\d+;/],
  ['classification', { classifier_version: '0' }, /made under classification 0, not \d+;/],
] as const) {
  test(`a dataset of another ${name} gives no figures of wallets until one of the present is published`, async (t) => {
    const server = await serverOf(t, manifest);
    for (const path of FIGURES) {
      const answer = await server.ask(path);
      const { code, status, detail, retry_after, instance, ...rest } = answer.json();
      assert.deepEqual([answer.status, status, code], [503, 503, 'replay_in_progress'], path);
      assert.match(detail, words);
      assert.equal(answer.headers.get('retry-after'), String(retry_after));
      assert.ok(retry_after >= 60);
      assert.equal(instance, path.replace(/\?.*/, ''));
      assert.deepEqual(Object.keys(rest).sort(), ['error', 'request_id', 'success', 'title', 'type']);
      assert.deepEqual([answer.headers.get('cache-control'), answer.headers.get('etag')], ['no-store', null]);
      const head = await server.ask(path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('retry-after'), head.text], [503, String(retry_after), '']);
    }
    for (const path of OTHERS) assert.equal((await server.ask(path)).status, 200, path);
    assert.equal((await server.ask('/readyz')).json().replay_in_progress, true);

    await server.publish(1001);
    assert.deepEqual((await server.ask('/readyz')).json().replay_in_progress, false);
    for (const path of FIGURES) assert.notEqual((await server.ask(path)).status, 503, path);
  });
}

test('both versions at once are told in one problem, also to a POST', async (t) => {
  const server = await serverOf(t, { methodology_version: '0.9.0', classifier_version: '0' });
  const answer = await server.ask(`${API}/positions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: WALLETS.busy }),
  });
  assert.equal(answer.status, 503);
  assert.match(answer.json().detail, /methodology 0\.9\.0, not \S+ and classification 0, not \S+;/);
});

test('a request that is wrong at any time is told so', async (t) => {
  const server = await serverOf(t, { classifier_version: '0' });
  assert.equal((await server.ask(`${API}/events?address=x`)).json().code, 'bad_request');
});

test('no 304 stands for the refusal, whatever tag the caller has', async (t) => {
  const path = FIGURES[0]!;
  const present = await serverOf(t);
  const etag = (await present.ask(path)).headers.get('etag') ?? '';
  assert.equal((await present.ask(path, { headers: { 'if-none-match': etag } })).status, 304);
  const other = await serverOf(t, { classifier_version: '0' });
  for (const tag of [etag, '*']) {
    assert.equal((await other.ask(path, { headers: { 'if-none-match': tag } })).status, 503);
  }
});

test('whoever serves keeps its own dataset when a newer program has published, and says so once', async (t) => {
  const server = await serverOf(t);
  const height = async () => (await server.ask('/readyz')).json().height;
  await server.publish(1001, { classifier_version: '99' });
  await server.datasets.refresh();
  assert.equal(await height(), 1000);
  assert.equal((await server.ask(FIGURES[0]!)).status, 200);
  assert.equal(server.log.filter(({ generation, level }) => level === 40 && generation).length, 1);
  await server.publish(1002);
  assert.equal(await height(), 1002);
});

/** Puts in the place of the generation in force a copy as a program of another classification would have made it. */
function madeUnderAnother(dataDir: string, generation: string): string {
  const folder = (name: string) => `${dataDir}/generations/${name}`;
  const manifest = { ...readManifest(folder(generation)), classifier_version: '0' };
  const older = generationId(manifest);
  cpSync(folder(generation), folder(older), { recursive: true });
  writeFileSync(`${folder(older)}/manifest.json`, JSON.stringify({ ...manifest, generation: older }));
  writeFileSync(`${dataDir}/CURRENT`, `${older}\n`);
  return older;
}

test('a night takes over a dataset of another version while its server goes on', async (t) => {
  const chain = new NightCase();
  t.after(() => chain.remove());
  const reference = loadReference();
  const dataDir = chain.path('data');
  assert.equal(isUpToDate(dataDir, reference), false);
  const { generation } = await chain.published('data');
  assert.equal(isUpToDate(dataDir, reference), true);
  const older = madeUnderAnother(dataDir, generation);
  assert.equal(isUpToDate(dataDir, reference), false);
  await ensureWalletIndex(dataDir, older, reference);

  const server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: dataDir } });
  t.after(() => server.close());
  assert.equal((await server.ask('/readyz')).json().generation, older);
  const [price, figure] = [OTHERS[0]!, FIGURES[0]!];
  const before = (await server.ask(price)).text;
  assert.equal((await server.ask(figure)).status, 503);
  await chain.night('data');
  assert.equal(readFileSync(`${dataDir}/CURRENT`, 'utf8'), `${generation}\n`);
  await server.datasets.refresh();
  assert.equal((await server.ask(figure)).status, 200);
  assert.equal((await server.ask(price)).text, before);
});

test('tables of another form are not read', async (t) => {
  const server = await serverOf(t);
  await server.publish(1001, { schema_version: 99 });
  assert.equal((await server.ask('/readyz')).json().height, 1000);
  assert.match(JSON.stringify(server.log), /schema version 99; this program reads version \d+/);
});

test('the document tells of it exactly where it can happen', async (t) => {
  const server = await serverOf(t);
  const { paths } = (await server.ask(`${API}/openapi.json`)).json();
  for (const { path, replayed = false } of endpoints) {
    const codes = JSON.stringify(paths[path].get.responses['503']);
    assert.equal(codes.includes('replay_in_progress'), replayed, path);
  }
});
