import { answerJobs } from '../run-jobs.js';
import { replayMonth } from './replay-month.js';

answerJobs(replayMonth);
