/**
 * Generates the OpenAPI document. Schemas become components with their title as name, and references are rewritten.
 * Operations share their refusals and headers as components, which keeps the document small. Constructs that client
 * generators do not support are avoided.
 */
import { type JsonSchema, readSchema } from '../../pipeline/base/project.js';
import { LABELS } from '../../pipeline/books/reports/event-row.js';
import type { Reference } from '../../pipeline/reference.js';
import { type AnyEndpoint, type Method, successOf } from '../api/endpoint.js';
import { PROBLEM_KINDS, Problem, type ProblemCode, problemBody } from '../http/problem.js';
import { SESSION_COOKIE } from '../people/accounts/sessions.js';
import { PARAMETERS, type Parameter, type ParameterName, parametersOf } from '../tax/parameters/parameter-schemas.js';
import type { Api } from './apis.js';

const POINTER = '#/components/schemas/';
const PARAMETER_POINTER = '#/components/parameters/';
const RESPONSE_POINTER = '#/components/responses/';
const HEADER_POINTER = '#/components/headers/';
/**
 * Returns the component name of a parameter. The suffix is needed because generators for Go use one namespace for all
 * components, where the parameter `api_key` would clash with the schema `ApiKey`.
 */
const parameterComponent = (name: string) => `${name}_parameter`;

/** Schema keywords that the document leaves out, because they have no meaning in OpenAPI. */
const LEFT_OUT = new Set(['$schema', '$id', '$defs', 'tsType', 'discriminator', 'x-open', 'x-values', 'x-removed-on']);

/** Schema of counts, heights and times. JavaScript numbers can represent them exactly. */
const EXACT_INTEGER = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Allowed values from reference data. The keys are the names that schemas use in `x-values`. */
type Values = Readonly<Record<string, readonly string[]>>;

const valuesOf = ({ categories, triggers }: Pick<Reference, 'categories' | 'triggers'>): Values => ({
  categories: categories.map(({ category }) => category),
  labels: LABELS,
  categoryLabels: [...new Set(categories.map(({ label }) => label))],
  triggers: ['', ...triggers.map(({ trigger }) => trigger)],
});

class Components {
  private readonly schemas = new Map<string, unknown>();
  private readonly shared = new Map<string, object>();
  private readonly values: Values;

  constructor(
    reference: Pick<Reference, 'categories' | 'triggers'>,
    private readonly today: string,
  ) {
    this.values = valuesOf(reference);
  }

  /** Adds a schema such as `responses/events.json` to the components. @returns a reference to its component */
  refer(path: string): { $ref: string } {
    const schema = readSchema<JsonSchema & { title: string; $defs?: Readonly<Record<string, unknown>> }>(path);
    this.collect(schema.title, schema);
    // Definitions become components too, because client generators do not find nested definitions.
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) this.collect(name, definition);
    return { $ref: POINTER + schema.title };
  }

  private collect(name: string, schema: unknown): void {
    if (this.schemas.has(name)) return;
    // The name is reserved before the content is converted, because references may be circular.
    this.schemas.set(name, {});
    this.schemas.set(name, this.rewrite(withShortExamples(schema as JsonSchema)));
  }

  /** Adds a parameter as a member of bodies to the components, because many bodies have the same ones. */
  shareMember(name: ParameterName): { $ref: string } {
    const title = `${name.split('_').map(titleCase).join('')}Member`;
    if (!this.schemas.has(title)) this.schemas.set(title, this.rewrite(describeMember(PARAMETERS[name])));
    return { $ref: POINTER + title };
  }

  /** Adds a response to the components. Equal names must have equal content. @returns a reference to its component */
  share(name: string, response: object): { $ref: string } {
    this.shared.set(name, response);
    return { $ref: RESPONSE_POINTER + name };
  }

  all(): { schemas: Record<string, unknown>; responses: Record<string, object> } {
    return { schemas: sortedByName(this.schemas), responses: sortedByName(this.shared) };
  }

  rewrite(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item));
    if (typeof value !== 'object' || value === null) return value;
    const schema = explicit(inlined(value as JsonSchema), this.values);
    const members = Object.entries(schema).filter(([name, member]) => !LEFT_OUT.has(name) && !this.isRemoved(member));
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        name === '$ref' && typeof member === 'string' ? this.follow(member) : this.rewrite(member),
      ]),
    );
  }

  /** Returns true for a deprecated member of an answer after the day of its removal. */
  private isRemoved(member: unknown): boolean {
    const end = (member as JsonSchema | null)?.['x-removed-on'];
    return typeof end === 'string' && this.today >= end;
  }

  private follow(reference: string): string {
    const { path, fragment } = partsOf(reference);
    const whole = path === '' ? POINTER : this.refer(path).$ref;
    return fragment === '' ? whole : POINTER + fragment.replace(DEFINITION, '');
  }
}

