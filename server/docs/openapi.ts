/**
 * The OpenAPI 3.1 document, made from the list of endpoints, schemas/parameters.json, schemas/responses/* and
 * schemas/problem.json. Equal input gives equal bytes.
 */
import { readSchema } from '../../pipeline/project.js';
import type { Reference } from '../../pipeline/reference.js';
import type { AnyEndpoint } from '../endpoint.js';
import { PARAMETERS, type Parameter, type ParameterName, parametersOf } from '../parameters/parameters.js';
import type { Api } from './apis.js';
import { describeAction, referParameters } from './openapi-actions.js';
import { exampleComponents, textContent } from './openapi-examples.js';
import { describeHeaders, type HeaderName, headerComponents, notModified, standardHeaders } from './openapi-headers.js';
import { describeRefusals } from './openapi-refusals.js';
import { SchemaComponents } from './openapi-schemas.js';
import { describeSecurity, securityComponents } from './openapi-security.js';

export interface OpenApiOptions {
  readonly api: Api;
  readonly baseUrl: string;
  /** Whether requests are counted against quotas; the document shows headers and refusals only then. */
  readonly limited: boolean;
  readonly routes: readonly AnyEndpoint[];
  /** The reviewed data, which has the values of some members. */
  readonly reference: Reference;
}

/** Makes the OpenAPI document, in a step for each route and each part of its components. @returns it as a JSON value */
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
  const common = {
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.retirement && { deprecated: true }),
    security: describeSecurity(route),
  };
  if (route.kind === 'action') {
    const headers = standardHeaders(limited, route.retirement !== undefined);
    const name =
      route.method === 'GET' ? operationId(route.path) : `${operationId(route.path)}By${titleCase(route.method)}`;
    const action = describeAction(route, { limited, headers, components });
    return { [route.method.toLowerCase()]: { operationId: name, ...common, ...action } };
  }
  const answers = describeAnswers(route, limited, components);
  const parameters = referParameters(route);
  const get = { operationId: operationId(route.path), ...common, parameters, responses: answers('get') };
  if (!route.post) return { get };
  const content = {
    'application/json': { schema: bodySchema(route.parameters, components) },
  };
  return {
    get,
    post: {
      operationId: `${operationId(route.path)}ByPost`,
      ...common,
      description: `${route.description ?? route.summary} The parameters as a JSON body, for long ones.`,
      requestBody: { description: 'The parameters by name.', required: true, content },
      responses: answers('post'),
    },
  };
}

const titleCase = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase();

/** The operation id of a path: '/api/tax/v1/price-series' → 'priceSeries'. */
function operationId(path: string): string {
  const words = path.replace(/^\/api(\/[a-z]+)?\/v\d+/, '').match(/[a-z0-9]+/gi) ?? [];
  return words.map((word, i) => (i === 0 ? word : titleCase(word))).join('');
}

type Operation = 'get' | 'post';

/** Tells whether the JSON of an answer has the member `coverage`, which its CSV has no room for and tells by header. */
const saysCoverage = ({ response }: AnyEndpoint): boolean =>
  Object.hasOwn(readSchema<{ properties?: object }>(`responses/${response}.json`).properties ?? {}, 'coverage');

/** The schema of an answer, or of those that an endpoint has by profile. */
function jsonSchema({ response, profileResponse }: AnyEndpoint, components: SchemaComponents): object {
  const schema = components.refer(`responses/${response}.json`);
  return profileResponse ? { anyOf: [schema, components.refer(`responses/${profileResponse}.json`)] } : schema;
}

function describeAnswers(route: AnyEndpoint, limited: boolean, components: SchemaComponents) {
  const headers = standardHeaders(limited, route.retirement !== undefined);
  const content =
    route.response === 'text' || route.response === 'html'
      ? textContent(route.response === 'html' ? 'text/html' : 'text/plain')
      : {
          'application/json': { schema: jsonSchema(route, components) },
          ...(route.csv && textContent('text/csv')),
          ...Object.assign({}, ...(route.profileTypes ?? []).map(textContent)),
        };
  // Every answer of a dataset names it.
  const answered: readonly HeaderName[] = route.kind === 'dataset' ? [...headers, 'X-Dataset'] : headers;
  return (operation: Operation): object => {
    const cacheable = operation === 'get' && !route.volatile;
    const optional = [
      ...(cacheable ? ['ETag' as const] : []),
      ...(route.csv ? ['Content-Disposition' as const] : []),
      ...(route.kind === 'service' ? [] : ['X-Ignored-Parameters' as const]),
      ...(route.parameters.includes('opening_lots') ? ['X-Saved-Opening-Lots' as const] : []),
      ...(route.csv && saysCoverage(route) ? ['X-Coverage' as const] : []),
      ...(route.kind === 'contract' ? ['X-Block-Height' as const] : []),
    ];
    const ok = { description: route.summary, headers: describeHeaders(answered, optional), content };
    const refusals = describeRefusals(route, { limited, takesBody: operation === 'post', headers });
    return Object.fromEntries([[200, ok], ...(cacheable ? [[304, notModified(answered)]] : []), ...refusals]);
  };
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

function bodySchema(names: readonly ParameterName[], components: SchemaComponents): object {
  const parameters = names.map((name) => PARAMETERS[name]);
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [parameter.member.name, components.rewrite(describeMember(parameter))]),
    ),
    required: parameters.filter(({ required }) => required).map(({ member }) => member.name),
  };
}

/**
 * The member of a body that says the same as a parameter. Its other name is told in words alone, since programs in Python spell both
 * alike.
 */
function describeMember(parameter: Parameter): object {
  const { description, example, required, member } = parameter;
  const { schema } = member;
  const other = member.name === parameter.name ? '' : ` ${parameter.name} is understood, too, but not both.`;
  // A JSON object or list is text in a query, and itself in a body.
  const value = schema.type === 'object' || schema.type === 'array' ? JSON.parse(example) : example;
  return { description: description + other, examples: [value], ...(required ? schema : orNull(schema)) };
}

/** The schema of an optional member: null counts as not given. */
const orNull = (schema: Parameter['schema']) => ({
  ...schema,
  type: [schema.type, 'null'].flat(),
  ...(schema.enum && { enum: [...schema.enum, null] }),
});
