/** Three servers under load follow five publications, and their upstream goes away for a while. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { NightCase } from '../../pipeline/night-case.js';
import { loaders, program } from '../../scripts/run-program.js';

const REQUESTS = 100_000;
const CALLERS = 16;
/** A publication must be served everywhere after this time. */
const FOLLOWED_MAX_MS = 60_000;
const AWAY_MS = 20_000;

const chain = new NightCase();
const made: string[] = [];

before(async () => {
  for (const [i, until] of [500, 505, 510, 515, 520].entries()) {
    if (i > 0) cpSync(chain.path(`night-${i - 1}`), chain.path(`night-${i}`), { recursive: true });
    made.push((await chain.night(`night-${i}`, { until })).generation);
  }
});
after(() => chain.remove());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function serve(dataDir: string, port: number, more: Record<string, string> = {}): ChildProcess {
  const own = { HUBLEDGER_DATA_DIR: chain.path(dataDir), HUBLEDGER_PORT: String(port), HUBLEDGER_RATE_LIMIT: '0' };
  const env = { PATH: process.env.PATH, HUBLEDGER_LOG_LEVEL: 'error', ...own, ...more };
  return spawn(process.execPath, [...loaders, program, 'serve'], { env, stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGINT');
  await once(child, 'exit');
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

test('no request fails', { timeout: 900_000 }, async (t) => {
  const upstream = await freePort();
  publish(0);
  let source = serve('source', upstream);
  t.after(() => source.kill('SIGKILL'));
  const variables = { HUBLEDGER_FOLLOW_URL: `http://127.0.0.1:${upstream}` };
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const followers = ports.map((port, i) => serve(`follower-${i}`, port, variables));
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
    publish(i);
    await untilServed(ports, made[i]!);
  }
  await end(source);
  await wait(AWAY_MS);
  assert.deepEqual(await Promise.all(ports.map(generationAt)), [made[2], made[2], made[2]]);
  source = serve('source', upstream);
  for (const i of [3, 4]) {
    publish(i);
    await untilServed(ports, made[i]!);
  }
  isDone = true;
  await calls;
  assert.deepEqual(failures.slice(0, 3), []);
  assert.ok(sent >= REQUESTS);
  t.diagnostic(`${sent} requests, ${failures.length} failed`);
  await Promise.all(followers.map(end));
});
