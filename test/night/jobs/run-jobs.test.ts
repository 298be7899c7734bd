/** Jobs run elsewhere: only JSON and copies of the files that a job names reach the place where it runs. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { JOB_KINDS, type JobKind } from '../../../pipeline/night/jobs/job-kinds.js';
import { type Executor, runJobs } from '../../../pipeline/night/jobs/run-jobs.js';
import { ThreadPool } from '../../../pipeline/night/jobs/thread-pool.js';
import { runNight } from '../../../pipeline/run-night.js';
import { NightCase, silent } from '../../pipeline/night-case.js';

const chain = new NightCase();
after(() => chain.remove());

/** An executor whose workers have another data folder, into which it copies only what a job names. */
function elsewhere(dataDir: string, kinds: JobKind[]): Executor {
  return {
    async run(kind, job) {
      kinds.push(kind);
      const place = mkdtempSync(chain.path('elsewhere-'));
      const named: string[] = [];
      const moved = JSON.parse(JSON.stringify(job), (_, value) => {
        if (typeof value !== 'string' || !value.startsWith(`${dataDir}/`)) return value;
        named.push(value);
        return place + value.slice(dataDir.length);
      });
      for (const path of named) {
        const copy = place + path.slice(dataDir.length);
        mkdirSync(dirname(copy), { recursive: true });
        if (path !== job.folder) cpSync(path, copy, { recursive: true });
      }
      await JOB_KINDS[kind](moved as never);
      mkdirSync(dirname(job.folder), { recursive: true });
      renameSync(moved.folder, job.folder);
      rmSync(place, { recursive: true });
    },
  };
}

test('a night whose jobs run on another machine has the same bytes', async () => {
  const { generation } = await chain.published('here');
  const kinds: JobKind[] = [];
  const config = readConfig(chain.environment('there'));
  const options = { workers: 0 };
  const other = await runNight(config, options, silent, elsewhere(chain.path('there'), kinds));
  assert.equal(other.generation, generation);
  assert.deepEqual([...new Set(kinds)].sort(), Object.keys(JOB_KINDS).sort());
});

test('after an error no further job starts, and running jobs end first', async () => {
  const events: string[] = [];
  const executor: Executor = {
    async run(_, { folder }, { signal }) {
      await new Promise((resolve) => setTimeout(resolve, folder === 'slow' ? 20 : 1));
      signal.throwIfAborted();
      events.push(folder);
      if (folder === 'wrong') throw new Error('wrong job');
    },
  };
  const jobs = ['wrong', 'slow'].map((folder) => ({ folder }));
  async function* source(signal: AbortSignal) {
    yield* jobs;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  }
  const { signal } = new AbortController();
  await assert.rejects(runJobs({ executor, signal }, 'classify', source as never), new Error('wrong job'));
  assert.deepEqual(events, ['wrong']);
});

test('kinds of jobs take turns, after jobs of chains', async () => {
  const pool = new ThreadPool(0);
  const { signal } = new AbortController();
  const ended: string[] = [];
  const run = (kind: JobKind, name: string) =>
    pool.run(kind, { folder: join(chain.root, name) } as never, { signal }).catch(() => ended.push(name));
  const kinds = ['audits', 'audits', 'audits', 'months', 'replay', 'replay'] as const;
  await Promise.all(kinds.map((kind, i) => run(kind, `${kind} ${i}`)));
  assert.deepEqual(ended, ['audits 0', 'replay 4', 'replay 5', 'audits 1', 'months 3', 'audits 2']);
  await pool.close();
});
