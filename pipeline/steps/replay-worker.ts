/** A thread that replays wallets. */
import { replayLedger } from './replay-ledger.js';
import { answerJobs } from './run-jobs.js';

answerJobs(replayLedger);
