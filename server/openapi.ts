/**
 * The OpenAPI 3.1 document, made from the list of endpoints, schemas/parameters.json, schemas/responses/* and
 * schemas/problem.json. Equal input gives equal bytes.
 */
import type { Route } from './endpoint.js';
import { describeHeaders, type HeaderName, headerComponents, standardHeaders } from './openapi-headers.js';
import { SchemaComponents } from './openapi-schemas.js';
import { PARAMETERS, type ParameterName, type ParameterSchema } from './parameters.js';
import { PROBLEM_KINDS, type ProblemCode } from './problem.js';

/** Version of the interface (specification, "Versioning"), not of the program. */
const API_VERSION = '1.1.0';

export interface OpenApiOptions {
  readonly baseUrl: string;
  /** Whether requests are counted against quotas; the document shows headers and refusals only then. */
  readonly limited: boolean;
  readonly routes: readonly Route[];
}

/** @returns the document as a JSON value */
export function openApiDocument({ baseUrl, limited, routes }: OpenApiOptions): object {
  const components = new SchemaComponents();
  components.refer('problem.json');
  const paths = Object.fromEntries(
    routes.map((route) => [route.path, describePath(route, limited && route.policy !== 'none', components)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'hubledger',
      version: API_VERSION,
      summary: 'Tax records of the Cosmos Hub: events, journal, positions, holdings and reference prices.',
      description:
        'A public read API; no credentials are needed. Records for tax preparation, no tax advice. ' +
        'Every error is an RFC 9457 problem: branch on its `code`. Ignore members you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'tax', description: 'Tax records and the reference data they follow.' },
      { name: 'service', description: 'The service itself.' },
    ],
    paths,
    components: {
      schemas: components.all(),
      parameters: describeParameters(routes),
      headers: headerComponents(),
    },
  };
}

function describePath(route: Route, limited: boolean, components: SchemaComponents): object {
  const answers = describeAnswers(route, limited, components);
  const common = {
    tags: [route.path.startsWith('/api/tax/') ? 'tax' : 'service'],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.retirement && { deprecated: true }),
  };
  const parameters = route.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const get = { operationId: operationId(route.path), ...common, parameters, responses: answers('get') };
  if (!route.post) return { get };
  const content = { 'application/json': { schema: bodySchema(route.parameters) } };
  return {
    get,
    post: {
      operationId: `${operationId(route.path)}ByPost`,
      ...common,
      description: `${route.description ?? route.summary} The parameters as a JSON body, for long tags and decisions.`,
      requestBody: { required: true, content },
      responses: answers('post'),
    },
  };
}

/** '/api/tax/v1/price-series' → 'priceSeries' */
function operationId(path: string): string {
  const words = path.replace(/^\/api\/[a-z]+\/v\d+/, '').match(/[a-z0-9]+/gi) ?? [];
  return words.map((word, i) => (i === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
}

type Operation = 'get' | 'post';

function describeAnswers(route: Route, limited: boolean, components: SchemaComponents) {
  const headers = standardHeaders(limited, route.retirement !== undefined);
  const text = { schema: { type: 'string' } };
  const content =
    route.response === 'text' || route.response === 'html'
      ? { [route.response === 'html' ? 'text/html' : 'text/plain']: text }
      : {
          'application/json': { schema: components.refer(`responses/${route.response}.json`) },
          ...(route.csv && { 'text/csv': text }),
        };
  return (operation: Operation): object => {
    const cacheable = operation === 'get' && !route.volatile;
    const optional = [...(cacheable ? ['ETag' as const] : []), ...(route.csv ? ['Content-Disposition' as const] : [])];
    const ok = { description: route.summary, headers: describeHeaders(headers, optional), content };
    const notModified = {
      description: 'As the answer that If-None-Match names.',
      headers: describeHeaders([...headers, 'ETag']),
    };
    const codes = problemsOf(route, operation, limited);
    const refusals = [...new Set(codes.map(statusOf))].map((status) => [
      status,
      describeProblem(
        status,
        codes.filter((code) => statusOf(code) === status),
        headers,
      ),
    ]);
    return Object.fromEntries([[200, ok], ...(cacheable ? [[304, notModified]] : []), ...refusals]);
  };
}

const statusOf = (code: ProblemCode) => PROBLEM_KINDS[code].status;

/** The route's own problems and those that any path of its kind can answer, in the order of the conventions. */
function problemsOf(route: Route, operation: Operation, limited: boolean): ProblemCode[] {
  const codes = new Set<ProblemCode>(['bad_request', 'internal_error', ...route.problems]);
  if ('handle' in route) codes.add('unavailable');
  if (route.replayed) codes.add('replay_in_progress');
  if (limited) codes.add('rate_limited');
  if (route.retirement) codes.add('gone');
  if (operation === 'post') codes.add('validation_failed');
  return (Object.keys(PROBLEM_KINDS) as ProblemCode[]).filter((code) => codes.has(code));
}

function describeProblem(status: number, codes: readonly ProblemCode[], headers: readonly HeaderName[]): object {
  const temporary = status === 429 || status === 503;
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { status: { const: status }, code: { enum: codes } },
    ...(temporary && { required: ['retry_after'] }),
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_KINDS[code].description}`).join(' '),
    headers: describeHeaders([...headers, ...(temporary ? ['Retry-After' as const] : [])]),
    content: { 'application/problem+json': { schema } },
  };
}

/** A parameter's JSON Schema without what is said beside it. */
function valueSchema(parameter: ParameterSchema): object {
  return Object.fromEntries(
    Object.entries(parameter).filter(
      ([name]) => !name.startsWith('x-') && name !== 'description' && name !== 'examples',
    ),
  );
}

function describeParameters(routes: readonly Route[]): object {
  const names = new Set(routes.flatMap((route) => route.parameters));
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const parameter = PARAMETERS[name];
      const { description, examples } = parameter;
      return [
        name,
        {
          name: parameter['x-name'] ?? name,
          in: 'query',
          description,
          required: parameter['x-required'] ?? false,
          schema: valueSchema(parameter),
          ...(examples?.[0] !== undefined && { example: examples[0] }),
        },
      ];
    }),
  );
}

function bodySchema(names: readonly ParameterName[]): object {
  const members = names.map((name) => {
    const parameter = PARAMETERS[name];
    const { name: member = parameter['x-name'] ?? name, ...schema } = parameter['x-body'] ?? {
      ...valueSchema(parameter),
    };
    return { member, required: parameter['x-required'], schema: { description: parameter.description, ...schema } };
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ member, schema }) => [member, schema])),
    required: members.filter(({ required }) => required).map(({ member }) => member),
  };
}
