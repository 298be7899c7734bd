import { answerJobs } from '../threads.js';
import { readChain } from './read-chain.js';

answerJobs(readChain);
