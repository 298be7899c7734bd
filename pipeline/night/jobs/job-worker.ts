/** Entry point of a worker thread that runs jobs of all kinds. */
import { JOB_KINDS, type Task } from './job-kinds.js';
import { serveJobs } from './threads.js';

serveJobs<Task, never>(({ kind, job }) => JOB_KINDS[kind](job as never));
