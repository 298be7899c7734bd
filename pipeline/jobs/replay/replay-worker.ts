/** The entry module of a thread that replays wallets. */

import { answerJobs } from '../run-jobs.js';
import { replayLedger } from './replay-ledger.js';

answerJobs(replayLedger);
