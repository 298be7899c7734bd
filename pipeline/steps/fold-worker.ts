/** A thread that folds holdings. */
import { foldRange } from './fold-range.js';
import { answerJobs } from './run-jobs.js';

answerJobs(foldRange);