const sortedByName = <Value>(map: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

const DEFINITION = '/$defs/';

function partsOf(reference: string): { path: string; fragment: string } {
  const [path = '', fragment = ''] = reference.replace(/^\/schemas\//, '').split('#');
  return { path, fragment };
}

/**
 * Replaces references by their content if client generators do not follow them: references to a property, or combined
 * with other properties.
 */
function inlined(schema: JsonSchema): JsonSchema {
  const { $ref: reference, type, ...rest } = schema;
  if (typeof reference !== 'string') return schema;
  const { path, fragment } = partsOf(reference);
  const isProperty = fragment !== '' && !fragment.startsWith(DEFINITION);
  if (!isProperty && rest.properties === undefined) return { $ref: reference, ...rest };
  const names = fragment.split('/').slice(1);
  const other = names.reduce<JsonSchema>((within, name) => within[name] as JsonSchema, readSchema(path));
  return {
    ...other,
    ...rest,
    ...(rest.properties !== undefined && { properties: { ...other.properties!, ...rest.properties } }),
  };
}

/** Adds information that client generators do not infer: types of constants, and lists of values. */
function explicit(schema: JsonSchema, values: Values): JsonSchema {
  const types = [schema.type ?? []].flat();
  const constants = constantsOf(schema.oneOf);
  if (constants) {
    const { oneOf, ...rest } = schema;
    return { ...rest, type: 'string', [schema['x-open'] ? 'x-extensible-enum' : 'enum']: constants };
  }
  if (types.includes('integer') && types.length > 1)
    return oneTypeEach({ ...EXACT_INTEGER, ...schema }, types as string[]);
  if (types.includes('integer')) return { ...EXACT_INTEGER, ...schema };
  if (typeof schema['x-values'] === 'string' && types.length < 2)
    return { ...schema, 'x-extensible-enum': values[schema['x-values']] };
  if (types.length === 0 && typeof schema.const === 'string') return { type: 'string', ...schema };
  if (types.length === 0 && Array.isArray(schema.enum) && schema.enum[0] !== null)
    return { type: typeof schema.enum[0], ...schema };
  return types.length > 1 ? oneTypeEach(schema, types as string[]) : schema;
}

function constantsOf(alternatives: unknown): string[] | undefined {
  if (!Array.isArray(alternatives) || !alternatives.every((one) => typeof one.const === 'string')) return undefined;
  return alternatives.map((one) => one.const);
}

/** Schema keywords that apply to only one of several types. All other keywords apply to objects. */
const MEMBERS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'enum', 'x-extensible-enum'],
  integer: ['minimum', 'maximum', 'enum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
};
const OF_ALL_TYPES = new Set(['title', 'description', 'default', 'example', 'examples', 'deprecated']);

/**
 * Splits a schema with a list of types into one alternative for each type. Generators for Go support neither lists of
 * types nor the type null.
 */
function oneTypeEach(schema: JsonSchema, types: readonly string[]): JsonSchema {
  const { type: _types, ...members } = schema;
  const chosen = (test: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => test(name)));
  const alternative = (type: string): JsonSchema => {
    if (type === 'null') return { enum: [null] };
    const membersOfType = chosen((name) => MEMBERS_OF[type]?.includes(name) ?? !OF_ALL_TYPES.has(name));
    return {
      type,
      ...membersOfType,
      ...(Array.isArray(membersOfType.enum) && { enum: membersOfType.enum.filter((value) => value !== null) }),
    };
  };
  return { ...chosen((name) => OF_ALL_TYPES.has(name)), anyOf: types.map(alternative) };
}

