import { answerJobs } from '../run-jobs.js';
import { makeMonth } from './make-month.js';

answerJobs(makeMonth);
