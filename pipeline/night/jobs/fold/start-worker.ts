import { answerJobs } from '../threads.js';
import { makeStart } from './make-start.js';

answerJobs(makeStart);