interface OpenApiOptions {
  readonly api: Api;
  readonly baseUrl: string;
  /** True if the server has quotas. Otherwise the document omits rate limit headers and status 429. */
  readonly limited: boolean;
  readonly routes: readonly AnyEndpoint[];
  readonly reference: Reference;
  /** UTC day. Members that have been removed by then are left out. */
  readonly today: string;
}

export function openApiDocument(options: OpenApiOptions): object {
  const { api, baseUrl, limited, routes } = options;
  const components = new Components(options.reference, options.today);
  components.refer('problem.json');
  const described: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const operations = describeOperations(route, limited && route.policy !== 'none', components);
    described[route.path] = { ...described[route.path], ...operations };
  }
  const paths = withSharedSuccesses(described, components);
  const parameters = describeParameters(routes);
  const { schemas, responses } = components.all();
  const headers = headerComponents({ paths, responses });
  const examples = exampleComponents(baseUrl, responses);
  return {
    openapi: '3.1.0',
    info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl }],
    security: [],
    tags: api.tags,
    paths,
    components: {
      schemas,
      parameters,
      responses,
      headers,
      examples,
      securitySchemes: securityComponents(paths),
    },
  };
}

interface Operation extends Readonly<Record<string, unknown>> {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}

/** Moves each response that several operations repeat to the components. */
function withSharedSuccesses(paths: Record<string, Record<string, Operation>>, components: Components): object {
  const users = new Map<string, string[]>();
  for (const { operationId, responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const response of Object.values(responses)) {
      const text = JSON.stringify(response);
      users.set(text, [...(users.get(text) ?? []), operationId]);
    }
  const shared = (response: object): object => {
    const [first, ...others] = '$ref' in response ? [] : users.get(JSON.stringify(response))!;
    return others.length === 0 ? response : components.share(`success_${first}`, response);
  };
  const withShared = <T>(values: Readonly<Record<string, T>>, change: (value: T) => object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
  return withShared(paths, (methods) =>
    withShared(methods, (operation) => ({ ...operation, responses: withShared(operation.responses, shared) })),
  );
}

const tagOf = (route: AnyEndpoint) =>
  route.kind === 'contract' ? 'contract' : (/^\/api\/(tax|account)\//.exec(route.path)?.[1] ?? 'service');

function describeOperations(route: AnyEndpoint, limited: boolean, components: Components): Record<string, Operation> {
  const methods: Method[] = route.post ? ['GET', 'POST'] : [route.method];
  return Object.fromEntries(
    methods.map((method) => [method.toLowerCase(), describeOperation(route, method, limited, components)]),
  );
}

function describeOperation(route: AnyEndpoint, method: Method, limited: boolean, components: Components): Operation {
  const { path, summary, description, retirement } = route;
  const id = operationId(path);
  const isForm = method !== route.method;
  const text = isForm ? 'As GET, with the parameters as a JSON body.' : description;
  const request = describeRequest(route, method, components);
  const hasBody = request.requestBody !== undefined;
  return {
    operationId: method === 'GET' ? id : `${id}By${titleCase(method)}`,
    tags: [tagOf(route)],
    summary,
    ...(text && { description: text }),
    ...(retirement && { deprecated: true }),
    security: describeSecurity(route),
    ...request,
    responses: describeAnswers(route, method, { limited, hasBody, components }),
  };
}

const titleCase = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase();

/** Returns the operation's id: priceSeries for /api/tax/v1/price-series. */
function operationId(path: string): string {
  const words = path.replace(/^\/api(\/[a-z]+)?\/v\d+/, '').match(/[a-z0-9]+/gi) ?? [];
  return words.map((word, i) => (i === 0 ? word : titleCase(word))).join('');
}

/** Returns true if the JSON answer has the member `coverage`. A CSV answer has a header instead. */
const hasCoverage = ({ response }: AnyEndpoint): boolean =>
  Object.hasOwn(readSchema<{ properties?: object }>(`responses/${response}.json`).properties ?? {}, 'coverage');

function jsonSchema({ response, profileResponse }: AnyEndpoint, components: Components): object {
  const schema = components.refer(`responses/${response}.json`);
  return profileResponse ? { anyOf: [schema, components.refer(`responses/${profileResponse}.json`)] } : schema;
}

function contentOf(route: AnyEndpoint, components: Components): object | undefined {
  if (route.response === 'none') return undefined;
  if (route.response === 'text') return textContent('text/plain');
  if (route.response === 'html') return textContent('text/html');
  return {
    'application/json': { schema: jsonSchema(route, components) },
    ...(route.csv && textContent('text/csv')),
    ...Object.assign({}, ...(route.profileTypes ?? []).map(textContent)),
  };
}

interface AnswerFacts {
  readonly limited: boolean;
  readonly hasBody: boolean;
  readonly components: Components;
}

function describeAnswers(route: AnyEndpoint, method: Method, { limited, hasBody, components }: AnswerFacts) {
  const headers = standardHeaders(limited, route.retirement !== undefined);
  const action = route.kind === 'action' ? route : undefined;
  const status = action ? successOf(action) : 200;
  const content = contentOf(route, components);
  const answered: readonly HeaderName[] = [
    ...headers,
    ...(route.kind === 'dataset' ? ['X-Dataset' as const] : []),
    ...(route.replayed ? ['X-Methodology-Version' as const] : []),
  ];
  // GET and POST of a path share their success, so its ETag may be absent.
  const isBoth = route.kind === 'dataset' && route.post === true && !route.volatile;
  const cacheable = method === 'GET' && content !== undefined && !route.volatile;
  const optional = [
    ...(action ? ['Set-Cookie' as const] : []),
    ...(cacheable || isBoth ? ['ETag' as const] : []),
    ...(status === 303 ? ['Location' as const] : []),
    ...(action?.idempotent ? ['Idempotent-Replayed' as const] : []),
    ...(route.csv ? ['Content-Disposition' as const] : []),
    ...(route.kind === 'reference' ? ['X-Dataset' as const] : []),
    ...(route.kind === 'service' || route.kind === 'action' ? [] : ['X-Ignored-Parameters' as const]),
    ...(route.parameters.includes('opening_lots') ? ['X-Saved-Opening-Lots' as const] : []),
    ...(route.parameters.includes('tags') ? ['X-Tags-Unused' as const] : []),
    ...(route.csv && hasCoverage(route) ? ['X-Coverage' as const] : []),
    ...(route.profileTypes?.includes('application/zip') ? ['X-Parts' as const] : []),
    ...(route.kind === 'contract' ? ['X-Block-Height' as const] : []),
  ];
  const success = { description: 'Success.', headers: describeHeaders(answered, optional) };
  const named = responseName([status, ...optional].join('_'), answered);
  const ok = !content ? components.share(named, success) : { ...success, content };
  const refusals = describeRefusals(route, { limited, hasBody, headers, components });
  const unchanged = cacheable
    ? [[304, components.share(responseName('not_modified', answered), notModified(answered))]]
    : [];
  return Object.fromEntries([[status, ok], ...unchanged, ...refusals]);
}

function describeParameters(routes: readonly AnyEndpoint[]): object {
  const names = [...new Set(routes.flatMap(parametersOf))].sort();
  const headers = [
    ...(routes.some((route) => route.kind === 'action' && route.idempotent) ? [IDEMPOTENCY_KEY] : []),
    ...(routes.some((route) => route.kind === 'action' && route.conditional) ? [IF_MATCH] : []),
  ];
  return Object.fromEntries([
    ...names.map((key) => {
      const { name, in: place, description, required, schema, example } = PARAMETERS[key];
      return [parameterComponent(key), { name, in: place, description, required, schema, example }];
    }),
    ...headers.map((header) => [header.name, header]),
  ]);
}

const PATH = '/api/tax/v1/events';
const REQUEST_ID = '6f1c9a52-7d0f-4c39-9d0b-0f6f3b0b5a51';

const TEXTS = {
  'text/plain': 'ok\n',
  'text/html': '<!doctype html>',
  'application/pdf': '%PDF-1.7',
  'application/zip': 'PK',
  'text/csv': 'date,quantity\r\n2026-01-03 23:22:59,0.077425\r\n',
};

const textContent = (type: keyof typeof TEXTS) => ({
  [type]: { schema: { type: 'string' }, example: TEXTS[type] },
});

const problemExamples = (codes: readonly ProblemCode[]) =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

function exampleComponents(baseUrl: string, responses: object) {
  const text = JSON.stringify(responses);
  const request = { baseUrl, path: PATH, requestId: REQUEST_ID, now: new Date(8.64e15) };
  return Object.fromEntries(
    Object.entries(PROBLEM_KINDS)
      .filter(([code]) => text.includes(`#/components/examples/${code}"`))
      .map(([code, { description }]) => [
        code,
        { description, value: problemBody(new Problem(code as ProblemCode, description), request) },
      ]),
  );
}

const SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key, which begins with `hl_`. It has the scopes that it was created with.',
  },
  widget_api_key: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'A key that begins with `hlw_`, made for one validator. Pages of its origins may use it, and requests without `Origin`.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a browser that has signed in. Requests that change data must also have the `Origin` of this site.',
  },
};

