/** Endpoints that are on their way out (specification, "Versioning"; RFC 9745, RFC 8594). */

import { daysBetween } from '../parameters/time-range.js';
import { Problem } from '../problem.js';
import type { HeaderList } from '../reply.js';

export interface Retirement {
  /** UTC day of the announcement, YYYY-MM-DD. */
  readonly deprecatedOn: string;
  /** UTC day from whose first instant on it is gone, YYYY-MM-DD. */
  readonly sunsetOn: string;
  /** Path of what takes its place. */
  readonly successor?: string;
  /** Path and anchor of the changelog's entry. */
  readonly changelog: string;
}

/** Days from the announcement to the end, at least (specification, "Limits"). */
const NOTICE_DAYS = 90;

const firstInstant = (day: string) => new Date(`${day}T00:00:00Z`);

/** @throws Error when callers get too little time */
export function requireNotice(path: string, { deprecatedOn, sunsetOn }: Retirement): void {
  const days = daysBetween(deprecatedOn, sunsetOn);
  if (!(days >= NOTICE_DAYS)) {
    throw new Error(`${path} goes ${days} days after it is announced: at least ${NOTICE_DAYS} are promised`);
  }
}

/** What every answer says of it, before and after its end. */
export function retirementHeaders(retirement: Retirement, baseUrl: string): HeaderList {
  const { deprecatedOn, sunsetOn, successor, changelog } = retirement;
  const links = [`<${baseUrl}${changelog}>; rel="deprecation"; type="text/html"`];
  if (successor !== undefined) links.push(`<${baseUrl}${successor}>; rel="successor-version"`);
  return [
    'Deprecation',
    `@${firstInstant(deprecatedOn).getTime() / 1000}`,
    'Sunset',
    firstInstant(sunsetOn).toUTCString(),
    'Link',
    links.join(', '),
  ];
}

/** @throws Problem gone, from the day of its end on */
export function requireNotGone({ sunsetOn, successor }: Retirement, now: Date): void {
  if (now < firstInstant(sunsetOn)) return;
  const instead = successor === undefined ? 'nothing takes its place' : `ask ${successor} instead`;
  throw new Problem('gone', `this endpoint was retired on ${sunsetOn}; ${instead}`);
}
