/** A thread that classifies the ranges it is sent. */
import { classifyRange } from './classify-range.js';
import { answerJobs } from './run-jobs.js';

answerJobs(classifyRange);
