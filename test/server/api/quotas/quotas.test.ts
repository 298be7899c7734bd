/** Quotas that servers share, on a real Redis or Valkey, also when that is lost. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { readConfig } from '../../../../pipeline/config.js';
import { limiter, SharedCounts } from '../../../../server/api/quotas/limiter.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { limitKey } from '../../../../server/people/accounts/keys.js';
import { Store } from '../../../../server/people/store/store.js';
import { programs } from '../../../requirements.js';
import { startServer, type TestServer } from '../../harness.js';
import { NOW, withKey } from '../../people/accounts/signed-in.js';
import { startPostgres } from '../../people/store/postgres-server.js';
import { TestRedis } from '../../processes/redis.js';
import { ServingProcess } from '../../processes/serving.js';
import { publish } from '../../published.js';

const TAGS = '/api/tax/v1/tags';

/** Servers that start now wait so long for Redis, which may take a second on a busy machine. */
function waitForRedis(context: TestContext, ms = 30_000): void {
  const { redis } = LIMITS.waits;
  const { max } = redis;
  Object.assign(redis, { max: ms });
  context.after(() => Object.assign(redis, { max }));
}

async function startRedis(context: TestContext, program: string): Promise<TestRedis> {
  const redis = await TestRedis.start(program);
  context.after(() => redis.stop());
  return redis;
}

async function startLimited(context: TestContext, url: string, quota = '60'): Promise<TestServer> {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: quota, HUBLEDGER_REDIS_URL: url } });
  context.after(() => server.close());
  return server;
}

/** A database for several servers, and what a client with an account in it sends; without PostgreSQL on the machine neither. */
async function sharedAccount(context: TestContext): Promise<{ url: string; headers: Record<string, string>[] }> {
  const [postgresFolder] = programs('postgres');
  if (!postgresFolder) return { url: '', headers: [] };
  const postgres = await startPostgres(postgresFolder);
  context.after(() => postgres.stop());
  const store = new Store(readConfig({ HUBLEDGER_DATABASE_URL: postgres.url }));
  const headers = [await withKey({ store }, ['tax:read'])];
  await store.close();
  return { url: postgres.url, headers };
}

const remaining = async (server: TestServer, path = TAGS) => {
  const answer = await fetch(server.base + path);
  await answer.text();
  return { status: answer.status, left: Number(answer.headers.get('x-ratelimit-remaining')) };
};

const warnings = ({ log }: TestServer) => log.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg);
const LOST = 'Redis is unavailable: requests are counted in this process only';

