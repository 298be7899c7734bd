/** Refusals of an operation, as responses of the OpenAPI document. */
import type { AnyEndpoint } from '../endpoint.js';
import { PROBLEM_KINDS, type ProblemCode } from '../problem.js';
import { problemExamples } from './openapi-examples.js';
import { describeHeaders, type HeaderName } from './openapi-headers.js';

export interface OperationFacts {
  readonly limited: boolean;
  /** Whether it reads a JSON body. */
  readonly takesBody: boolean;
  /** The headers that all its answers carry. */
  readonly headers: readonly HeaderName[];
}

/** The refusals of an operation, each a status and its response, in the order of the conventions. */
export function describeRefusals(route: AnyEndpoint, facts: OperationFacts): [status: number, response: object][] {
  const codes = problemsOf(route, facts);
  return [...new Set(codes.map(statusOf))].map((status) => {
    const its = codes.filter((code) => statusOf(code) === status);
    return [status, describeProblem(status, its, facts.headers)];
  });
}

const statusOf = (code: ProblemCode) => PROBLEM_KINDS[code].status;

/** The route's own problems and those that any path of its kind can answer. */
function problemsOf(route: AnyEndpoint, { limited, takesBody }: OperationFacts): ProblemCode[] {
  const codes = new Set<ProblemCode>(['bad_request', 'internal_error', 'unavailable', ...(route.problems ?? [])]);
  if (route.policy !== 'none' || route.caller) codes.add('invalid_api_key'); // a key is checked wherever it is sent
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
  // A request that is not even read is charged to nobody.
  const isLate = (name: HeaderName) => status === 400 && name.includes('RateLimit');
  const temporary = status === 429 || status === 503;
  // Generators of clients take a reference alone for the type that it is, so that the codes stand beside it.
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
