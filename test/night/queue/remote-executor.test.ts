/** Jobs through a queue on real servers: Redis or Valkey, and PostgreSQL. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ConfigError, DifferentPieces } from '../../../pipeline/base/config-error.js';
import { readSums } from '../../../pipeline/base/disk/sealed-folder.js';
import { BlockError } from '../../../pipeline/chain/block-error.js';
import type { JobOf } from '../../../pipeline/night/jobs/job-kinds.js';
import type { Executor } from '../../../pipeline/night/jobs/run-jobs.js';
import { writePiece } from '../../../pipeline/night/pieces.js';
import { errorText, jobVersion, readJob } from '../../../pipeline/night/queue/job-files.js';
import { type JobData, type NightQueue, openQueue, QueueMonitor } from '../../../pipeline/night/queue/night-queue.js';
import { ObjectCache } from '../../../pipeline/night/queue/object-cache.js';
import { QueueKey } from '../../../pipeline/night/queue/queue-key.js';
import { RemoteExecutor } from '../../../pipeline/night/queue/remote-executor.js';
import { NightWorker } from '../../../pipeline/night/queue/run-worker.js';
import { DatasetStore } from '../../../pipeline/publish/store/dataset-store.js';
import { programs } from '../../requirements.js';
import { startPostgres } from '../../server/people/store/postgres-server.js';
import { TestRedis } from '../../server/processes/redis.js';
import { becomes, Signal, until } from '../../until.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-queue-'));
after(() => rmSync(root, { recursive: true }));
let folders = 0;

const patience = { forMs: 60_000, say() {} };
const KEY = '0f'.repeat(32);

type Run = (job: JobOf<'replay'>) => Promise<void>;

/** A coordinator, and a worker whose jobs do what a test says. */
class Machines {
  readonly place = join(root, String(folders++));
  readonly store: Promise<DatasetStore>;
  readonly said: string[] = [];

  private readonly closing: (() => unknown)[];
  private readonly url: string;

  constructor(t: TestContext, { url, stop }: TestServer) {
    this.url = url;
    this.folder('store');
    this.store = DatasetStore.open(pathToFileURL(this.path('store')).href, undefined, patience);
    this.closing = [stop];
    t.after(async () => {
      for (const close of this.closing.reverse()) await close();
    });
  }

  /** @param key of a machine that may have another key, or another store */
  async queue(key?: QueueKey): Promise<NightQueue> {
    const own = new QueueKey(KEY, await (await this.store).makeId());
    const queue = await openQueue(this.url, key ?? own, patience);
    this.closing.push(() => queue.close());
    return queue;
  }

  /** Opens the queue as somebody who can write to it, but signs jobs in another way. */
  async forger(signed: (text: string) => unknown): Promise<NightQueue> {
    const queue = await this.queue();
    Object.assign(queue.key, { signed: (_: unknown, text: string) => signed(text) });
    return queue;
  }

  monitor(): QueueMonitor {
    const storeUrl = pathToFileURL(this.path('store')).href;
    const monitor = new QueueMonitor({ queueUrl: this.url, queueKey: KEY, storeUrl, s3Endpoint: undefined });
    this.closing.push(() => monitor.close());
    return monitor;
  }

  async coordinator(isFull = false, queue?: NightQueue): Promise<RemoteExecutor> {
    const dataDir = this.folder('coordinator');
    const night = { dataDir, store: await this.store, isFull, say() {} };
    return new RemoteExecutor(queue ?? (await this.queue()), night, 300);
  }

  /** @param restMs pause after a fault of the system */
  async worker(run: Run, queue?: NightQueue, restMs = 10): Promise<NightWorker> {
    const dataDir = this.folder('worker');
    const store = await this.store;
    const executor: Executor = { run: (_, job) => run(job as JobOf<'replay'>) };
    const progress = { begin() {}, update() {}, end() {}, fail() {}, say: (text: string) => void this.said.push(text) };
    const cache = new ObjectCache(store, dataDir, 1e9);
    const parts = { queue: queue ?? (await this.queue()), store, cache, executor, dataDir, threads: 2, progress };
    const worker = new NightWorker(parts, restMs);
    this.closing.push(() => worker.close(0));
    return worker;
  }

