/** The published dataset by URL: its manifest, pages, and files with ranges, as readers of Parquet ask for them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { withAddress } from '../../../../pipeline/publish/catalog/catalog-files.js';
import type { Manifest } from '../../../../schemas/types.generated.js';
import { NightCase } from '../../../pipeline/night-case.js';
import { programs } from '../../../requirements.js';
import { becomes } from '../../../until.js';
import { startServer, type TestServer } from '../../harness.js';

const ROOT = '/datasets/cosmoshub';
const chain = new NightCase();
let server: TestServer;
let older: string;
let manifest: Manifest;

before(async () => {
  older = (await chain.night('data', { until: 520 })).generation;
  await chain.night('data');
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
  manifest = JSON.parse((await ask('manifest.json')).text);
});
after(async () => {
  await server.close();
  chain.remove();
});

const filesOf = (table: string) => manifest.tables.find(({ name }) => name === table)!.files;
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.base}${ROOT}${path === '' ? '' : `/${path}`}`, { headers, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const bytes = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.base}${ROOT}/${path}`, { headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
};
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test('the manifest names every file by a path below itself, and its hash', async () => {
  for (const { files } of manifest.tables) {
    for (const file of files) {
      const { status, body, headers } = await bytes(file.path);
      assert.deepEqual([status, body.length, sha256(body)], [200, file.bytes, file.sha256], file.path);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
  }
});

test('a manifest in a generation is that of the night, and latest leads to it', async () => {
  const { generation } = manifest;
  for (const [path, place] of [
    ['latest', 'manifest.json'],
    ['latest/manifest.json', 'manifest.json'],
    ['latest/blocks/2026-03.parquet', 'blocks/2026-03.parquet'],
  ]) {
    const response = await fetch(`${server.base}${ROOT}/${path}`, { redirect: 'manual' });
    assert.equal(response.status, 307, path);
    assert.equal(response.headers.get('location'), `${ROOT}/${generation}/${place}`);
  }
  const { body } = await bytes(`${generation}/manifest.json`);
  assert.deepEqual(body, readFileSync(chain.path('data/generations', generation, 'manifest.json')));
  assert.equal((await ask(`${older}/manifest.json`)).status, 200, 'an older one that is kept');
});

test('parts of a file, with If-Range and If-None-Match', async () => {
  const { path } = filesOf('priced_events')[0]!;
  const whole = await bytes(path);
  const etag = whole.headers.get('etag')!;
  assert.match(etag, /^"[0-9a-f]{32}"$/, 'a strong one');
  const { length } = whole.body;
  for (const [range, start, end] of [
    ['bytes=0-3', 0, 4],
    ['bytes=-8', length - 8, length],
    [`bytes=-${length * 2}`, 0, length],
    ['bytes=100-', 100, length],
    ['bytes=9-9', 9, 10],
    [`bytes=2-${length * 2}`, 2, length],
    ['Bytes=0-0', 0, 1],
  ] as const) {
    const part = await bytes(path, { Range: range });
    assert.deepEqual([part.status, part.body], [206, whole.body.subarray(start, end)], range);
    assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${length}`);
    assert.equal(part.headers.get('content-encoding'), null);
    assert.equal((await bytes(path, { Range: range, 'If-Range': etag })).status, 206);
    assert.equal((await bytes(path, { Range: range, 'If-Range': '"other"' })).status, 200);
  }
  for (const range of ['', 'bytes', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=0-3', 'bytes=a-b', 'bytes= 0-3']) {
    assert.equal((await bytes(path, { Range: range })).status, 200, range);
  }
  for (const range of ['bytes=99999999999999999999-', 'bytes=-0']) {
    assert.equal((await bytes(path, { Range: range })).status, 416, range);
  }
  const beyond = await bytes(path, { Range: `bytes=${length}-` });
  assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${length}`]);
  assert.equal(beyond.headers.get('cache-control'), 'no-store');
  assert.equal(JSON.parse(beyond.body.toString()).code, 'range_not_satisfiable');
  for (const headers of [{}, { Range: `bytes=${length}-` }]) {
    assert.equal((await ask(path, { 'If-None-Match': etag, ...headers })).status, 304);
  }
  const head = await ask(path, {}, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, String(length), '']);
});

test('the manifest in force has a strong ETag for each coding, and parts', async () => {
  const whole = await bytes('manifest.json', { 'Accept-Encoding': 'identity' });
  const etag = whole.headers.get('etag')!;
  assert.match(etag, /^"[0-9a-f]{32}"$/, 'a strong one');
  const part = await bytes('manifest.json', { Range: 'bytes=2-9', 'If-Range': etag, 'Accept-Encoding': 'gzip' });
  assert.deepEqual([part.status, part.body], [206, whole.body.subarray(2, 10)]);
  assert.equal(part.headers.get('content-range'), `bytes 2-9/${whole.body.length}`);
  const packed = await ask('manifest.json', { 'Accept-Encoding': 'gzip' });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  assert.equal(packed.text, whole.body.toString());
  const other = packed.headers.get('etag')!;
  assert.notEqual(other, etag);
  assert.equal((await ask('manifest.json', { 'Accept-Encoding': 'gzip', 'If-None-Match': other })).status, 304);
  assert.equal(packed.headers.get('cache-control'), 'public, no-cache');
});

test('paths that name no file of a generation', async () => {
  const { generation } = manifest;
  for (const path of [
    'nothing',
    `${generation}/nothing.parquet`,
    `${generation}/blocks/1999-01.parquet`,
    `${generation}/blocks`,
    `${generation}/../${generation}/manifest.json`,
    `${generation}/blocks/../manifest.json`,
    `${generation}/blocks/%2e%2e/manifest.json`,
    `${generation}/..%2f..%2fCURRENT`,
    `${generation}/%00`,
    `${generation}/blocks/%252e%252e/manifest.json`,
    `${generation}/blocks\\..\\manifest.json`,
    `${generation}//etc/passwd`,
    `${generation}/blocks/_delta_log/../../manifest.json`,
    `${generation}/blocks/_earlier/`,
    '%2e%2e/CURRENT',
    'latest/../../CURRENT',
    'h1-000000000000/manifest.json',
    '../CURRENT',
    'blocks/2026-02.parquet',
    '',
  ]) {
    const answer = await server.raw(`GET ${ROOT}/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 404 [\s\S]*"code":"route_not_found"/, path);
  }
  assert.equal((await ask('../osmosis/manifest.json')).status, 404);
  const { status, headers } = await ask('manifest.json', {}, 'DELETE');
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
});

test('pages of other origins may read parts', async () => {
  const { headers } = await ask(filesOf('blocks')[0]!.path, { Origin: 'https://notebook.example' });
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('access-control-expose-headers')!, /Accept-Ranges, Content-Length, Content-Range$/);
  const asked = { Origin: 'https://notebook.example', 'Access-Control-Request-Method': 'GET' };
  const preflight = await ask(filesOf('blocks')[0]!.path, asked, 'OPTIONS');
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers')!, /, Range, If-Range$/);
});

/** Number of files below the data folder's generations that this process has open (Linux). */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(chain.path('data/generations'));
    } catch {
      return false; // closed in the meantime
    }
  }).length;

