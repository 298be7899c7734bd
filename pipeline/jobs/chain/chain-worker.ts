/** The entry module of a thread that reads the chain. */

import { answerJobs } from '../run-jobs.js';
import { readChain } from './read-chain.js';

answerJobs(readChain);
