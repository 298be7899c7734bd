import { answerJobs } from '../run-jobs.js';
import { makeStart } from './make-start.js';

answerJobs(makeStart);
