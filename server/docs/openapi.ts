/** Generates OpenAPI 3.1 documents from the endpoints and schemas/. The output is deterministic. */
import { readSchema } from '../../pipeline/project.js';
import type { Reference } from '../../pipeline/reference.js';
import { type AnyEndpoint, type Method, successOf } from '../endpoint.js';
import { PARAMETERS, parametersOf } from '../parameters/parameters.js';
import type { Api } from './apis.js';
import { exampleComponents, textContent } from './openapi-examples.js';
import { describeHeaders, type HeaderName, headerComponents, notModified, standardHeaders } from './openapi-headers.js';
import { describeRefusals } from './openapi-refusals.js';
import { describeRequest } from './openapi-requests.js';
import { SchemaComponents } from './openapi-schemas.js';
import { describeSecurity, securityComponents } from './openapi-security.js';

export interface OpenApiOptions {
  readonly api: Api;
  readonly baseUrl: string;
  /** If false, rate limit headers and 429 are left out. */
  readonly limited: boolean;
  readonly routes: readonly AnyEndpoint[];
  readonly reference: Reference;
}

/** Yields after each route and component, so that other requests can run. */
export function* openApiDocument(options: OpenApiOptions): Generator<undefined, object, undefined> {
  const { api, baseUrl, limited, routes } = options;
  const components = new SchemaComponents(options.reference);
  components.refer('problem.json');
  const paths: Record<string, object> = {};
  for (const route of routes) {
    const operations = describeOperations(route, limited && route.policy !== 'none', components);
    paths[route.path] = { ...paths[route.path], ...operations };
    yield;
  }
  const parameters = describeParameters(routes);
  yield;
  const headers = headerComponents(paths);
  yield;
  const examples = exampleComponents(baseUrl, paths);
  yield;
  return {
    openapi: '3.1.0',
    info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl }],
    security: [],
    tags: api.tags,
    paths,
    components: {
      schemas: components.all(),
      parameters,
      headers,
      examples,
      securitySchemes: securityComponents(paths),
    },
  };
}

const tagOf = (route: AnyEndpoint) =>
  route.kind === 'contract' ? 'contract' : (/^\/api\/(tax|account)\//.exec(route.path)?.[1] ?? 'service');

function describeOperations(route: AnyEndpoint, limited: boolean, components: SchemaComponents): object {
  const methods: Method[] = route.post ? ['GET', 'POST'] : [route.method];
  return Object.fromEntries(
    methods.map((method) => [method.toLowerCase(), describeOperation(route, method, limited, components)]),
  );
}

function describeOperation(route: AnyEndpoint, method: Method, limited: boolean, components: SchemaComponents): object {
  const { path, summary, description, retirement } = route;
  const id = operationId(path);
  const isForm = method !== route.method;
  const text = isForm ? `${description ?? summary} Takes the parameters as a JSON body, for long values.` : description;
  const request = describeRequest(route, method, components);
  const takesBody = request.requestBody !== undefined;
  return {
    operationId: method === 'GET' ? id : `${id}By${titleCase(method)}`,
    tags: [tagOf(route)],
    summary,
    ...(text && { description: text }),
    ...(retirement && { deprecated: true }),
    security: describeSecurity(route),
    ...request,
    responses: describeAnswers(route, method, { limited, takesBody, components }),
  };
}

const titleCase = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase();

/** /api/tax/v1/price-series → priceSeries. */
function operationId(path: string): string {
  const words = path.replace(/^\/api(\/[a-z]+)?\/v\d+/, '').match(/[a-z0-9]+/gi) ?? [];
  return words.map((word, i) => (i === 0 ? word : titleCase(word))).join('');
}

/** Returns whether the JSON has `coverage`, which CSV sends as a header. */
const saysCoverage = ({ response }: AnyEndpoint): boolean =>
  Object.hasOwn(readSchema<{ properties?: object }>(`responses/${response}.json`).properties ?? {}, 'coverage');

function jsonSchema({ response, profileResponse }: AnyEndpoint, components: SchemaComponents): object {
  const schema = components.refer(`responses/${response}.json`);
  return profileResponse ? { anyOf: [schema, components.refer(`responses/${profileResponse}.json`)] } : schema;
}

function contentOf(route: AnyEndpoint, components: SchemaComponents): object | undefined {
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
  readonly takesBody: boolean;
  readonly components: SchemaComponents;
}

function describeAnswers(route: AnyEndpoint, method: Method, { limited, takesBody, components }: AnswerFacts): object {
  const headers = standardHeaders(limited, route.retirement !== undefined);
  const action = route.kind === 'action' ? route : undefined;
  const status = action ? successOf(action) : 200;
  const content = contentOf(route, components);
  const answered: readonly HeaderName[] = route.kind === 'dataset' ? [...headers, 'X-Dataset'] : headers;
  const cacheable = method === 'GET' && content !== undefined && !route.volatile;
  const optional = [
    ...(action ? ['Set-Cookie' as const] : []),
    ...(cacheable ? ['ETag' as const] : []),
    ...(status === 303 ? ['Location' as const] : []),
    ...(action?.idempotent ? ['Idempotent-Replayed' as const] : []),
    ...(route.csv ? ['Content-Disposition' as const] : []),
    ...(route.kind === 'dataset' || route.kind === 'contract' ? ['X-Ignored-Parameters' as const] : []),
    ...(route.parameters.includes('opening_lots') ? ['X-Saved-Opening-Lots' as const] : []),
    ...(route.csv && saysCoverage(route) ? ['X-Coverage' as const] : []),
    ...(route.kind === 'contract' ? ['X-Block-Height' as const] : []),
  ];
  const ok = { description: route.summary, headers: describeHeaders(answered, optional), ...(content && { content }) };
  const refusals = describeRefusals(route, { limited, takesBody, headers });
  return Object.fromEntries([[status, ok], ...(cacheable ? [[304, notModified(answered)]] : []), ...refusals]);
}

function describeParameters(routes: readonly AnyEndpoint[]): object {
  const names = [...new Set(routes.flatMap(parametersOf))].sort();
  return Object.fromEntries(
    names.map((key) => {
      const { name, in: place, description, required, schema, example } = PARAMETERS[key];
      return [key, { name, in: place, description, required, schema, example }];
    }),
  );
}
