/** Endpoints that act for an account, as operations of the OpenAPI document. */
import { type ActionEndpoint, type AnyEndpoint, successOf } from '../endpoint.js';
import { parametersOf } from '../parameters/parameters.js';
import { describeHeaders, type HeaderName, notModified } from './openapi-headers.js';
import { describeRefusals } from './openapi-refusals.js';
import type { SchemaComponents } from './openapi-schemas.js';

export interface ActionFacts {
  readonly limited: boolean;
  readonly headers: readonly HeaderName[];
  readonly components: SchemaComponents;
}

/** The members of an operation that differ from those of other endpoints. */
export function describeAction(endpoint: ActionEndpoint, { limited, headers, components }: ActionFacts): object {
  const { body, response } = endpoint;
  const status = successOf(endpoint);
  const isRead = endpoint.method === 'GET' && response !== 'none';
  const optional: HeaderName[] = ['Set-Cookie'];
  if (isRead) optional.push('ETag');
  if (status === 303) optional.push('Location');
  if (endpoint.idempotent) optional.push('Idempotent-Replayed');
  const answer = {
    description: endpoint.summary,
    headers: describeHeaders(headers, optional),
    ...(response !== 'none' && {
      content: { 'application/json': { schema: components.refer(`responses/${response}.json`) } },
    }),
  };
  return {
    parameters: [
      ...referParameters(endpoint),
      ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : []),
      ...(endpoint.conditional ? [IF_MATCH] : []),
    ],
    ...(body && {
      requestBody: {
        description: 'What is asked for.',
        required: true,
        content: { 'application/json': { schema: components.refer(`requests/${body}.json`) } },
      },
    }),
    responses: Object.fromEntries([
      [status, answer],
      ...(isRead ? [[304, notModified(headers)] as const] : []),
      ...describeRefusals(endpoint, { limited, takesBody: body !== undefined, headers }),
    ]),
  };
}

/** References to the parameters of an endpoint, which are components of the document. */
export const referParameters = (route: AnyEndpoint) =>
  parametersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` }));

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A repetition with the same key and body within 24 hours is answered with what the first request made.',
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,255}$' },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description:
    'ETag of the entry as you read it: one that was changed since is a 412. Without it, whatever is saved is replaced.',
  required: false,
  schema: { type: 'string' },
  example: '*',
};
