/**
 * Lists the kinds of jobs. A job is JSON. A string in a job that begins with the data folder's path names an input. The
 * exception is `folder`, which names the result, a sealed folder. Because of this, a job can run on another machine
 * that has copies of its inputs.
 */
import { fileURLToPath } from 'node:url';
import { auditMonth } from './audit/audit-month.js';
import { classifyRange } from './classify/classify-range.js';
import { makeMonth } from './months/make-month.js';
import { replayMonth } from './replay/replay-month.js';

export const JOB_KINDS = {
  classify: classifyRange,
  months: makeMonth,
  replay: replayMonth,
  audits: auditMonth,
} as const;

export type JobKind = keyof typeof JOB_KINDS;

export type JobOf<Kind extends JobKind> = Parameters<(typeof JOB_KINDS)[Kind]>[0];

/** Kinds whose jobs form chains. Their jobs start before waiting jobs of other kinds. */
export const CHAINED: ReadonlySet<JobKind> = new Set(['replay']);

export interface Task {
  readonly kind: JobKind;
  readonly job: unknown;
}

/** The modules with each kind's code, for cache keys. */
export const PROGRAMS: Readonly<Record<JobKind, string>> = {
  classify: moduleOf('./classify/classify-range.js'),
  months: moduleOf('./months/make-month.js'),
  replay: moduleOf('./replay/replay-month.js'),
  audits: moduleOf('./audit/audit-month.js'),
};

function moduleOf(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
