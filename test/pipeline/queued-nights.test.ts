/** Nights whose jobs run on worker processes: on every queue and every store they give one set of bytes. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { jobVersion } from '../../pipeline/night/queue/job-files.js';
import { openQueue } from '../../pipeline/night/queue/night-queue.js';
import { QueueKey } from '../../pipeline/night/queue/queue-key.js';
import { DatasetStore } from '../../pipeline/publish/store/dataset-store.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { startS3 } from '../publish/store/s3-server.js';
import { IS_NIGHT, programs } from '../requirements.js';
import { startPostgres } from '../server/people/store/postgres-server.js';
import { TestRedis } from '../server/processes/redis.js';
import { until } from '../until.js';
import { FOLDED, NightCase, treeHashes } from './night-case.js';

const chain = new NightCase(FOLDED);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const startRedis = async (program: string): Promise<Server> => {
  const redis = await TestRedis.start(program);
  return { url: redis.url, stop: () => redis.stop() };
};

const QUEUES: readonly (readonly [name: string, start: () => Promise<Server>])[] = [
  ...programs('redis').map((program) => [program, () => startRedis(program)] as const),
  ...programs('postgres').map((folder) => [folder, () => startPostgres(folder)] as const),
];

const HUBLEDGER_QUEUE_KEY = '0f'.repeat(32);
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };

interface Worker {
  readonly process: ChildProcess;
  said: string;
}

/** Starts a worker, and returns when it takes jobs. */
async function startWorker(dataDir: string): Promise<Worker> {
  const child = chain.start(dataDir, 'worker', '--threads', '1');
  child.stderr!.pipe(process.stderr);
  const worker = { process: child, said: '' };
  child.stdout!.on('data', (text) => {
    worker.said += text;
  });
  while (!worker.said.includes('worker takes jobs')) await once(child.stdout!, 'data');
  return worker;
}

async function endWorker({ process: worker }: Worker): Promise<number | null> {
  worker.kill('SIGTERM');
  const [code] = await once(worker, 'exit');
  return code;
}

/** Adds a job to the queue that nobody with the night's key has signed. */
async function forgeJob({
  HUBLEDGER_QUEUE_URL: url,
  HUBLEDGER_STORE_URL: storeUrl,
  HUBLEDGER_S3_ENDPOINT: s3,
}: Record<string, string>) {
  const patience = { forMs: 10_000, say() {} };
  const store = await DatasetStore.open(storeUrl!, s3, patience);
  const queue = await openQueue(url!, new QueueKey('f0'.repeat(32), (await store.readId())!), patience);
  await queue.add([
    {
      kind: 'months',
      description: '0'.repeat(64),
      key: '0'.repeat(20),
      program: jobVersion(),
      name: 'months 2026-01',
      again: false,
      isUrgent: true,
    },
  ]);
  await queue.close();
}

/** Runs a night on two workers, and compares its generation with the generation of a night without a queue. */
async function expectSameBytes(name: string, variables: Record<string, string>): Promise<void> {
  chain.variables = variables;
  const workers = await Promise.all([startWorker(`${name}-worker-1`), startWorker(`${name}-worker-2`)]);
  await forgeJob(variables);
  const refusals = () => workers.flatMap(({ said }) => said.match(/refused the job [^\n]*/g) ?? []);
  await until(() => refusals().length > 0, 'a worker refuses the forged job');
  const night = await chain.command(`${name}-night`, 'nightly', '--workers', '0');
  const { out } = await chain.command(`${name}-night`, 'status');
  assert.match(out, /^queue {7}2 workers, 0 jobs run, 0 wait$/m);
  assert.equal(night.code, 0, night.error);
  assert.deepEqual(await Promise.all(workers.map(endWorker)), [0, 0]);
  assert.equal(refusals().length, 1);
  const generation = (dataDir: string) => treeHashes(chain.path(dataDir, 'generations', whole.generation));
  assert.deepEqual(generation(`${name}-night`), generation('whole'));
}

for (const [i, [name, start]] of QUEUES.entries()) {
  test(`${name} and a folder: workers give the bytes of a night on one machine`, async () => {
    const queue = await start();
    try {
      const store = chain.path(`folder-${i}`);
      mkdirSync(store);
      const HUBLEDGER_STORE_URL = pathToFileURL(store).href;
      const variables = { HUBLEDGER_QUEUE_URL: queue.url, HUBLEDGER_QUEUE_KEY, HUBLEDGER_STORE_URL };
      await expectSameBytes(`folder-${i}`, variables);
    } finally {
      await queue.stop();
    }
  });

  if (!IS_NIGHT) continue;
  test(`${name} and S3: workers give the bytes of a night on one machine`, async () => {
    const s3 = await startS3();
    if (s3 === undefined) return;
    const queue = await start();
    try {
      await expectSameBytes(`s3-${i}`, {
        ...CREDENTIALS,
        HUBLEDGER_QUEUE_URL: queue.url,
        HUBLEDGER_QUEUE_KEY,
        HUBLEDGER_STORE_URL: `s3://${s3.bucket}/night-${i}`,
        HUBLEDGER_S3_ENDPOINT: s3.endpoint,
      });
    } finally {
      await Promise.all([queue.stop(), s3.stop()]);
    }
  });
}

test('without other workers, a night runs the jobs itself', async () => {
  const [first] = QUEUES;
  if (first === undefined) return;
  const queue = await first[1]();
  try {
    const store = pathToFileURL(chain.path('alone')).href;
    chain.variables = { HUBLEDGER_QUEUE_URL: queue.url, HUBLEDGER_QUEUE_KEY, HUBLEDGER_STORE_URL: store };
    const night = await chain.command('alone-night', 'nightly', '--workers', '1');
    assert.equal(night.code, 0, night.error);
    assert.match(night.out, new RegExp(`published ${whole.generation}`));
  } finally {
    await queue.stop();
  }
});

test('a start without a part of the queue ends with code 2 and names the part', async () => {
  const store = pathToFileURL(chain.path('none')).href;
  for (const [variables, line] of [
    [{}, /^hubledger: \.\/hubledger worker needs HUBLEDGER_QUEUE_URL$/m],
    [{ HUBLEDGER_QUEUE_URL: 'redis://127.0.0.1:1' }, /^hubledger: HUBLEDGER_QUEUE_URL needs HUBLEDGER_STORE_URL/m],
    [
      { HUBLEDGER_QUEUE_URL: 'redis://127.0.0.1:1', HUBLEDGER_STORE_URL: store },
      /^hubledger: HUBLEDGER_QUEUE_URL needs HUBLEDGER_QUEUE_KEY, which signs jobs: [^\n]+$/m,
    ],
    [
      { HUBLEDGER_QUEUE_URL: 'redis://127.0.0.1:1', HUBLEDGER_QUEUE_KEY, HUBLEDGER_STORE_URL: store },
      /^hubledger: HUBLEDGER_QUEUE_URL: the queue at 127\.0\.0\.1:1 does not answer \(connect ECONNREFUSED/m,
    ],
    [
      {
        HUBLEDGER_QUEUE_URL: 'postgres://user:secret@127.0.0.1:1/x',
        HUBLEDGER_QUEUE_KEY,
        HUBLEDGER_STORE_URL: store,
      },
      /^hubledger: HUBLEDGER_QUEUE_URL: the queue at 127\.0\.0\.1:1 does not answer \(connect ECONNREFUSED/m,
    ],
  ] as const) {
    chain.variables = variables;
    const { code, error } = await chain.command('wrong', 'worker');
    assert.match(error, line);
    assert.equal(code, 2);
    assert.ok(!error.includes('secret'));
  }
});
