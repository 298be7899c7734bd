import { serveJobs } from '../threads.js';
import { readChain } from './read-chain.js';

serveJobs(readChain);
