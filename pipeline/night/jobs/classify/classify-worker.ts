import type { Database } from '../../../base/duckdb/database.js';
import { answerJobs } from '../run-jobs.js';
import { classifyRangeWith, openForRanges, type RangeJob } from './classify-range.js';

let database: Promise<Database> | undefined;

answerJobs<RangeJob, never>(async (job, circumstances) => {
  database ??= openForRanges(job);
  await classifyRangeWith(await database, job, circumstances);
});
