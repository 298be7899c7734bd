/** A thread that classifies the ranges it is sent. */

import { answerJobs } from '../run-jobs.js';
import { classifyRangeWith, openForRanges, type RangeJob } from './classify-range.js';

const database = openForRanges();

answerJobs<RangeJob, never>(async (job, circumstances) => classifyRangeWith(await database, job, circumstances));