test('a file is closed after HEAD, 304, a range, a refused range, and when the client disconnects', async () => {
  const path = `${older}/priced_events/2026-02_47.parquet`;
  writeFileSync(chain.path('data/generations', path), randomBytes(16_000_000)); // more than sockets can hold
  const etag = (await ask(path, {}, 'HEAD')).headers.get('etag')!;
  assert.equal((await ask(path, { 'if-none-match': etag })).status, 304);
  assert.equal((await ask(path, { range: 'bytes=16000000-' })).status, 416);
  assert.equal((await bytes(path, { range: 'bytes=5-9' })).body.length, 5);
  for (let i = 0; i < 30; i++) {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    const range = i % 2 ? 'Range: bytes=100-\r\n' : '';
    socket.write(`GET ${ROOT}/${path} HTTP/1.1\r\nHost: x\r\n${range}\r\n`);
    if (i % 3) {
      await once(socket, 'data'); // every third client leaves before the answer
      assert.ok(openFiles() > 0);
    }
    socket.destroy();
  }
  await becomes(openFiles, 0);
});

test('the catalog has the addresses of this server, for the current generation and for each other one', async () => {
  const { generation } = manifest;
  const sealed = await bytes(`${generation}/catalog.duckdb`);
  assert.equal(sha256(sealed.body), manifest.catalog!.sha256);
  const fetched = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.base}/datasets/${path}`, { headers });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  };
  const current = await fetched('catalog.duckdb');
  assert.equal(current.headers.get('cache-control'), 'public, no-cache');
  const fixed = await fetched(`${generation}/catalog.duckdb`);
  assert.equal(fixed.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.ok(fixed.body.equals(current.body));
  assert.equal(fixed.headers.get('etag'), current.headers.get('etag'));
  assert.ok(current.body.equals(withAddress(sealed.body, `https://tax.example${ROOT}/${generation}/`)));
  const part = await fetched('catalog.duckdb', { range: 'bytes=8-11' });
  assert.deepEqual(
    [part.status, part.body.toString(), part.headers.get('content-range')],
    [206, 'DUCK', `bytes 8-11/${sealed.body.length}`],
  );
  const again = await fetched('catalog.duckdb', { 'if-none-match': current.headers.get('etag')! });
  assert.equal(again.status, 304);
  const before = await fetched(`${older}/catalog.duckdb`);
  assert.ok(before.body.includes(`${ROOT}/${older}/`));
  assert.notEqual(before.headers.get('etag'), current.headers.get('etag'));
  assert.equal((await fetched('h9-0123456789ab/catalog.duckdb')).status, 404);
});

