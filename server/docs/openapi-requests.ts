/** Requests of operations: parameters, headers and bodies. */
import type { AnyEndpoint, Method } from '../endpoint.js';
import { PARAMETERS, type Parameter, type ParameterName, parametersOf } from '../parameters/parameters.js';
import type { SchemaComponents } from './openapi-schemas.js';

export function describeRequest(route: AnyEndpoint, method: Method, components: SchemaComponents) {
  if (method !== route.method) {
    return { requestBody: jsonBody('The parameters by name.', bodySchema(route.parameters, components)) };
  }
  const parameters: object[] = parametersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  if (route.kind !== 'action') return { parameters };
  if (route.idempotent) parameters.push(IDEMPOTENCY_KEY);
  if (route.conditional) parameters.push(IF_MATCH);
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
  description: 'A retry with the same key and body within 24 hours returns the answer of the first request.',
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

/** Describes a parameter as a body member. Its other name is only mentioned: Python spells both alike. */
function describeMember(parameter: Parameter): object {
  const { description, example, required, member } = parameter;
  const { schema } = member;
  const other = member.name === parameter.name ? '' : ` ${parameter.name} is accepted too, but not both.`;
  // Parameters that are JSON text in a query are JSON values in a body.
  const value = schema.type === 'object' || schema.type === 'array' ? JSON.parse(example) : example;
  return { description: description + other, examples: [value], ...(required ? schema : orNull(schema)) };
}

/** Null counts as absent. */
const orNull = (schema: Parameter['schema']) => ({
  ...schema,
  type: [schema.type, 'null'].flat(),
  ...(schema.enum && { enum: [...schema.enum, null] }),
});
