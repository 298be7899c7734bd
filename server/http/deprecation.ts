/** Deprecation: endpoints that are on their way out (specification, "Versioning"; RFC 9745, RFC 8594). */
import { daysBetween, startOf } from '../../pipeline/ledger/day.js';
import { Problem } from '../problem.js';

export interface Retirement {
  /** UTC day of the announcement, YYYY-MM-DD. */
  readonly deprecatedOn: string;
  /** UTC day from whose first instant on the endpoint is gone, YYYY-MM-DD. */
  readonly sunsetOn: string;
  /** Path of the endpoint that takes its place. */
  readonly successor?: string;
  /** Path and anchor of the changelog's entry. */
  readonly changelog: string;
}

/** Days from the announcement to the end, at least (specification, "Limits"). */
const NOTICE_DAYS = 90;

/** Requires that callers get enough notice of an endpoint's end. @throws Error when they get too little time */
export function requireNotice(path: string, { deprecatedOn, sunsetOn }: Retirement): void {
  const days = daysBetween(deprecatedOn, sunsetOn);
  if (!(days >= NOTICE_DAYS)) {
    throw new Error(`${path} goes ${days} days after it is announced: at least ${NOTICE_DAYS} are promised`);
  }
}

/** The headers of every answer of a retired endpoint, before and after its end. */
export function deprecationHeaders(retirement: Retirement, baseUrl: string): Record<string, string> {
  const { deprecatedOn, sunsetOn, successor, changelog } = retirement;
  const links = [`<${baseUrl}${changelog}>; rel="deprecation"; type="text/html"`];
  if (successor !== undefined) links.push(`<${baseUrl}${successor}>; rel="successor-version"`);
  return {
    Deprecation: `@${startOf(deprecatedOn) / 1000}`,
    Sunset: new Date(startOf(sunsetOn)).toUTCString(),
    Link: links.join(', '),
  };
}

/** Requires that an endpoint has not ended yet. @throws Problem gone, from the day of its end on */
export function requireNotGone({ sunsetOn, successor }: Retirement, now: Date): void {
  if (now.getTime() < startOf(sunsetOn)) return;
  const instead = successor === undefined ? 'nothing takes its place' : `ask ${successor} instead`;
  throw new Problem('gone', `this endpoint was retired on ${sunsetOn}; ${instead}`);
}
