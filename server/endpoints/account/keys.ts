import type { NewApiKey } from '../../../schemas/types.generated.js';
import type { ActionEndpoint } from '../../api/endpoint.js';
import { requireFound } from '../../http/problem.js';
import { createKey, listKeys, revokeKey, rotateKey } from '../../people/accounts/keys.js';
import { invalidBody } from '../../tax/parameters/faults.js';

const path = '/api/account/v1/keys';
const common = { kind: 'action', caller: 'session', access: 'own', parameters: [], policy: 'tax' } as const;

const found = <Found>(value: Found | undefined, id: string) =>
  requireFound(value, `you have no key ${id.slice(0, 50)} in force`);

export const keyEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    path,
    summary: 'Your API keys, without their secrets.',
    response: 'api-keys',
    act: async ({ caller, store }) => ({ json: { keys: await listKeys(store, caller!.account) } }),
  },
  {
    ...common,
    method: 'POST',
    path,
    summary: 'Creates an API key and returns it, only this once.',
    body: 'api-key',
    response: 'api-key',
    status: 201,
    idempotent: true,
    problems: ['conflict'],
    async act({ caller, body, store, now }) {
      const { name, scopes, expires_at } = body as NewApiKey;
      const expires = expires_at ? new Date(expires_at) : undefined;
      if (expires && !(expires > now)) {
        throw invalidBody([{ path: 'expires_at', message: 'must be in the future' }]);
      }
      return { json: await createKey(store, { account: caller!.account, name, scopes, expires }, now) };
    },
  },
  {
    ...common,
    method: 'POST',
    path: `${path}/{id}/rotate`,
    summary: 'Rotates a key’s secret and returns the new one, only this once. The old secret stops working at once.',
    response: 'api-key',
    idempotent: true,
    problems: ['not_found'],
    act: async ({ caller, parameters: { id }, store, now }) => ({
      json: found(await rotateKey(store, caller!.account, id, now), id),
    }),
  },
  {
    ...common,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Revokes a key.',
    description: 'Takes effect at once; other servers on the same database notice within a second.',
    response: 'none',
    problems: ['not_found'],
    async act({ caller, parameters: { id }, store, now }) {
      found(await revokeKey(store, caller!.account, id, now), id);
      return {};
    },
  },
];
