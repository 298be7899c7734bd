/** The entry module of a thread that does jobs of full size. */
import { answerJobs } from '../../../pipeline/jobs/run-jobs.js';
import { runFullSize } from './full-size-job.js';

answerJobs(runFullSize);
