/** A thread that classifies the ranges it is sent. */
import { parentPort } from 'node:worker_threads';
import { BlockError } from '../chain/block-error.js';
import { classifyRange, type RangeJob } from './classify-range.js';
import type { Verdict } from './run-jobs.js';

const port = parentPort!;

port.on('message', async (job: RangeJob) => port.postMessage(await verdictOf(job)));

async function verdictOf(job: RangeJob): Promise<Verdict> {
  try {
    await classifyRange(job);
    return { ok: true };
  } catch (error) {
    if (error instanceof BlockError) {
      const { height, hash, reason } = error;
      return { ok: false, block: { height, hash, reason } };
    }
    return { ok: false, message: (error as Error).stack ?? String(error) };
  }
}
