/**
 * The OpenAPI 3.1 document, made from the list of endpoints, schemas/parameters.json, schemas/responses/* and
 * schemas/problem.json. Equal input gives equal bytes.
 */

import type { AnyEndpoint } from '../endpoint.js';
import { PARAMETERS, type ParameterName, type ParameterSchema } from '../parameters/parameters.js';
import type { Api } from './apis.js';
import { describeAction } from './openapi-actions.js';
import { exampleComponents, textContent } from './openapi-examples.js';
import { describeHeaders, headerComponents, standardHeaders } from './openapi-headers.js';
import { describeRefusals } from './openapi-refusals.js';
import { SchemaComponents } from './openapi-schemas.js';
import { describeSecurity, securityComponents } from './openapi-security.js';

export interface OpenApiOptions {
  readonly api: Api;
  readonly baseUrl: string;
  /** Whether requests are counted against quotas; the document shows headers and refusals only then. */
  readonly limited: boolean;
  readonly routes: readonly AnyEndpoint[];
}

/** @returns the document as a JSON value */
export function openApiDocument({ api, baseUrl, limited, routes }: OpenApiOptions): object {
  const components = new SchemaComponents();
  components.refer('problem.json');
  const paths: Record<string, object> = {};
  for (const route of routes) {
    const operations = describeOperations(route, limited && route.policy !== 'none', components);
    paths[route.path] = { ...paths[route.path], ...operations };
  }
  return {
    openapi: '3.1.0',
    info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl }],
    security: [],
    tags: api.tags,
    paths,
    components: {
      schemas: components.all(),
      parameters: describeParameters(routes),
      headers: headerComponents(paths),
      examples: exampleComponents(baseUrl, paths),
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
  const parameters = route.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const get = { operationId: operationId(route.path), ...common, parameters, responses: answers('get') };
  if (!route.post) return { get };
  const content = {
    'application/json': { schema: bodySchema(route.parameters) },
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

/** '/api/tax/v1/price-series' → 'priceSeries' */
function operationId(path: string): string {
  const words = path.replace(/^\/api(\/[a-z]+)?\/v\d+/, '').match(/[a-z0-9]+/gi) ?? [];
  return words.map((word, i) => (i === 0 ? word : titleCase(word))).join('');
}

type Operation = 'get' | 'post';

function describeAnswers(route: AnyEndpoint, limited: boolean, components: SchemaComponents) {
  const headers = standardHeaders(limited, route.retirement !== undefined);
  const content =
    route.response === 'text' || route.response === 'html'
      ? textContent(route.response === 'html' ? 'text/html' : 'text/plain')
      : {
          'application/json': { schema: components.refer(`responses/${route.response}.json`) },
          ...(route.csv && textContent('text/csv')),
        };
  return (operation: Operation): object => {
    const cacheable = operation === 'get' && !route.volatile && route.access !== 'widget';
    const optional = [
      ...(cacheable ? ['ETag' as const] : []),
      ...(route.csv ? ['Content-Disposition' as const] : []),
      ...(route.kind === 'contract' ? ['X-Block-Height' as const] : []),
    ];
    const ok = { description: route.summary, headers: describeHeaders(headers, optional), content };
    const notModified = {
      description: 'As the answer that If-None-Match names.',
      headers: describeHeaders([...headers, 'ETag']),
    };
    const refusals = describeRefusals(route, { limited, takesBody: operation === 'post', headers });
    return Object.fromEntries([[200, ok], ...(cacheable ? [[304, notModified]] : []), ...refusals]);
  };
}

/** A parameter's JSON Schema without what is said beside it. */
function valueSchema({ type, ...parameter }: ParameterSchema): MemberSchema {
  const members = Object.entries(parameter).filter(
    ([name]) => !name.startsWith('x-') && name !== 'description' && name !== 'examples',
  );
  return { type, ...Object.fromEntries(members) };
}

function describeParameters(routes: readonly AnyEndpoint[]): object {
  const names = new Set(routes.flatMap((route) => route.parameters));
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const parameter = PARAMETERS[name];
      const { description, examples } = parameter;
      return [
        name,
        {
          name: parameter['x-name'] ?? name,
          in: parameter['x-in'] ?? 'query',
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
  const members = names.map((name) => describeMember(name, PARAMETERS[name]));
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ member, schema }) => [member, schema])),
    required: members.filter(({ required }) => required).map(({ member }) => member),
  };
}

interface MemberSchema {
  readonly type: string | readonly string[];
  readonly enum?: readonly (string | null)[];
}

/** The member of a body that says the same as a parameter. */
function describeMember(name: ParameterName, parameter: ParameterSchema) {
  const { description, examples, 'x-name': shown = name, 'x-required': required = false, 'x-body': own } = parameter;
  const { name: member, ...schema } = own ?? { name: shown, ...valueSchema(parameter) };
  // What a query says as JSON text is JSON in a body.
  const example = schema.type === 'object' ? JSON.parse(examples[0]!) : examples[0];
  return { member, required, schema: { description, examples: [example], ...(required ? schema : orNull(schema)) } };
}

/** Null counts as not given. */
const orNull = (schema: MemberSchema): MemberSchema => ({
  ...schema,
  type: [schema.type, 'null'].flat(),
  ...(schema.enum && { enum: [...schema.enum, null] }),
});