  job(name: string): JobOf<'replay'> {
    const file = join(this.folder('coordinator'), `${name}.txt`);
    writeFileSync(file, `rows of ${name}`);
    return {
      folder: this.path('coordinator/pieces/replay', name),
      month: { month: '2026-01', first: 1, last: 2 },
      events: [file],
      hasOpening: false,
      keeps: 'none',
    };
  }

  path(...parts: string[]): string {
    return join(this.place, ...parts);
  }

  private folder(name: string): string {
    mkdirSync(this.path(name, 'pieces/replay'), { recursive: true });
    return this.path(name);
  }
}

const { signal } = new AbortController();

const jobData = (changes: Partial<JobData>): JobData => ({
  kind: 'replay',
  description: '0'.repeat(64),
  key: '1'.repeat(20),
  program: 'p',
  name: 'replay 2026-01',
  again: false,
  isUrgent: false,
  ...changes,
});

/** Writes the content of a job's input. */
const copies: Run = ({ folder, events: [file] }) =>
  writePiece(folder, async (making) => writeFileSync(join(making, 'rows.txt'), readFileSync(file!)));

interface TestServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

async function startRedis(program: string): Promise<TestServer & { start(): Promise<void> }> {
  const redis = await TestRedis.start(program);
  return { url: redis.url, start: () => redis.start(), stop: () => redis.stop() };
}

const QUEUES: readonly (readonly [name: string, start: () => Promise<TestServer>])[] = [
  ...programs('redis').map((program) => [program, () => startRedis(program)] as const),
  ...programs('postgres').map((folder) => [folder, () => startPostgres(folder)] as const),
];

