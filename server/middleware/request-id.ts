/** X-Request-Id: the caller's own when it is well formed, else a new one. */
import { randomUUID } from 'node:crypto';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,128}$/;

/** An ill-formed id is replaced, never reflected. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}
