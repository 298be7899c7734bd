/** Upstreams that lie or never end: nothing of them is taken, and the honest upstream is followed afterwards. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { type PullOptions, pullGeneration } from '../../../pipeline/publish/follow/pull.js';
import { receiveManifest } from '../../../pipeline/publish/follow/receive-manifest.js';
import { ServerUpstream } from '../../../pipeline/publish/follow/upstream.js';
import {
  currentGeneration,
  generationDir,
  generationId,
  generationsDir,
  manifestFile,
} from '../../../pipeline/publish/generation.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { until } from '../../until.js';

const chain = new NightCase();
const reference = loadReference();
let [older, newer] = ['', ''];
let honest: TestServer;

before(async () => {
  older = (await chain.night('older', { until: 520 })).generation;
  cpSync(chain.path('older'), chain.path('source'), { recursive: true });
  newer = (await chain.night('source')).generation;
  honest = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('source') } });
  await honest.datasets.refresh();
});
after(async () => {
  await honest.close();
  chain.remove();
});

/** Answers a request, or returns false to leave it to the honest server. */
type Lie = (path: string, response: ServerResponse) => boolean;

class Upstream {
  lie: Lie | undefined;
  /** Bytes that the sockets have accepted of endless bodies. */
  sent = 0;
  private readonly server = createServer(async ({ url }, response) => {
    if (this.lie?.(url!, response)) return;
    const answer = await fetch(honest.base + url, { redirect: 'manual' });
    const location = answer.headers.get('location');
    response.writeHead(answer.status, location === null ? {} : { location });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');

  static async start(t: TestContext): Promise<Upstream> {
    const upstream = new Upstream();
    await once(upstream.server, 'listening');
    t.after(() => {
      upstream.server.closeAllConnections();
      upstream.server.close();
    });
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends a body without end. */
  endless(status: number, response: ServerResponse, chunk = Buffer.alloc(65_536, ' ')): true {
    response.writeHead(status);
    const more = () => {
      this.sent += chunk.length;
      if (!response.destroyed && response.write(chunk)) setImmediate(more);
    };
    response.on('drain', more);
    more();
    return true;
  }

  /** Has another manifest in force, under its right id. */
  publish(change: (manifest: Manifest) => object, also: Lie = () => false): void {
    const changed = change(JSON.parse(readFileSync(manifestFile(sourceFolder()), 'utf8'))) as Manifest;
    const generation = generationId(changed);
    const text = JSON.stringify({ ...changed, generation });
    this.lie = (path, response) => {
      if (also(path, response)) return true;
      if (path.endsWith('/latest')) {
        response.writeHead(307, { location: `/datasets/cosmoshub/${generation}/manifest.json` }).end();
      } else if (path.endsWith(`/${generation}/manifest.json`)) response.end(text);
      else return false;
      return true;
    };
  }
}

const sourceFolder = () => generationDir(chain.path('source'), newer);

const optionsOf = (dataDir: string): PullOptions => ({
  dataDir: chain.path(dataDir),
  reference,
  cacheBytes: 1e9,
  say() {},
  now: Date.now(),
  followKeys: undefined,
  progress: { update() {}, begin() {} },
});

async function pull(dataDir: string, url: string): Promise<void> {
  const upstream = new ServerUpstream(url, 'cosmoshub', { forMs: 0, say() {} });
  try {
    const generation = (await upstream.current())!;
    await pullGeneration(upstream, await receiveManifest(upstream, generation, optionsOf(dataDir)), optionsOf(dataDir));
  } finally {
    await upstream.close();
  }
}

const MIB = 2 ** 20;

const bytesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
        (sum, name) => sum + statSync(join(folder, name)).size,
        0,
      )
    : 0;

/** A commit with the checksum of its bytes, as a hostile upstream can compute it. */
const commit = (...actions: object[]): string =>
  resealed(
    [{ commitInfo: { generation: newer, checksum: '' } }, ...actions]
      .map((action) => `${JSON.stringify(action)}\n`)
      .join(''),
  );

/** Gives a changed commit the checksum of its bytes. */
function resealed(text: string): string {
  const empty = text.replace(/"checksum":"[0-9a-f]*"/, '"checksum":""');
  return empty.replace('"checksum":""', `"checksum":"${createHash('sha256').update(empty).digest('hex')}"`);
}

const LOG = /\/transactions\/_delta_log\//;
const firstFile = (manifest: Manifest, change: object): Manifest => {
  const [first, ...others] = manifest.tables;
  const [file, ...files] = first!.files;
  return { ...manifest, tables: [{ ...first!, files: [{ ...file!, ...change }, ...files] }, ...others] };
};

/** Each lie with its error, and the number of bytes that may be received, besides those in buffers of sockets. */
const LIES: readonly (readonly [name: string, tell: (upstream: Upstream) => void, error: RegExp, received: number])[] =
  [
    [
      'an error without end',
      (upstream) => {
        upstream.lie = (path, response) => path.endsWith('/latest') && upstream.endless(404, response);
      },
      /\/latest is not there \(404\)/,
      65_536,
    ],
    [
      'a busy answer without end',
      (upstream) => {
        upstream.lie = (_path, response) => upstream.endless(503, response);
      },
      /answers with 503$/,
      65_536,
    ],
    [
      'a manifest without end',
      (upstream) => {
        upstream.lie = (path, response) => path.endsWith('/manifest.json') && upstream.endless(200, response);
      },
      /manifest\.json is too large$/,
      16 * MIB,
    ],
    [
      'a Delta log without end',
      (upstream) => {
        upstream.lie = (path, response) => LOG.test(path) && upstream.endless(200, response);
      },
      /\/transactions\/_delta_log\/0+\.json is too large$/,
      64 * MIB,
    ],
    [
      'commits without end',
      (upstream) => {
        upstream.lie = (path, response) =>
          LOG.test(path) && Boolean(response.end(resealed(commit().replaceAll(newer, older))));
      },
      /sent wrong bytes of \S+\/transactions\/_delta_log\//,
      0,
    ],
    [
      'a Delta log without the table’s files',
      (upstream) => {
        upstream.lie = (path, response) => LOG.test(path) && Boolean(response.end(commit()));
      },
      /sent wrong bytes of \S+\/transactions\/_delta_log\//,
      0,
    ],
    [
      'a Delta log of something else',
      (upstream) => {
        upstream.lie = (path, response) => LOG.test(path) && Boolean(response.end(commit({ txn: {} }, { add: 5 })));
      },
      /sent wrong bytes of \S+\/transactions\/_delta_log\//,
      0,
    ],
    [
      'files of 10^14 bytes',
      (upstream) => upstream.publish((manifest) => firstFile(manifest, { bytes: 1e14 })),
      /has 100,001 GB of files, more than HUBLEDGER_CACHE_BYTES: raise it, or check the URL$/,
      0,
    ],
    [
      'files of fewer than no bytes',
      (upstream) => upstream.publish((manifest) => firstFile(manifest, { bytes: -1e14 })),
      /has an invalid manifest: \/tables\/0\/files\/0\/bytes must be >= 0$/,
      0,
    ],
    [
      'a file without a hash',
      (upstream) => upstream.publish((manifest) => firstFile(manifest, { sha256: '' })),
      /has an invalid manifest: \/tables\/0\/files\/0\/sha256 must match pattern/,
      0,
    ],
    [
      'a file without end',
      (upstream) => {
        upstream.lie = (path, response) =>
          /\/transactions\/\d/.test(path) && upstream.endless(200, response, Buffer.alloc(MIB));
      },
      /sent wrong bytes of \S+\/transactions\/\S+: SHA-256/,
      9 * MIB,
    ],
    [
      'tables that are no list',
      (upstream) => {
        upstream.lie = (path, response) =>
          path.endsWith('/manifest.json') && Boolean(response.end('{"tables":{"length":1e9}}'));
      },
      /is damaged: /,
      0,
    ],
    [
      'height 900,000,000',
      (upstream) => upstream.publish((manifest) => ({ ...manifest, height: 900_000_000 })),
      /ends at block 900000000, but the chain cannot have more than \d+ blocks yet: check the URL/,
      0,
    ],
    [
      'a time in the future',
      (upstream) => upstream.publish((manifest) => ({ ...manifest, time: '9999-12-31T23:59:59Z' })),
      /ends at 9999-12-31T23:59:59Z, which is in the future: check the URL/,
      0,
    ],
  ];

/** Bytes that may lie in the buffers of a connection, in both processes and the system. */
const BUFFERED = 16 * MIB;

for (const dataDir of ['empty', 'of-older']) {
  test(`a folder (${dataDir}) takes nothing of a hostile upstream, and the honest one afterwards`, async (t) => {
    if (dataDir === 'empty') mkdirSync(chain.path(dataDir));
    else cpSync(chain.path('older'), chain.path(dataDir), { recursive: true });
    const upstream = await Upstream.start(t);
    const before = currentGeneration(chain.path(dataDir));
    const limit = bytesIn(generationsDir(chain.path(dataDir))) + bytesIn(sourceFolder());
    for (const [name, tell, error, received] of LIES) {
      upstream.sent = 0;
      tell(upstream);
      await assert.rejects(pull(dataDir, upstream.url), (thrown: Error) => {
        assert.ok(thrown instanceof ConfigError, `${name}: ${thrown.stack}`);
        assert.match(thrown.message, error, name);
        assert.doesNotMatch(thrown.message, /\n/);
        return true;
      });
      assert.ok(upstream.sent <= received + BUFFERED, `${name}: ${upstream.sent} bytes`);
      assert.equal(currentGeneration(chain.path(dataDir)), before, name);
      assert.ok(bytesIn(generationsDir(chain.path(dataDir))) <= limit, name);
    }
    upstream.lie = undefined;
    await pull(dataDir, upstream.url);
    assert.equal(currentGeneration(chain.path(dataDir)), newer);
  });
}

test('interim answers without end are no answer', async (t) => {
  const server = createSocketServer((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10);
    socket.on('error', () => {});
    socket.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = new ServerUpstream(url, 'cosmoshub', { forMs: 0, say() {} }, 300);
  t.after(() => upstream.close());
  await assert.rejects(upstream.current(), /does not answer \(no answer within 0\.3 s\)/);
});

test('a height that time allows gives way to the next block of the honest upstream', async (t) => {
  cpSync(chain.path('older'), chain.path('deceived'), { recursive: true });
  const upstream = await Upstream.start(t);
  const { time } = JSON.parse(readFileSync(manifestFile(generationDir(chain.path('older'), older)), 'utf8'));
  upstream.publish(
    (manifest) => ({ ...manifest, height: 1_000_000, time }),
    (path, response) => {
      const [, table, log] = /\/h1000000-\w+\/(catalog\.duckdb|\w+\/)(_delta_log\/)?/.exec(path) ?? [];
      if (table === undefined) return false;
      const file = join(sourceFolder(), path.split('/').slice(4).join('/'));
      const generation = path.split('/')[3]!;
      if (log === undefined) response.end(readFileSync(file));
      else response.end(resealed(readFileSync(file, 'utf8').replaceAll(newer, generation)));
      return true;
    },
  );
  await pull('deceived', upstream.url);
  assert.match(currentGeneration(chain.path('deceived'))!, /^h1000000-/);
  upstream.lie = undefined;
  const follower = await startServer({
    published: false,
    environment: { HUBLEDGER_DATA_DIR: chain.path('deceived'), HUBLEDGER_FOLLOW_URL: upstream.url },
  });
  t.after(() => follower.close());
  await until(() => currentGeneration(chain.path('deceived')) === newer, 'the honest generation');
});

test('a server that follows refuses a hostile upstream by name, and then follows the honest one by itself', async (t) => {
  cpSync(chain.path('older'), chain.path('server'), { recursive: true });
  const upstream = await Upstream.start(t);
  const follower = await startServer({
    published: false,
    environment: { HUBLEDGER_DATA_DIR: chain.path('server'), HUBLEDGER_FOLLOW_URL: upstream.url },
  });
  t.after(() => follower.close());
  const errorOf = async () => (await follower.ask('/readyz')).json().follows?.error ?? '';
  for (const wanted of ['a busy answer without end', 'height 900,000,000']) {
    const [, tell, error] = LIES.find(([name]) => name === wanted)!;
    tell(upstream);
    await until(async () => error.test(await errorOf()), wanted);
    assert.equal(currentGeneration(chain.path('server')), older);
  }
  upstream.lie = undefined;
  await until(() => currentGeneration(chain.path('server')) === newer, 'the honest generation');
});
