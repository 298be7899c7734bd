/** A thread that reads the chain. */
import { readChain } from './read-chain.js';
import { answerJobs } from './run-jobs.js';

answerJobs(readChain);
