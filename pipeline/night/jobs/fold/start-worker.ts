import { serveJobs } from '../threads.js';
import { makeStart } from './make-start.js';

serveJobs(makeStart);