/**
 * Describes credentials. Public operations also accept a key or session, because callers with the scope `tax:read` have
 * their own quota.
 */
function describeSecurity({ caller, access, policy }: AnyEndpoint): object[] {
  if (caller === undefined && policy === 'none') return [];
  if (access === 'widget') return [{ widget_api_key: [] }];
  if (caller === 'session') return [{ session: [] }];
  if (caller === undefined) return [{}, { key: [] }, { session: [] }];
  return [{ key: caller === 'account' ? [] : [caller] }, { session: [] }];
}

function securityComponents(paths: object) {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(SCHEMES).filter(([name]) => text.includes(`{"${name}":[`)));
}

interface OperationFacts {
  readonly limited: boolean;
  readonly hasBody: boolean;
  readonly headers: readonly HeaderName[];
  readonly components: Components;
}

function describeRefusals(route: AnyEndpoint, facts: OperationFacts): [status: number, response: object][] {
  const { headers, components } = facts;
  const codes = problemsOf(route, facts);
  return [...new Set(codes.map(statusOf))].map((status) => {
    const its = codes.filter((code) => statusOf(code) === status);
    const name = responseName(its.join('_or_'), headers);
    return [status, components.share(name, describeProblem(status, its, headers))];
  });
}

const EXAMPLE_CHARACTERS_MAX = 2500;