for (const program of programs('redis')) {
  test(`a client whom ${basename(program)} refused is answered after the window, also where the clock was set back`, async (t) => {
    waitForRedis(t);
    const counts = await SharedCounts.connect((await startRedis(t, program)).url, pino({ level: 'silent' }));
    t.after(() => counts.redis.disconnect());
    const own = limiter({ name: 'test', quota: 1, seconds: 3 }, counts);
    const isAnswered = () =>
      own.consume('client').then(
        () => true,
        ({ msBeforeNext }: RateLimiterRes) => msBeforeNext > 3000,
      );
    assert.deepEqual([await isAnswered(), await isAnswered()], [true, false]);
    const { now } = Date;
    t.mock.method(Date, 'now', () => now() - 2 * 3_600_000);
    assert.equal(await isAnswered(), false);
    await wait(3100);
    assert.equal(await isAnswered(), true);
  });

  test(`two server processes on one ${basename(program)} and one database answer a client 60 times a minute between them`, async (t) => {
    const redis = await startRedis(t, program);
    const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-quotas-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    await publish(dataDir);
    const environment = {
      HUBLEDGER_DATA_DIR: dataDir,
      HUBLEDGER_REDIS_URL: redis.url,
      HUBLEDGER_NOW: NOW.toISOString(),
    };
    const { url, headers } = await sharedAccount(t);
    const start = () => ServingProcess.start({ ...environment, HUBLEDGER_DATABASE_URL: url });
    const servers = await Promise.all([start(), start()]);
    t.after(() => Promise.all(servers.map((server) => server.end('SIGINT'))));
    for (const client of [{}, ...headers]) {
      const ask = async (i: number) => {
        const answer = await fetch(servers[i % 2]!.base + TAGS, { headers: client });
        await answer.text();
        return { status: answer.status, left: Number(answer.headers.get('x-ratelimit-remaining')) };
      };
      const answers: Awaited<ReturnType<typeof ask>>[] = [];
      for (let i = 0; i < 100; i += 10) {
        answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => ask(i + n)))));
      }
      const answered = answers.filter(({ status }) => status === 200).map(({ left }) => left);
      assert.deepEqual(
        answered.sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, left) => left),
        'every request left one less',
      );
      assert.equal(answers.filter(({ status, left }) => status === 429 && left === 0).length, 40);
    }
  });

  test(`policies are counted apart in ${basename(program)}, clients too`, async (t) => {
    waitForRedis(t);
    const redis = await startRedis(t, program);
    const contract = {
      kind: 'dataset',
      method: 'GET',
      path: '/contract',
      summary: 'Counted otherwise.',
      parameters: [],
    } as const;
    const server = await startServer({
      environment: { HUBLEDGER_RATE_LIMIT: '2', HUBLEDGER_REDIS_URL: redis.url, HUBLEDGER_TRUSTED_HOPS: '1' },
      endpoints: [
        {
          ...contract,
          response: 'text',
          policy: 'contract',
          handle: () => ({ text: '', type: 'text/plain' }),
        },
        {
          ...contract,
          path: '/tax',
          response: 'text',
          policy: 'tax',
          handle: () => ({ text: '', type: 'text/plain' }),
        },
      ],
    });
    t.after(() => server.close());
    const asked = async (path: string, client: string) => {
      const answer = await server.ask(path, { headers: { 'x-forwarded-for': client } });
      return [answer.status, answer.headers.get('ratelimit')?.replace(/t=\d+/, 't')];
    };
    assert.deepEqual(await asked('/tax', '192.0.2.1'), [200, '"tax";r=1;t']);
    assert.deepEqual(await asked('/contract', '192.0.2.1'), [200, '"contract";r=119;t']);
    assert.deepEqual(await asked('/tax', '192.0.2.1'), [200, '"tax";r=0;t']);
    assert.deepEqual(await asked('/tax', '192.0.2.1'), [429, '"tax";r=0;t']);
    assert.deepEqual(await asked('/tax', '192.0.2.1'), [429, '"tax";r=0;t'], 'also when Redis is not asked any more');
    assert.deepEqual(await asked('/tax', '192.0.2.2'), [200, '"tax";r=1;t']);
  });

  test(`a key with a limit is counted in ${basename(program)} without its address; a raised limit applies to a refused key`, async (t) => {
    waitForRedis(t);
    const redis = await startRedis(t, program);
    const server = await startLimited(t, redis.url, '1');
    const headers = await withKey(server, ['tax:read']);
    const id = headers.authorization.slice('Bearer hl_'.length).slice(0, 16);
    const ask = async () => {
      const answer = await fetch(server.base + TAGS, { headers });
      await answer.text();
      return [answer.status, answer.headers.get('ratelimit')?.replace(/t=\d+/, 't')];
    };
    await limitKey(server.store, id, { rate_limit: 7, tier: null });
    for (const left of [6, 5, 4, 3, 2, 1, 0]) assert.deepEqual(await ask(), [200, `"tax";r=${left};t`]);
    for (let i = 0; i < 2; i++) assert.deepEqual(await ask(), [429, '"tax";r=0;t']);
    await limitKey(server.store, id, { rate_limit: 10, tier: null });
    assert.deepEqual(await ask(), [200, '"tax";r=1;t'], 'what was spent stays spent');
  });

  test(`a server that loses ${basename(program)} counts by itself and says so, once each time`, async (t) => {
    waitForRedis(t);
    const redis = await startRedis(t, program);
    const server = await startLimited(t, redis.url);
    assert.equal((await remaining(server)).left, 59);
    assert.equal((await remaining(server)).left, 58);
    await redis.stop();
    assert.deepEqual(await remaining(server), { status: 200, left: 59 });
    assert.deepEqual(await remaining(server), { status: 200, left: 58 });
    assert.deepEqual(warnings(server), [LOST]);
    await redis.start();
    const back = () => server.log.some(({ msg }) => msg === 'requests are counted in Redis again');
    while (!back()) await remaining(server, TAGS);
    assert.ok((await remaining(server)).left < 60);
    assert.deepEqual(warnings(server), [LOST]);
  });

  test(`a ${basename(program)} that is there and refuses to count is told as one that is lost`, async (t) => {
    waitForRedis(t);
    const redis = await startRedis(t, program);
    const environment = { HUBLEDGER_RATE_LIMIT: '2', HUBLEDGER_REDIS_URL: redis.url, HUBLEDGER_TRUSTED_HOPS: '1' };
    const server = await startServer({ environment });
    const operator = new Redis(redis.url);
    t.after(() => {
      operator.disconnect();
      return server.close();
    });
    const faults: Record<string, [begin: string[], end: string[]]> = {
      'full memory': [['config set maxmemory 1'], ['config set maxmemory 0']],
      'a replica': [['replicaof 127.0.0.1 9'], ['replicaof no one']],
      'another password': [
        ['config set requirepass other', 'client kill type normal skipme yes'],
        ['auth other', 'config set requirepass ""'],
      ],
    };
    const order = async (lines: readonly string[]) => {
      for (const line of lines) {
        const [command, ...words] = line.split(' ').map((word) => word.replaceAll('"', ''));
        await operator.call(command!, ...words);
      }
    };
    const ask = async (client: string) => (await server.ask(TAGS, { headers: { 'x-forwarded-for': client } })).status;
    const regained = () => server.log.filter(({ msg }) => msg === 'requests are counted in Redis again').length;
    for (const [i, [name, [begin, end]]] of Object.entries(faults).entries()) {
      await order(begin);
      const found: number[] = [];
      for (let n = 0; n < 3; n++) found.push(await ask(`192.0.2.${i}`));
      assert.deepEqual(found, [200, 200, 429], name);
      assert.deepEqual(
        warnings(server),
        Array.from({ length: i + 1 }, () => LOST),
        name,
      );
      await order(end);
      for (let n = 0; regained() <= i; n++) await ask(`198.51.${i}.${n}`).then(() => wait(100));
    }
  });

  test(`a ${basename(program)} that does not answer keeps one request waiting, the next ones not at all`, async (t) => {
    waitForRedis(t, 3000);
    const redis = await startRedis(t, program);
    const server = await startLimited(t, redis.url);
    const { mock } = t.mock.method(Redis.prototype, 'sendCommand');
    const counted = () => mock.calls.filter(({ arguments: [{ name }] }) => name.startsWith('eval')).length;
    assert.equal((await remaining(server)).left, 59);
    const before = counted();
    assert.ok(before > 0);
    redis.freeze();
    assert.equal((await remaining(server)).status, 200);
    assert.equal(counted(), before + 1, 'the first one waits for an answer');
    for (const left of [58, 57, 56, 55, 54]) assert.equal((await remaining(server)).left, left);
    assert.equal(counted(), before + 1, 'the next ones send nothing');
    assert.deepEqual(warnings(server), [LOST]);
  });
}

test('a server starts without its Redis', async (t) => {
  const server = await startLimited(t, 'redis://127.0.0.1:9', '2');
  assert.deepEqual(await remaining(server), { status: 200, left: 1 });
  assert.deepEqual(warnings(server), [LOST]);
});
