import type { NewApiKey } from '../../../schemas/types.generated.js';
import { createKey, listKeys, revokeKey, rotateKey } from '../../accounts/keys.js';
import type { ActionEndpoint } from '../../endpoint.js';
import { invalidBody } from '../../parameters/faults.js';
import { Problem } from '../../problem.js';

const common = { kind: 'action', caller: 'session', access: 'own', parameters: [], policy: 'tax' } as const;

const noSuchKey = (id: string) => new Problem('not_found', `you have no key ${id.slice(0, 50)} in force`);

export const keys = {
  ...common,
  method: 'GET',
  path: '/api/account/v1/keys',
  summary: 'Your API keys, without their secrets.',
  response: 'api-keys',
  act: async ({ caller, store }) => ({ json: { keys: await listKeys(store, caller!.account) } }),
} satisfies ActionEndpoint;

export const createdKey = {
  ...common,
  method: 'POST',
  path: '/api/account/v1/keys',
  summary: 'Makes an API key and shows it, this once.',
  body: 'api-key',
  response: 'api-key',
  status: 201,
  idempotent: true,
  problems: ['conflict'],
  async act({ caller, body, store, now }) {
    const { name, scopes, expires_at } = body as NewApiKey;
    const expires = expires_at ? new Date(expires_at) : undefined;
    if (expires && !(expires > now)) {
      throw invalidBody([{ path: 'expires_at', message: 'must lie in the future' }]);
    }
    return { json: await createKey(store, { account: caller!.account, name, scopes, expires }, now) };
  },
} satisfies ActionEndpoint;

export const rotatedKey = {
  ...common,
  method: 'POST',
  path: '/api/account/v1/keys/{id}/rotate',
  summary: 'Gives a key another secret and shows it, this once. The one before is worth nothing from then on.',
  response: 'api-key',
  idempotent: true,
  problems: ['not_found'],
  async act({ caller, parameters: { id }, store, now }) {
    const key = await rotateKey(store, caller!.account, id, now);
    if (!key) throw noSuchKey(id);
    return { json: key };
  },
} satisfies ActionEndpoint;

export const revokedKey = {
  ...common,
  method: 'DELETE',
  path: '/api/account/v1/keys/{id}',
  summary: 'Ends a key.',
  description: 'At once; a server beside this one, on the same database, notices within a second.',
  response: 'none',
  problems: ['not_found'],
  async act({ caller, parameters: { id }, store, now }) {
    if (!(await revokeKey(store, caller!.account, id, now))) throw noSuchKey(id);
    return {};
  },
} satisfies ActionEndpoint;
