/** The entry module of a thread that reads a starting state. */
import { answerJobs } from '../run-jobs.js';
import { makeStart } from './make-start.js';

answerJobs(makeStart);