/** Leaves out long examples, because the document must stay small. The endpoints return the same. */
function withShortExamples({ examples, ...schema }: JsonSchema): JsonSchema {
  const isShort = examples !== undefined && JSON.stringify(examples).length <= EXAMPLE_CHARACTERS_MAX;
  return isShort ? { ...schema, examples } : schema;
}

/** Names a shared response. The suffix distinguishes responses that differ only by their headers. */
function responseName(base: string, headers: readonly HeaderName[]): string {
  const unusualHeaders = headers.filter(
    (name) => !ALWAYS.includes(name) && !LIMITED.includes(name) && !RETIRED.includes(name),
  );
  const variants = [
    ...unusualHeaders,
    ...(headers.includes('RateLimit') ? [] : ['unlimited']),
    ...(headers.includes('Deprecation') ? ['retired'] : []),
  ];
  return [base, ...variants].join('_').toLowerCase().replaceAll('-', '_');
}

const statusOf = (code: ProblemCode) => PROBLEM_KINDS[code].status;

const ADDRESSES: readonly string[] = ['address', 'single_address', 'delegator'];

function problemsOf(
  route: AnyEndpoint,
  { limited, hasBody }: Pick<OperationFacts, 'limited' | 'hasBody'>,
): ProblemCode[] {
  const codes = new Set<ProblemCode>(['bad_request', 'internal_error', 'unavailable', ...(route.problems ?? [])]);
  // A dataset of single wallets does not contain other wallets.
  if (route.kind === 'dataset' && route.parameters.some((name) => ADDRESSES.includes(name))) codes.add('not_found');
  if (route.policy !== 'none' || route.caller) codes.add('invalid_api_key'); // a key is checked even if the endpoint does not require one
  if (route.replayed) codes.add('replay_in_progress');
  if (route.decisions?.undecided === 'refused') codes.add('asset_decisions_required');
  if (limited) codes.add('rate_limited');
  if (route.retirement) codes.add('gone');
  if (hasBody) codes.add('validation_failed');
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
  // A malformed request is refused before it is counted, so quota headers may be absent.
  const isLate = (name: HeaderName) => status === 400 && name.includes('RateLimit');
  const temporary = status === 429 || status === 503;
  // A plain $ref is needed, because client generators recognize the type only then. The codes are in `x-problem-codes`
  // instead.
  const schema = { $ref: '#/components/schemas/Problem' };
  const headersOfStatus: HeaderName[] = [
    ...(temporary ? ['Retry-After' as const] : []),
    ...(status === 401 ? ['WWW-Authenticate' as const] : []),
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_KINDS[code].description}`).join(' '),
    headers: describeHeaders([...headers.filter((name) => !isLate(name)), ...headersOfStatus], headers.filter(isLate)),
    'x-problem-codes': codes,
    content: { 'application/problem+json': { schema, examples: problemExamples(codes) } },
  };
}

const integer = EXACT_INTEGER;
const text = { type: 'string' };

/** Response headers that are part of the API, so that clients may rely on them. */
export const DESCRIBED_HEADERS = {
  'X-Request-Id': {
    description: 'The id that the request sent, if it is well-formed; else a new id.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
  },
  'Cache-Control': { description: 'How long the answer may be cached, and by which caches.', schema: text },
  Vary: { description: 'Request headers that select the format of the answer.', schema: text },
  ETag: {
    description:
      'Tag of the answer for If-None-Match, also for private answers. Saved entries have a strong tag for If-Match.',
    schema: { type: 'string', pattern: '^(W/"[0-9a-f]+\\.[0-9a-f]{16}"|"[0-9a-f]{32}")$' },
  },
  'X-Block-Height': {
    description: 'Block whose state answered; 0 if unknown.',
    schema: integer,
  },
  'X-Coverage': {
    description:
      'The member `coverage` of the JSON form without its note, as a JSON object; only for files: CSV, text, PDF, ZIP.',
    schema: text,
  },
  'X-Ignored-Parameters': {
    description: 'Names of unknown parameters or body members, percent-encoded, separated by commas; at most twenty.',
    schema: text,
  },
  'X-Methodology-Version': { description: 'Version of the price methodology that the figures rest on.', schema: text },
  'X-Parts': {
    description: 'Number of files of an archive, or of a journal for a program that limits the lines of a file.',
    schema: integer,
  },
  'X-Saved-Opening-Lots': {
    description: 'The member `saved_opening_lots` of the JSON form.',
    schema: integer,
  },
  'X-Tags-Unused': {
    description:
      'Keys of tags that reached no row, although a requested wallet has rows with their hash or id; percent-encoded, ' +
      'separated by commas, at most twenty. The member `tagged` of the JSON form has the reasons.',
    schema: text,
  },
  'X-Dataset': {
    description:
      'The dataset generation that answered, as a JSON object: `generation` and `height` (of its last block).',
    schema: { type: 'string', pattern: '^\\{"generation":"[^"]+","height":\\d+\\}$' },
  },
  RateLimit: {
    description: 'Requests left in the window, and seconds until it ends.',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description: 'Requests allowed in a window, and its length in seconds. An API key may have its own limit.',
    schema: { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in a window.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', schema: integer },
  'X-RateLimit-Reset': { description: 'End of the window, in seconds since 1970-01-01 UTC.', schema: integer },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { ...integer, minimum: 1 } },
  Deprecation: {
    description: 'Day on which the end of the endpoint was announced, as a structured-field date (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'Day on which the endpoint ends, as an HTTP date (RFC 8594).', schema: text },
  Link: {
    description: 'The changelog entry (`deprecation`) and the replacement (`successor-version`).',
    schema: text,
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: text },
  'Set-Cookie': { description: 'Set if a session begins or ends.', schema: text },
  'Idempotent-Replayed': {
    description: 'The answer was made for an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: { description: 'URL of the redirect.', schema: text },
  'Content-Disposition': { description: 'Suggested file name; only for files: CSV, text, PDF, ZIP.', schema: text },
} as const;

type HeaderName = keyof typeof DESCRIBED_HEADERS;

const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const LIMITED: readonly HeaderName[] = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

const RETIRED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

const standardHeaders = (limited: boolean, retired: boolean): HeaderName[] => [
  ...ALWAYS,
  ...(limited ? LIMITED : []),
  ...(retired ? RETIRED : []),
];

/** Suffix of the components of headers that a response may lack. */
const OPTIONAL = '_opt';

/** Returns the short component name of a header, because hundreds of responses refer to it: Reset for X-RateLimit-Reset. */
const headerComponent = (name: string) => name.replace(/^(X-)?(RateLimit-)?/, '');

function describeHeaders(required: readonly HeaderName[], optional: readonly HeaderName[] = []) {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: HEADER_POINTER + headerComponent(name) }]),
    ...optional.map((name) => [name, { $ref: HEADER_POINTER + headerComponent(name) + OPTIONAL }]),
  ]);
}

const notModified = (headers: readonly HeaderName[]) => ({
  description: 'Unchanged since the answer with the ETag in If-None-Match.',
  headers: describeHeaders([...headers, 'ETag']),
});

function headerComponents(described: object) {
  const text = JSON.stringify(described);
  const all = Object.entries(DESCRIBED_HEADERS).flatMap(([name, header]): [string, object][] => [
    [headerComponent(name), { ...header, required: true }],
    [headerComponent(name) + OPTIONAL, header],
  ]);
  return Object.fromEntries(all.filter(([name]) => text.includes(`${HEADER_POINTER}${name}"`)));
}

