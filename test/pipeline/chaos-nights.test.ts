/**
 * A night on three workers, whose processes, queue and coordinator are killed, and whose store fails at random. It must
 * give the bytes of a night on one machine, and publish one generation.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DatasetStore } from '../../pipeline/publish/store/dataset-store.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { startFaultyProxy, startS3 } from '../publish/store/s3-server.js';
import { programs } from '../requirements.js';
import { startPostgres } from '../server/people/store/postgres-server.js';
import { TestRedis } from '../server/processes/redis.js';
import { NightCase, SAMPLE_CHAIN, treeHashes } from './night-case.js';

const chain = new NightCase(SAMPLE_CHAIN);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

const WORKERS = 3;
const PAUSE_MS = 3000;
/** Longer than a lock of a job, so that the job is delivered to another worker too. */
const FREEZE_MS = 25_000;

type Event = 'kill worker' | 'freeze worker' | 'kill queue' | 'kill coordinator';

/** Returns the events of a campaign in a fixed random order. */
function campaign(): Event[] {
  const counts: Readonly<Record<Event, number>> = {
    'kill worker': 20,
    'freeze worker': 2,
    'kill queue': 2,
    'kill coordinator': 2,
  };
  const events = Object.entries(counts).flatMap(([event, count]) => Array<Event>(count).fill(event as Event));
  let state = 7;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return events
    .map((event) => ({ event, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };

interface Queue {
  readonly url: string;
  /** Kills the server and starts it again. Redis then has lost all jobs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function startRedis(program: string): Promise<Queue> {
  const redis = await TestRedis.start(program);
  const restart = async () => {
    await redis.stop();
    await redis.start();
  };
  return { url: redis.url, restart, stop: () => redis.stop() };
}

async function startDatabase(folder: string): Promise<Queue> {
  const { url, end, begin, stop } = await startPostgres(folder);
  const restart = async () => {
    await end();
    await begin();
  };
  return { url, restart, stop };
}

const QUEUES = [
  ...programs('redis').map((program) => ['Redis', () => startRedis(program)] as const),
  ...programs('postgres').map((folder) => ['PostgreSQL', () => startDatabase(folder)] as const),
];
const s3 = await startS3();
after(() => s3?.stop());

for (const [name, startQueue] of s3 ? QUEUES : []) {
  test(`${name}: killed workers, queues and coordinators, and a failing store, change no byte`, async (t) => {
    const { endpoint, bucket } = s3!;
    const queue = await startQueue();
    const proxy = await startFaultyProxy(endpoint);
    const workers: ChildProcess[] = [];
    t.after(async () => {
      for (const worker of workers) worker.kill('SIGKILL');
      proxy.stop();
      await queue.stop();
    });
    const url = `s3://${bucket}/chaos-${name}`;
    chain.variables = {
      ...CREDENTIALS,
      HUBLEDGER_QUEUE_URL: queue.url,
      HUBLEDGER_QUEUE_KEY: '0f'.repeat(32),
      HUBLEDGER_STORE_URL: url,
      HUBLEDGER_S3_ENDPOINT: proxy.endpoint,
    };
    const start = (dataDir: string, ...words: string[]) => {
      const child = chain.start(dataDir, ...words);
      child.stdout!.resume();
      child.stderr!.resume();
      return child;
    };
    const startWorker = (i: number) => {
      workers[i] = start(`${name}-worker-${i}`, 'worker', '--threads', '1');
    };
    for (let i = 0; i < WORKERS; i++) startWorker(i);

    const events = campaign();
    let coordinator: ChildProcess | undefined;
    const happen: Readonly<Record<Event, (i: number) => Promise<void>>> = {
      async 'kill worker'(i) {
        workers[i % WORKERS]!.kill('SIGKILL');
        startWorker(i % WORKERS);
      },
      async 'freeze worker'(i) {
        const worker = workers[i % WORKERS]!;
        worker.kill('SIGSTOP');
        await wait(FREEZE_MS);
        worker.kill('SIGCONT');
      },
      'kill queue': () => queue.restart(),
      async 'kill coordinator'() {
        coordinator?.kill('SIGKILL');
      },
    };

    // The first run makes all pieces. Whole runs make them again and compare them, until all events have happened.
    const isOver = () => events.length === 0;
    const cause = (async () => {
      for (let i = 0; !isOver(); i++) {
        await wait(PAUSE_MS);
        if (coordinator?.exitCode === null) await happen[events.shift()!](i);
      }
    })();
    const codes: (number | null)[] = [];
    for (let isDone = false; !isDone; ) {
      isDone = isOver();
      const words = codes.includes(0) && !isDone ? ['--full'] : [];
      coordinator = start(`${name}-night`, 'nightly', '--workers', '0', ...words);
      const [code] = await once(coordinator, 'exit');
      codes.push(code);
      isDone &&= code === 0;
      // 5: the lease of a killed run has not expired. Null: the run was killed.
      assert.ok([0, 5, null].includes(code), `exit codes ${codes}`);
      if (code === 5) await wait(PAUSE_MS);
    }
    await cause;
    const generation = (dataDir: string) => treeHashes(chain.path(dataDir, 'generations', whole.generation));
    assert.deepEqual(generation(`${name}-night`), generation('whole'));
    assert.ok(proxy.faults() > 50);

    const store = await DatasetStore.open(url, endpoint, { forMs: 10_000, say() {} });
    const { current } = await store.readCurrent();
    assert.equal(current!.generation, whole.generation);
    const manifests: string[] = [];
    for await (const { key } of store.objects.list('generations/')) {
      if (key.endsWith('manifest.json')) manifests.push(key);
    }
    assert.deepEqual(manifests, [`generations/${whole.generation}/manifest.json`]);
  });
}