for (const [name, start] of QUEUES) {
  test(`${name}: results arrive, also when they are in the store already`, async (t) => {
    const machines = new Machines(t, await start());
    let runs = 0;
    await machines.worker((job) => {
      runs++;
      return copies(job);
    });
    const coordinator = await machines.coordinator();
    const jobs = ['a', 'b', 'c'].map((key) => machines.job(key));
    await Promise.all(jobs.map((job) => coordinator.run('replay', job, { signal })));
    for (const [i, { folder }] of jobs.entries()) {
      assert.equal(readFileSync(join(folder, 'rows.txt'), 'utf8'), `rows of ${'abc'[i]}`);
      assert.deepEqual(Object.keys(readSums(folder)!), ['rows.txt']);
      rmSync(folder, { recursive: true });
    }
    assert.equal(runs, 3);
    const next = await machines.coordinator();
    await Promise.all(jobs.map((job) => next.run('replay', job, { signal })));
    assert.equal(runs, 3);
    const monitor = machines.monitor();
    await becomes(() => monitor.state(), { workers: 1, waiting: 0, active: 0 });
  });

  test(`${name}: faults of the system get three attempts, other errors one, and errors keep their class`, async (t) => {
    const machines = new Machines(t, await start());
    const runs: Record<string, number> = {};
    await machines.worker(async ({ folder, events: [file] }) => {
      const which = readFileSync(file!, 'utf8').replace('rows of ', '');
      runs[which] = (runs[which] ?? 0) + 1;
      if (which === 'block') throw new BlockError(7, 'AB', 'it is wrong');
      if (which === 'setting') throw new ConfigError('the state is missing');
      if (which === 'different') throw new DifferentPieces(`${folder} differs`);
      throw Object.assign(new Error(`no space left in ${folder}`), { syscall: 'write' });
    });
    const coordinator = await machines.coordinator();
    const fail = (which: string) =>
      coordinator.run('replay', machines.job(which), { signal }).then(
        () => assert.fail(),
        (error: Error) => error,
      );
    const [block, setting, different, disk] = await Promise.all(['block', 'setting', 'different', 'disk'].map(fail));
    assert.ok(block instanceof BlockError && block.height === 7);
    assert.ok(setting instanceof ConfigError);
    assert.ok(different instanceof DifferentPieces);
    assert.equal(different.message, `${machines.path('coordinator/pieces/replay/different')} differs`);
    assert.ok(disk instanceof ConfigError);
    const fault = `^replay 2026-01 failed on the worker ${hostname()}: no space left in ${machines.path('worker')}/`;
    assert.match(disk.message, new RegExp(fault));
    assert.deepEqual(runs, { block: 1, setting: 1, different: 1, disk: 3 });
    await assert.rejects(coordinator.run('replay', machines.job('block'), { signal }), BlockError);
    assert.equal(runs.block, 2, 'a later run tries again');
  });

  test(`${name}: a worker with a fault of its system leaves jobs to other workers`, async (t) => {
    const machines = new Machines(t, await start());
    let faults = 0;
    let hasFailed = () => {};
    const failed = new Promise<void>((resolve) => {
      hasFailed = resolve;
    });
    const full: Run = async () => {
      faults++;
      hasFailed();
      throw Object.assign(new Error('no space left'), { syscall: 'write' });
    };
    await machines.worker(full, undefined, 60_000);
    const coordinator = await machines.coordinator();
    const runs = ['a', 'b'].map((one) => coordinator.run('replay', machines.job(one), { signal }));
    await failed;
    await machines.worker(copies);
    await Promise.all(runs);
    assert.ok(faults <= 2, `${faults} faults of two threads`);
    assert.ok(machines.said.includes('this worker takes no jobs for 60 s'));
  });

  test(`${name}: a whole run makes results again and compares them`, async (t) => {
    const machines = new Machines(t, await start());
    let text = 'first';
    await machines.worker(({ folder }) =>
      writePiece(folder, async (making) => writeFileSync(join(making, 'rows.txt'), text)),
    );
    const job = machines.job('a');
    await (await machines.coordinator()).run('replay', job, { signal });
    const again = await machines.coordinator(true);
    await again.run('replay', job, { signal });
    text = 'second';
    await assert.rejects(again.run('replay', job, { signal }), DifferentPieces);
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'first');
  });

  test(`${name}: jobs of chains start before waiting jobs`, async (t) => {
    const machines = new Machines(t, await start());
    const queue = await machines.queue();
    const started: string[] = [];
    const [first, second, urgent] = ['1', '2', '3'].map((digit) => jobData({ key: digit.repeat(20) }));
    await queue.add([first!, second!]);
    await queue.add([{ ...urgent!, isUrgent: true }]);
    const all = new Signal();
    const worker = queue.startWorker('worker', 1, async (job) => {
      if (started.push(readJob(queue, job).key.slice(0, 1)) === 3) all.give();
    });
    await all.given;
    await worker.close();
    assert.deepEqual(started, ['3', '1', '2']);
  });

  test(`${name}: jobs of another version go back to the queue, and the worker says so once`, async (t) => {
    const machines = new Machines(t, await start());
    const queue = await machines.queue();
    await queue.add(['1', '2', '3'].map((digit) => jobData({ key: digit.repeat(20), program: 'other' })));
    await machines.worker(copies);
    await until(async () => machines.said.length > 0 && (await queue.state()).waiting === 3, 'jobs went back');
    assert.match(machines.said.join('\n'), /^the jobs in the queue are of another version[^\n]*$/);
    // A coordinator of this version removes jobs that another version has left.
    const job = machines.job('a');
    await (await machines.coordinator()).run('replay', job, { signal });
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
    assert.equal(machines.said.length, 1);
  });

  test(`${name}: forged jobs are refused in one line each, and write no file`, async (t) => {
    const machines = new Machines(t, await start());
    const store = await machines.store;
    const storeId = await store.makeId();
    const rows = join(machines.path(), 'store/forged');
    writeFileSync(rows, 'forged');
    const sha256 = await store.putObject(rows);
    const describe = (path: string, folder: unknown) => {
      writeFileSync(rows, JSON.stringify({ kind: 'replay', job: { folder }, inputs: [{ path, sha256 }] }));
      return store.putObject(rows);
    };
    const places = [
      await describe('../../../outside.txt', { $path: 'pieces/replay/k' }),
      await describe(machines.path('outside.txt'), { $path: 'pieces/replay/k' }),
      await describe('inside.txt', { $path: '../../../outside' }),
      await describe('inside.txt', machines.path('outside')),
    ];
    rmSync(rows);
    const before = readdirSync(machines.path());
    const queue = await machines.queue();
    const [otherKey, otherStore] = [new QueueKey('f0'.repeat(32), storeId), new QueueKey(KEY, 'fedcba9876543210')];
    const forgers = [
      await machines.forger((text) => JSON.parse(text)),
      await machines.forger((text) => otherKey.signed('job', text)),
      await machines.forger((text) => otherStore.signed('job', text)),
    ];
    const runs: string[] = [];
    await machines.worker(
      (job) => {
        runs.push(job.folder);
        return copies(job);
      },
      undefined,
      1,
    );
    const program = jobVersion();
    for (const [i, forger] of forgers.entries()) {
      await forger.add([jobData({ program, description: places[0]!, key: String(i).repeat(20) })]);
    }
    await queue.add(places.map((description, i) => jobData({ program, description, key: String(i + 3).repeat(20) })));
    const count = forgers.length + places.length;
    await until(async () => (await queue.jobs('failed', 10)).length === count, 'the jobs failed');
    for (const i of forgers.keys()) {
      const line = `refused the job "replay-${String(i).repeat(20)}" of the queue: no coordinator of this store has signed`;
      assert.equal(machines.said.filter((one) => one.startsWith(line)).length, 1, line);
    }
    assert.equal(machines.said.filter((one) => /^replay 2026-01 failed: it/.test(one)).length, places.length);
    assert.equal(machines.said.length, count);
    assert.deepEqual([runs, readdirSync(machines.path())], [[], [...before, 'worker'].sort()]);

    const job = machines.job('a');
    await (await machines.coordinator()).run('replay', job, { signal });
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
    assert.equal(runs.length, 1);
  });

  test(`${name}: a job that somebody changes in the queue, and forged failures and results, are not believed`, async (t) => {
    const machines = new Machines(t, await start());
    const queue = await machines.queue();
    const otherKey = new QueueKey('f0'.repeat(32), queue.key.storeId);
    const forger = await machines.forger((text) => otherKey.signed('failure', text));
    const dataDir = machines.path('coordinator');
    const lines: string[] = [];
    const night = { dataDir, store: await machines.store, isFull: false, say: (line: string) => void lines.push(line) };
    const coordinator = new RemoteExecutor(queue, night);
    const job = machines.job('a');
    const done = coordinator.run('replay', job, { signal });
    await until(async () => (await queue.state()).waiting === 1, 'the job waits');
    const [added] = await queue.jobs('waiting', 1);
    const data = readJob(queue, added!);
    await forger.remove(added!.id!);
    await forger.add([{ ...data, description: '0'.repeat(64) }]);
    const failed = new Signal();
    const damage = errorText(new BlockError(7, 'AB', 'it is forged'));
    const liar = forger.startWorker('liar', 1, async () => {
      failed.give();
      throw forger.failure(added!.id!, damage, 'no other attempt');
    });
    await failed.given;
    await liar.close();
    let runs = 0;
    await machines.worker(
      (one) => {
        runs++;
        return copies(one);
      },
      undefined,
      1,
    );
    await done;
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
    assert.match(lines[0]!, /^replay 2026-01 ended without a result that a worker with this HUBLEDGER_QUEUE_KEY has/);

    // Somebody replaces the result in the store by rows of their own.
    const store = await machines.store;
    const forged = machines.path('coordinator/forged.txt');
    writeFileSync(forged, 'forged rows');
    const files = [{ path: 'rows.txt', bytes: 11, sha256: await store.putObject(forged) }];
    for (const signature of [undefined, otherKey.listSigner.sign('text')]) {
      const list = Buffer.from(JSON.stringify({ files, signature }));
      await store.objects.put(`pieces/replay/${data.key}.json`, list);
      rmSync(job.folder, { recursive: true });
      const before = runs;
      await (await machines.coordinator()).run('replay', job, { signal });
      assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
      assert.equal(runs, before + 1);
    }
  });

  test(`${name}: two stores on one server do not take each other's jobs`, async (t) => {
    const server = await start();
    // The first is closed first. The last stops the server.
    const [other, one] = [new Machines(t, { ...server, stop: async () => {} }), new Machines(t, server)];
    const runs: string[] = [];
    const countingIn =
      (store: string): Run =>
      (job) => {
        runs.push(store);
        return copies(job);
      };
    await one.worker(countingIn('one'));
    const job = other.job('a');
    const done = (await other.coordinator()).run('replay', job, { signal });
    const monitor = other.monitor();
    await becomes(() => monitor.state(), { workers: 0, waiting: 1, active: 0 });
    await other.worker(countingIn('other'));
    await done;
    assert.deepEqual(runs, ['other']);
  });

  test(`${name}: a worker that ends gives back a long job, and another takes it`, async (t) => {
    const machines = new Machines(t, await start());
    const begun = new Signal();
    const slow = await machines.worker(() => {
      begun.give();
      return new Promise(() => {});
    });
    const job = machines.job('a');
    const done = (await machines.coordinator()).run('replay', job, { signal });
    await begun.given;
    assert.equal(await slow.close(0), 1);
    await machines.worker(copies);
    await done;
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
  });

  test(`${name}: a job that arrives while a worker ends goes back, and another worker takes it`, async (t) => {
    const machines = new Machines(t, await start());
    const queue = await machines.queue();
    const [arrived, closing] = [new Signal(), new Signal()];
    const startWorker = queue.startWorker.bind(queue);
    queue.startWorker = (worker, threads, process) =>
      startWorker(worker, threads, async (job, token) => {
        arrived.give();
        await closing.given;
        return process(job, token);
      });
    const runs: string[] = [];
    const runOf =
      (worker: string): Run =>
      (job) => {
        runs.push(worker);
        return copies(job);
      };
    const ending = await machines.worker(runOf('ending'), queue);
    const done = (await machines.coordinator()).run('replay', machines.job('a'), { signal });
    await arrived.given;
    const closed = ending.close(0);
    closing.give();
    assert.equal(await closed, 0);
    await machines.worker(runOf('other'));
    await done;
    assert.deepEqual(runs, ['other']);
  });
}

