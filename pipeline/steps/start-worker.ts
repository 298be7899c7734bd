/** A thread that reads a starting state. */
import { makeStart } from './load-start.js';
import { answerJobs } from './run-jobs.js';

answerJobs(makeStart);
