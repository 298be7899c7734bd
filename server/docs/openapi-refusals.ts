/** Error responses of an operation. */
import type { AnyEndpoint } from '../endpoint.js';
import { PROBLEM_KINDS, type ProblemCode } from '../problem.js';
import { problemExamples } from './openapi-examples.js';
import { describeHeaders, type HeaderName } from './openapi-headers.js';

export interface OperationFacts {
  readonly limited: boolean;
  readonly takesBody: boolean;
  readonly headers: readonly HeaderName[];
}

/** Returns error responses by status, in the order of the problem codes. */
export function describeRefusals(route: AnyEndpoint, facts: OperationFacts): [status: number, response: object][] {
  const codes = problemsOf(route, facts);
  return [...new Set(codes.map(statusOf))].map((status) => {
    const its = codes.filter((code) => statusOf(code) === status);
    return [status, describeProblem(status, its, facts.headers)];
  });
}

const statusOf = (code: ProblemCode) => PROBLEM_KINDS[code].status;

/** Adds problems that any endpoint of this kind can return. */
function problemsOf(route: AnyEndpoint, { limited, takesBody }: OperationFacts): ProblemCode[] {
  const codes = new Set<ProblemCode>(['bad_request', 'internal_error', 'unavailable', ...(route.problems ?? [])]);
  if (route.policy !== 'none' || route.caller) codes.add('invalid_api_key'); // any key in a request is checked
  if (route.replayed) codes.add('replay_in_progress');
  if (route.decisions?.undecided === 'refused') codes.add('asset_decisions_required');
  if (limited) codes.add('rate_limited');
  if (route.retirement) codes.add('gone');
  if (takesBody) codes.add('validation_failed');
  if (route.caller) codes.add('unauthorized');
  if (route.caller === 'session' || (route.kind === 'action' && route.method !== 'GET')) codes.add('forbidden');
  if ('idempotent' in route) {
    for (const code of ['invalid', 'reused'] as const) codes.add(`idempotency_key_${code}`);
    codes.add('idempotency_in_progress');
  }
  if (route.caller?.includes(':')) codes.add('insufficient_scope');
  return (Object.keys(PROBLEM_KINDS) as ProblemCode[]).filter((code) => codes.has(code));
}

function describeProblem(status: number, codes: readonly ProblemCode[], headers: readonly HeaderName[]): object {
  // Malformed requests are not charged.
  const isLate = (name: HeaderName) => status === 400 && name.includes('RateLimit');
  const temporary = status === 429 || status === 503;
  // A plain $ref: client generators need it to recognize the type. The codes are in `x-problem-codes`.
  const schema = { $ref: '#/components/schemas/Problem' };
  const own: HeaderName[] = [
    ...(temporary ? ['Retry-After' as const] : []),
    ...(status === 401 ? ['WWW-Authenticate' as const] : []),
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_KINDS[code].description}`).join(' '),
    headers: describeHeaders([...headers.filter((name) => !isLate(name)), ...own], headers.filter(isLate)),
    'x-problem-codes': codes,
    content: { 'application/problem+json': { schema, examples: problemExamples(codes) } },
  };
}
