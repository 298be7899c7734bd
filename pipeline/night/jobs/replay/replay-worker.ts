import { answerJobs } from '../run-jobs.js';
import { replayLedger } from './replay-ledger.js';

answerJobs(replayLedger);
