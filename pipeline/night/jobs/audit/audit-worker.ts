import { answerJobs } from '../run-jobs.js';
import { auditMonth } from './audit-month.js';

answerJobs(auditMonth);