for (const program of programs('redis')) {
  test(`${program}: jobs survive a queue that is lost and comes back empty`, async (t) => {
    const redis = await startRedis(program);
    const machines = new Machines(t, redis);
    const coordinator = await machines.coordinator();
    const job = machines.job('a');
    const done = coordinator.run('replay', job, { signal });
    const monitor = machines.monitor();
    await becomes(() => monitor.state(), { workers: 0, waiting: 1, active: 0 });
    await redis.stop();
    assert.equal(await monitor.state(), null);
    await redis.start();
    await becomes(() => monitor.state(), { workers: 0, waiting: 1, active: 0 });
    await machines.worker(copies);
    await done;
    assert.equal(readFileSync(join(job.folder, 'rows.txt'), 'utf8'), 'rows of a');
  });

  test(`${program}: a job runs once, also if the coordinator adds jobs again while the queue is slow`, async (t) => {
    const machines = new Machines(t, await startRedis(program));
    const queue = await machines.queue();
    const remove = queue.remove.bind(queue);
    queue.remove = async (id) => {
      await wait(runs * 1000);
      await remove(id);
    };
    let runs = 0;
    const first = new Signal();
    await machines.worker(async (job) => {
      if (++runs === 1) await first.given;
      await copies(job);
    });
    const coordinator = await machines.coordinator(true, queue);
    const [a, b] = [machines.job('a'), machines.job('b')];
    const done = coordinator.run('replay', a, { signal });
    await until(() => runs === 1, 'the first job runs');
    await coordinator.run('replay', b, { signal });
    first.give();
    await done;
    assert.equal(runs, 2);
  });

  test(`${program}: jobs fail after the queue stayed away`, async (t) => {
    const redis = await startRedis(program);
    const machines = new Machines(t, redis);
    const lines: string[] = [];
    const impatient = { forMs: 5000, say: (text: string) => void lines.push(text) };
    const queue = await openQueue(redis.url, new QueueKey(KEY, await (await machines.store).makeId()), impatient);
    t.after(() => queue.close());
    const night = { dataDir: machines.path('coordinator'), store: await machines.store, isFull: false, say() {} };
    const done = new RemoteExecutor(queue, night).run('replay', machines.job('a'), { signal });
    await until(async () => (await queue.state()).waiting === 1, 'the job waits');
    await redis.stop();
    await assert.rejects(done, /^Error: the queue at 127\.0\.0\.1:\d+ does not answer/);
    // The first failure is of a request that was sent before the server ended, or of one that was sent after it.
    assert.match(
      lines[0]!,
      /does not answer \((connect ECONNREFUSED|\w+ ECONNRESET|Conn).*\); trying again for \d+ s$/,
    );
  });
}
