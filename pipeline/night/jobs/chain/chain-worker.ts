import { answerJobs } from '../run-jobs.js';
import { readChain } from './read-chain.js';

answerJobs(readChain);
