/** `hubledger pull`: the dataset of another server, byte by byte, with faults of the connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileSha256 } from '../../../pipeline/base/disk/atomic-files.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { generationDir, generationId } from '../../../pipeline/publish/generation.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { FaultyServer } from './faulty-server.js';

const chain = new NightCase();
let server: TestServer;
let [older, newer] = ['', ''];

before(async () => {
  older = (await chain.night('older', { until: 520 })).generation;
  cpSync(chain.path('older'), chain.path('source'), { recursive: true });
  newer = (await chain.night('source')).generation;
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('source') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  chain.remove();
});

const current = (dataDir: string) => readFileSync(chain.path(dataDir, 'CURRENT'), 'utf8').trim();
const pull = (dataDir: string, url: string) => chain.command(dataDir, 'pull', url);

async function hashes(folder: string): Promise<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const found = files.filter((file) => statSync(join(folder, file)).isFile());
  return Object.fromEntries(await Promise.all(found.map(async (file) => [file, await fileSha256(join(folder, file))])));
}

/** Requires that a folder has the newer generation with every byte of its source, and that it can be served. */
async function requireSame(dataDir: string): Promise<void> {
  assert.equal(current(dataDir), newer);
  const [pulled, source] = [dataDir, 'source'].map((name) => generationDir(chain.path(name), newer));
  assert.deepEqual(await hashes(pulled!), await hashes(source!));
  const own = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path(dataDir) } });
  try {
    await own.datasets.refresh();
    const { address } = JSON.parse(readFileSync(join(projectRoot(), 'data/sample/example.json'), 'utf8'));
    for (const path of ['/readyz', `/api/tax/v1/events?address=${address}`, '/datasets/cosmoshub/manifest.json']) {
      const [there, here] = await Promise.all([server, own].map(async ({ base }) => (await fetch(base + path)).text()));
      assert.equal(here, there, path);
    }
  } finally {
    await own.close();
  }
}

