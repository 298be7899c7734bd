import { daysBetween, startOf } from '../../pipeline/base/values/day.js';
import { Problem } from './problem.js';

export interface Retirement {
  readonly deprecatedOn: string;
  /** First UTC day on which the endpoint is gone. */
  readonly sunsetOn: string;
  readonly successor?: string;
  readonly changelog: string;
}

/** Minimum days between deprecation and removal (specification, "Limits"). */
const NOTICE_DAYS = 90;

export function requireNotice(path: string, { deprecatedOn, sunsetOn }: Retirement): void {
  const days = daysBetween(deprecatedOn, sunsetOn);
  if (!(days >= NOTICE_DAYS)) {
    throw new Error(`${path} goes ${days} days after it is announced: at least ${NOTICE_DAYS} are promised`);
  }
}

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

export function requireNotGone({ sunsetOn, successor }: Retirement, now: Date): void {
  if (now.getTime() < startOf(sunsetOn)) return;
  const instead = successor === undefined ? 'nothing takes its place' : `ask ${successor} instead`;
  throw new Problem('gone', `this endpoint was retired on ${sunsetOn}; ${instead}`);
}
