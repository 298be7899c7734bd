/** Three servers under load follow five publications, and their upstream goes away for some minutes. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { NightCase } from '../../pipeline/night-case.js';
import { loaders, program } from '../../scripts/run-program.js';
import { type S3Server, startFaultyProxy, startS3 } from '../store/s3-server.js';

const REQUESTS = 100_000;
const CALLERS = 16;
/** A publication must be served everywhere after this time. */
const FOLLOWED_MAX_MS = 60_000;
const AWAY_MS = 300_000;
const UNTIL = [500, 505, 510, 515, 520] as const;

const chain = new NightCase();
const made: string[] = [];

before(async () => {
  for (const [i, until] of UNTIL.entries()) {
    if (i > 0) cpSync(chain.path(`night-${i - 1}`), chain.path(`night-${i}`), { recursive: true });
    made.push((await chain.night(`night-${i}`, { until })).generation);
  }
});
const s3 = await startS3();
after(async () => {
  chain.remove();
  await s3?.stop();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function serve(dataDir: string, port: number, more: Record<string, string> = {}): ChildProcess {
  const own = { HUBLEDGER_DATA_DIR: chain.path(dataDir), HUBLEDGER_PORT: String(port), HUBLEDGER_RATE_LIMIT: '0' };
  const { PATH, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  const env = { PATH, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, HUBLEDGER_LOG_LEVEL: 'error', ...own, ...more };
  return spawn(process.execPath, [...loaders, program, 'serve'], { env, stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGINT');
  await once(child, 'exit');
}

interface Source {
  readonly variables: Record<string, string>;
  /** Puts the generation with this number in force. */
  publish(i: number): Promise<void> | void;
  goAway(): Promise<void> | void;
  comeBack(): Promise<void> | void;
}

async function serverSource(t: TestContext): Promise<Source> {
  const port = await freePort();
  let source = serve('source', port);
  t.after(() => source.kill('SIGKILL'));
  return {
    variables: { HUBLEDGER_FOLLOW_URL: `http://127.0.0.1:${port}` },
    publish,
    goAway: () => end(source),
    comeBack() {
      source = serve('source', port);
    },
  };
}

async function s3Source(t: TestContext, { endpoint, bucket }: S3Server): Promise<Source> {
  const url = `s3://${bucket}/many-servers`;
  let proxy = await startFaultyProxy(endpoint, 100);
  t.after(() => proxy.stop());
  return {
    variables: { HUBLEDGER_STORE_URL: url, HUBLEDGER_S3_ENDPOINT: proxy.endpoint },
    async publish(i) {
      chain.variables = { HUBLEDGER_STORE_URL: url, HUBLEDGER_S3_ENDPOINT: endpoint };
      assert.equal((await chain.night('publisher', { until: UNTIL[i]! })).generation, made[i]);
    },
    goAway: () => proxy.stop(),
    async comeBack() {
      proxy = await startFaultyProxy(endpoint, 100, Number(new URL(proxy.endpoint).port));
    },
  };
}

function publish(i: number): void {
  mkdirSync(chain.path('source'), { recursive: true });
  for (const part of ['generations', 'stores', 'CURRENT']) {
    cpSync(chain.path(`night-${i}`, part), chain.path('source', part), { recursive: true });
  }
}

async function generationAt(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ((await response.json()) as { readonly generation?: string }).generation;
  } catch {
    return undefined;
  }
}

async function untilServed(ports: readonly number[], generation: string): Promise<void> {
  const deadline = performance.now() + FOLLOWED_MAX_MS;
  while ((await Promise.all(ports.map(generationAt))).some((served) => served !== generation)) {
    assert.ok(performance.now() < deadline, `${generation} is not served everywhere`);
    await wait(250);
  }
}

test('servers of a server: no request fails', { timeout: 1_200_000 }, async (t) =>
  expectNoFailure(t, 'server', await serverSource(t)),
);

test('servers of a store on S3: no request fails', { timeout: 1_200_000, skip: !s3 }, async (t) =>
  expectNoFailure(t, 's3', await s3Source(t, s3!)),
);

async function expectNoFailure(t: TestContext, name: string, source: Source): Promise<void> {
  await source.publish(0);
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const followers = ports.map((port, i) => serve(`${name}-${i}`, port, source.variables));
  t.after(() => followers.forEach((child) => void child.kill('SIGKILL')));
  await untilServed(ports, made[0]!);
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  const paths = ['/api/tax/v1/tags', '/api/tax/v1/catalog', '/readyz', '/datasets/cosmoshub/manifest.json'];
  const failures: string[] = [];
  let [sent, isDone] = [0, false];
  const call = async () => {
    while (sent < REQUESTS || !isDone) {
      const url = `http://127.0.0.1:${ports[sent % ports.length]}${paths[sent % paths.length]}`;
      sent++;
      const answer = await request(url, { dispatcher }).catch((error: Error) => error);
      if (answer instanceof Error) failures.push(`${url}: ${answer.message}`);
      else {
        if (answer.statusCode !== 200) failures.push(`${url}: ${answer.statusCode}`);
        await answer.body.dump().catch((error: Error) => failures.push(`${url}: ${error.message}`));
      }
    }
  };
  const calls = Promise.all(Array.from({ length: CALLERS }, call));
  for (const i of [1, 2]) {
    await source.publish(i);
    await untilServed(ports, made[i]!);
  }
  await source.goAway();
  await wait(AWAY_MS);
  assert.deepEqual(await Promise.all(ports.map(generationAt)), [made[2], made[2], made[2]]);
  await source.comeBack();
  for (const i of [3, 4]) {
    await source.publish(i);
    await untilServed(ports, made[i]!);
  }
  isDone = true;
  await calls;
  assert.deepEqual(failures.slice(0, 3), []);
  assert.ok(sent >= REQUESTS);
  t.diagnostic(`${sent} requests, ${failures.length} failed`);
  await Promise.all(followers.map(end));
}
