import { toJson } from '../../pipeline/base/json/exact-json.js';
import { readSchema } from '../../pipeline/base/project.js';
import { startOf } from '../../pipeline/base/values/day.js';
import type { FieldError, ProblemCode } from '../../schemas/types.generated.js';
import { LIMITS } from './limits.js';

export type { FieldError, ProblemCode };

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly description: string;
}

interface CodeSchema {
  readonly const: ProblemCode;
  readonly 'x-status': number;
  readonly 'x-title': string;
  readonly description: string;
}

interface ProblemSchema {
  readonly properties: Readonly<Record<string, { readonly description: string; readonly 'x-removed-on'?: string }>>;
  readonly $defs: { readonly ProblemCode: { readonly oneOf: readonly CodeSchema[] } };
}

const { properties, $defs } = readSchema<ProblemSchema>('problem.json');

/** Returns the members of problems. @param day UTC day; deprecated members are left out once they are removed */
export const problemMembers = (day: string) =>
  Object.entries(properties).filter(([, { 'x-removed-on': end }]) => end === undefined || day < end);

export const PROBLEM_KINDS = Object.freeze(
  Object.fromEntries(
    $defs.ProblemCode.oneOf.map((code): [string, ProblemKind] => [
      code.const,
      { status: code['x-status'], title: code['x-title'], description: code.description },
    ]),
  ),
) as Readonly<Record<ProblemCode, ProblemKind>>;

export interface ProblemExtras {
  /** Errors in single fields. `path` is the name of a parameter or body member, plus a JSON pointer into its value. */
  readonly errors?: readonly FieldError[];
  readonly retryAfter?: number;
  /** True if retries cannot succeed until another dataset is published. The body then has no retry_after. */
  readonly lasting?: boolean;
  /** Number of flagged receipts without a decision. */
  readonly pending?: number;
  /** First and last UTC day with proved holdings; null if there is none. */
  readonly provedDays?: readonly [first: string, last: string] | null;
  readonly violatedPolicies?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const DEFAULT_RETRY_AFTER_SECONDS = 5;
const LASTING_RETRY_AFTER_SECONDS = 3600;

/** An error for the client. Any code may throw it, and middleware/every-request.ts sends it. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(`${code}: ${detail}`);
  }

  get status(): number {
    return PROBLEM_KINDS[this.code].status;
  }

  /** Seconds after which a retry may succeed; undefined if no retry can succeed (specification, "Errors"). */
  get retryAfter(): number | undefined {
    const { retryAfter, lasting = false } = this.extras;
    const passes = !lasting && (this.status === 429 || this.status === 503);
    return retryAfter ?? (passes ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  }
}

/** Returns the value. @throws Problem not_found if there is no value */
export function requireFound<Found>(value: Found | undefined, detail: string): Exclude<Found, false> {
  if (value === undefined || value === false) throw new Problem('not_found', detail);
  return value as Exclude<Found, false>;
}

export const faultAt = (path: string, message: string): Problem =>
  new Problem('bad_request', `${path}: ${message}`, { errors: [{ path, message }] });

/** At this time (Unix milliseconds), the deprecated members `error` and `success` are removed. */
const DEPRECATED_UNTIL = startOf(properties.error!['x-removed-on']!);

/**
 * Maximum size of each text in a problem, in bytes of JSON. The deprecated member `error` repeats the detail, and at
 * least one error must fit.
 */
const TEXT_BYTES_MAX = { detail: 2600, instance: 1000, path: 1000, message: 4000 };

/** Returns the JSON of a problem. Truncates texts and omits errors, so that the size is limited. */
export function problemBody(
  problem: Problem,
  request: { baseUrl: string; path: string; requestId: string; now: Date },
) {
  const { errors, pending, provedDays, violatedPolicies } = problem.extras;
  const { retryAfter } = problem;
  const detail = cutText(problem.detail, TEXT_BYTES_MAX.detail);
  const body = {
    type: problemType(request.baseUrl, problem.code),
    title: PROBLEM_KINDS[problem.code].title,
    status: problem.status,
    detail,
    code: problem.code,
    instance: cutText(request.path, TEXT_BYTES_MAX.instance),
    request_id: request.requestId,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(pending !== undefined && { pending }),
    ...(provedDays !== undefined && {
      first_proved_day: provedDays?.[0] ?? null,
      last_proved_day: provedDays?.[1] ?? null,
    }),
    ...(violatedPolicies && { 'violated-policies': violatedPolicies }),
    ...(request.now.getTime() < DEPRECATED_UNTIL && { error: detail, success: false }),
  };
  return errors ? { ...body, ...fittingErrors(errors, LIMITS.answers.problem.max - bytesOf(body)) } : body;
}

const bytesOf = (value: unknown) => Buffer.byteLength(toJson(value));

const ERRORS_BYTES = bytesOf({ errors: [], errors_omitted: Number.MAX_SAFE_INTEGER });

function fittingErrors(errors: readonly FieldError[], bytesLeft: number) {
  const fitting: FieldError[] = [];
  let left = bytesLeft - ERRORS_BYTES;
  for (const { path, message } of errors.slice(0, LIMITS.input.faults.max)) {
    const error = {
      path: cutText(path, TEXT_BYTES_MAX.path),
      message: cutText(message, TEXT_BYTES_MAX.message),
    };
    left -= bytesOf(error) + 1;
    if (left < 0) break;
    fitting.push(error);
  }
  const omitted = errors.length - fitting.length;
  return { errors: fitting, ...(omitted > 0 && { errors_omitted: omitted }) };
}

/** Truncates a text to a number of bytes in JSON. A single character may need six bytes. */
function cutText(text: string, bytesMax: number): string {
  if (text.length * 6 + 2 <= bytesMax || (text.length <= bytesMax && bytesOf(text) <= bytesMax)) return text;
  let left = bytesMax - bytesOf('…');
  let end = 0;
  for (const character of text) {
    left -= bytesOf(character) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

export const CONVENTIONS_PATH = '/docs/conventions';

const problemType = (baseUrl: string, code: ProblemCode) => `${baseUrl}${CONVENTIONS_PATH}#${code}`;

export function problemHeaders(problem: Problem): Record<string, string> {
  const { retryAfter = problem.extras.lasting ? LASTING_RETRY_AFTER_SECONDS : undefined } = problem;
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(problem.status === 401 && { 'WWW-Authenticate': challenge(problem.code) }),
    ...problem.extras.headers,
  };
}

const challenge = (code: ProblemCode) =>
  code === 'invalid_api_key' ? 'Bearer realm="api", error="invalid_token"' : 'Bearer realm="api"';