test('a file is read to its end though its generation is removed meanwhile', async () => {
  const path = `${older}/priced_events/2026-02_48.parquet`;
  const expected = randomBytes(32_000_000); // more than what is on its way can hold
  writeFileSync(chain.path('data/generations', path), expected);
  const response = await fetch(`${server.base}${ROOT}/${path}`);
  rmSync(chain.path('data/generations', older), { recursive: true });
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(expected));
  assert.equal((await ask(path)).status, 404);
});

test('a page for each table has its columns, order, files and recipe', async () => {
  const list = await ask('');
  assert.equal(list.status, 200);
  const page = readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8');
  const recipes = page.split(/^### /m).flatMap((part) => (part.includes('\n```sql\n') ? [part.split('\n')[0]!] : []));
  assert.ok(recipes.length > 0);
  assert.ok(list.text.includes("attach 'https://tax.example/datasets/catalog.duckdb' as hub"));
  for (const { name, columns, files, sorted_by } of manifest.tables) {
    assert.ok(list.text.includes(`/datasets/cosmoshub/${name}"`), name);
    const { status, text, headers } = await ask(name);
    assert.equal(status, 200);
    assert.match(headers.get('content-security-policy')!, /^default-src 'none'/);
    for (const { name: column } of columns) assert.ok(text.includes(`<code>${column}</code>`), `${name}.${column}`);
    for (const { path } of files) assert.ok(text.includes(`/${path}"`), path);
    assert.ok(text.includes(`<code>${sorted_by[0]}</code>`));
    assert.equal(text.includes('<h2>Recipe</h2>'), recipes.includes(name), name);
  }
});

/**
 * Reads tables by URL in each library; DuckDB's extension for that comes as a package, since nothing is fetched in a test. It ends at
 * once, since threads of the libraries that still run abort an orderly end now and then.
 */
const SCRIPT = `
import json, sys, glob, os, urllib.request
import duckdb, duckdb_extension_httpfs, pandas, polars
root = sys.argv[1]
tables = json.load(urllib.request.urlopen(root + '/manifest.json'))['tables']
con = duckdb.connect()
con.execute('set enable_progress_bar = false')
for file in glob.glob(os.path.dirname(duckdb_extension_httpfs.__file__) + '/**/*.duckdb_extension', recursive=True):
    con.execute(f"load '{file}'")
out = {}
for table in tables:
    urls = [root + '/' + file['path'] for file in table['files']]
    out[table['name']] = [
        con.execute('select count(*) from read_parquet(?)', [urls]).fetchone()[0],
        polars.scan_parquet(urls).select(polars.len()).collect().item(),
        sum(len(pandas.read_parquet(url)) for url in urls),
    ]
print(json.dumps(out), flush=True)
os._exit(0)
`;

/** Runs examples one after the other, and counts the rows that the last line of each is about. */
const EXAMPLES = `
import json, sys, glob, os
import duckdb, duckdb_extension_httpfs
for file in glob.glob(os.path.dirname(duckdb_extension_httpfs.__file__) + '/**/*.duckdb_extension', recursive=True):
    duckdb.execute(f"load '{file}'")
duckdb.execute('set enable_progress_bar = false')
names, results = {}, []
for example in json.loads(sys.argv[1]):
    *lines, last = example.split('\\n')
    code = '\\n'.join(lines)
    exec(code, names)
    results.append(eval(last, names))
in_duckdb, in_polars, in_pandas = results
print(json.dumps([sum(rows for _, rows in in_duckdb.fetchall()), in_polars['len'].sum(), int(in_pandas.sum())]), flush=True)
os._exit(0)
`;

describe('readers of Parquet', () => {
  for (const python of programs('analysts')) {
    test('DuckDB, Polars and pandas read every table by URL', async () => {
      const { stdout } = await promisify(execFile)(python, ['-c', SCRIPT, server.base + ROOT]);
      assert.deepEqual(
        JSON.parse(stdout),
        Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, [rows, rows, rows]])),
      );
    });

    test('the examples of the documentation run', async () => {
      const page = readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8');
      const byUrl = page.slice(page.indexOf('## By URL'), page.indexOf('## One wallet by URL'));
      const examples = [...byUrl.matchAll(/^```python\n(.*?)\n```$/gms)].map(([, code]) =>
        code!.replace('http://localhost:8080', server.base),
      );
      const { stdout } = await promisify(execFile)(python, ['-c', EXAMPLES, JSON.stringify(examples)]);
      const { rows } = manifest.tables.find(({ name }) => name === 'priced_events')!;
      assert.deepEqual(JSON.parse(stdout), [rows, rows, rows]);
    });
  }
});
