/** A thread that reads a starting state. */
import { makeStart } from '../../steps/load-starting-state.js';
import { answerJobs } from '../run-jobs.js';

answerJobs(makeStart);