function describeRequest(route: AnyEndpoint, method: Method, components: Components) {
  const refer = (name: ParameterName) => ({ $ref: PARAMETER_POINTER + parameterComponent(name) });
  if (method !== route.method) {
    const credentials = route.parameters.filter((name) => PARAMETERS[name].isQueryOnly);
    const members = route.parameters.filter((name) => !PARAMETERS[name].isQueryOnly);
    const requestBody = jsonBody('The parameters by name.', bodySchema(members, components));
    return { ...(credentials.length > 0 && { parameters: credentials.map(refer) }), requestBody };
  }
  const parameters: object[] = parametersOf(route).map(refer);
  if (route.kind !== 'action') return { parameters };
  if (route.idempotent) parameters.push({ $ref: PARAMETER_POINTER + IDEMPOTENCY_KEY.name });
  if (route.conditional) parameters.push({ $ref: PARAMETER_POINTER + IF_MATCH.name });
  if (!route.body) return { parameters };
  return { parameters, requestBody: jsonBody('The request.', components.refer(`requests/${route.body}.json`)) };
}

const jsonBody = (description: string, schema: object) => ({
  description,
  required: true,
  content: { 'application/json': { schema } },
});

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A retry with the same key and body within 24 hours returns the answer of the first successful request. A refused ' +
    'request stores no answer, and its key may be used again.',
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,255}$' },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description:
    'ETag of the entry as you read it; 412 if it has changed since. Without this header the entry is always replaced.',
  required: false,
  schema: { type: 'string' },
  example: '*',
};

function bodySchema(names: readonly ParameterName[], components: Components): object {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [PARAMETERS[name].member.name, components.shareMember(name)])),
    required: names.filter((name) => PARAMETERS[name].required).map((name) => PARAMETERS[name].member.name),
  };
}

/**
 * Describes a parameter as a member of the request body. Leaves out its second name, because Python generators would
 * give both the same name.
 */
function describeMember(parameter: Parameter): object {
  const { description, example, required, member } = parameter;
  const { schema } = member;
  const other = member.name === parameter.name ? '' : ` ${parameter.name} is accepted too, but not both.`;
  // Objects, arrays and integers are text in a query, but JSON values in a body.
  const isJson = schema.type === 'object' || schema.type === 'array' || schema.type === 'integer';
  const value = isJson ? JSON.parse(example) : example;
  return { description: description + other, examples: [value], ...(required ? schema : orNull(schema)) };
}

const orNull = (schema: Parameter['schema']) => ({
  ...schema,
  type: [schema.type, 'null'].flat(),
  ...(schema.enum && { enum: [...schema.enum, null] }),
});