test('every byte comes along; files that an earlier generation has are linked', async (t) => {
  const between = await FaultyServer.start(server.base, t);
  cpSync(chain.path('older'), chain.path('linked'), { recursive: true });
  assert.equal(current('linked'), older);
  const { code, error } = await pull('linked', between.url);
  assert.deepEqual([code, error], [0, '']);
  await requireSame('linked');
  const asked = between.requests.filter(({ path }) => path.endsWith('.parquet'));
  const { tables } = manifestOf(newer);
  const known = new Set(manifestOf(older).tables.flatMap(({ files }) => files.map(({ sha256 }) => sha256)));
  const unknown = tables.flatMap(({ files }) => files).filter(({ sha256 }) => !known.has(sha256));
  assert.deepEqual(
    asked.map(({ path }) => path.split('/').slice(4).join('/')).sort(),
    unknown.map(({ path }) => path).sort(),
  );
  const all = tables.flatMap(({ files }) => files);
  assert.ok(unknown.length > 0 && unknown.length < all.length);
  assert.match((await pull('linked', between.url)).out, /nothing new: [^"]+ is in force here/);
});

const manifestOf = (generation: string): Manifest =>
  JSON.parse(readFileSync(join(generationDir(chain.path('source'), generation), 'manifest.json'), 'utf8'));

test('busy answers, cut bodies and wrong bytes end in the same files', async (t) => {
  const faulty = await FaultyServer.start(server.base, t);
  const seen = new Map<string, number>();
  faulty.fault = ({ path }) => {
    const times = (seen.get(path) ?? 0) + 1;
    seen.set(path, times);
    if (times === 1) return { status: path.length % 2 === 0 ? 429 : 503 };
    if (!path.endsWith('.parquet')) return undefined;
    if (times === 2) return { cutAt: 100 };
    return times === 3 && path.includes('/priced_events/') ? 'wrong-byte' : undefined;
  };
  const { code, out } = await pull('faulty', faulty.url);
  assert.equal(code, 0, out);
  assert.match(out, /sent wrong bytes of [^"]+priced_events[^"]+; fetching it again/);
  assert.ok(faulty.requests.some(({ range }) => range === 'bytes=100-'));
  await requireSame('faulty');
});

test('a pull never uses up the request limit of its server', async (t) => {
  const limited = await FaultyServer.start(server.base, t);
  limited.quota = 20;
  const { code, out } = await pull('limited', limited.url);
  assert.equal(code, 0, out);
  assert.ok(limited.requests.length > 2 * limited.quota, `${limited.requests.length} requests`);
  assert.equal(limited.refused, 0);
  assert.equal(current('limited'), newer);
});

test('a pull reads a server below a path, and names the address to which another one redirects', async (t) => {
  const proxy = createServer(({ url, headers }, response) => {
    if (!url!.startsWith('/tax/')) {
      response.writeHead(308, { location: `https://tax.example${url}` }).end();
      return;
    }
    const passed = headers.range === undefined ? {} : { range: headers.range };
    void fetch(server.base + url!.slice('/tax'.length), { headers: passed, redirect: 'manual' }).then(
      async (answer) => {
        const location = answer.headers.get('location');
        response
          .writeHead(answer.status, location === null ? {} : { location })
          .end(Buffer.from(await answer.arrayBuffer()));
      },
    );
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const pulled = await pull('below-a-path', `${base}/tax/`);
  assert.equal(pulled.code, 0, pulled.error);
  assert.equal(current('below-a-path'), newer);
  const redirected = await pull('redirected', base);
  assert.equal(redirected.code, 1);
  assert.match(
    redirected.error,
    /^hubledger: http:\S+ redirects to https:\/\/tax\.example\/\S+: use that server's base URL\n$/,
  );
});

test('a byte that stays wrong is never put in force', async (t) => {
  const faulty = await FaultyServer.start(server.base, t);
  faulty.fault = ({ path }) => (/\/transactions\/\d/.test(path) ? 'wrong-byte' : undefined);
  cpSync(chain.path('older'), chain.path('kept'), { recursive: true });
  const { code, error } = await pull('kept', faulty.url);
  assert.equal(code, 1);
  assert.match(error, /^hubledger: http:\S+ sent wrong bytes of \S+transactions\S+: SHA-256 \w+, not \w+\n$/);
  assert.equal(current('kept'), older);
  assert.equal(existsSync(generationDir(chain.path('kept'), newer)), false);
});

test('a killed pull goes on where it ended', async (t) => {
  const faulty = await FaultyServer.start(server.base, t);
  faulty.fault = ({ path }) => (/\/priced_events\/\d/.test(path) ? 'hangs' : undefined);
  const child = chain.start('killed', 'pull', faulty.url);
  const folder = chain.path('killed/generations/.pulling');
  const begun = () => existsSync(folder) && readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isPart = (file: string) => /^priced_events.*\.part$/.test(file) && statSync(join(folder, file)).size > 0;
  const hasPart = () => (begun() || []).some(isPart);
  while (!hasPart()) await wait(20);
  child.kill('SIGKILL');
  await once(child, 'close');
  const complete = (begun() || []).filter((file) => file.endsWith('.parquet'));
  faulty.requests.length = 0;
  faulty.fault = () => undefined;
  assert.equal((await pull('killed', faulty.url)).code, 0);
  await requireSame('killed');
  const paths = faulty.requests.map(({ path }) => path.split('/').slice(4).join('/'));
  assert.deepEqual(
    complete.filter((file) => paths.includes(file)),
    [],
  );
  assert.ok(faulty.requests.some(({ range }) => range?.startsWith('bytes=')));
});

test('an older dataset changes nothing', async (t) => {
  const before = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('older') } });
  t.after(() => before.close());
  await before.datasets.refresh();
  cpSync(chain.path('source'), chain.path('ahead'), { recursive: true });
  const { code, out } = await pull('ahead', before.base);
  assert.deepEqual([code, current('ahead')], [0, newer]);
  assert.match(out, new RegExp(`nothing new: [^"]+ has ${older}, which is older than ${newer}`));
});

test('a manifest that was not published is refused', async (t) => {
  const folder = generationDir(chain.path('source'), newer);
  const file = join(folder, 'manifest.json');
  const text = readFileSync(file, 'utf8');
  cpSync(chain.path('source'), chain.path('other-node'), { recursive: true });
  const changes: [change: (manifest: Manifest) => object, fault: RegExp, dataDir?: string][] = [
    [(manifest) => ({ ...manifest, chain_id: 'osmosis' }), /: h\d+-\w+ is of osmosis, not cosmoshub\n$/],
    [
      (manifest) => ({ ...manifest, node_chain_id: 'other-1', height: manifest.height + 1 }),
      /is of other-1, but \S+ has \S+: check the URL, or use another HUBLEDGER_DATA_DIR\n$/,
      'other-node',
    ],
    [(manifest) => ({ ...manifest, height: 1 }), /the manifest of \S+ is damaged: its content belongs to h1-/],
    [
      (manifest) => ({ ...manifest, schema_version: 99 }),
      /has schema version 99; this program reads version \d+: upgrade/,
    ],
    [outside, /names a file that no generation has: \.\.\/\.\.\/CURRENT/],
  ];
  try {
    for (const [change, fault, dataDir = 'refused'] of changes) {
      const changed = change(JSON.parse(text)) as Manifest;
      const isDamage = changed.height === 1;
      const id = isDamage ? newer : generationId(changed);
      const other = generationDir(chain.path('source'), id);
      if (!isDamage) cpSync(folder, other, { recursive: true });
      writeFileSync(join(other, 'manifest.json'), JSON.stringify({ ...changed, generation: id }));
      const faulty = await FaultyServer.start(server.base, t);
      faulty.latest = id;
      const before = dataDir === 'refused' ? undefined : current(dataDir);
      const { code, error } = await pull(dataDir, faulty.url);
      assert.deepEqual([code, fault.test(error)], [1, true], error);
      if (before === undefined) assert.ok(!existsSync(chain.path(dataDir, 'CURRENT')));
      else assert.equal(current(dataDir), before);
      if (!isDamage) rmSync(other, { recursive: true });
    }
  } finally {
    writeFileSync(file, text);
  }
});

function outside(manifest: Manifest): Manifest {
  const [first, ...others] = manifest.tables;
  const [file, ...files] = first!.files;
  return { ...manifest, tables: [{ ...first!, files: [{ ...file!, path: '../../CURRENT' }, ...files] }, ...others] };
}
