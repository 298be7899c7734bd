import type { Config } from '../../../pipeline/config.js';
import type { NewApiKey } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ServiceEndpoint } from '../../api/endpoint.js';
import { requireFound } from '../../http/problem.js';
import { describeAccount, removeAccount } from '../../people/accounts/accounts.js';
import { createKey, listKeys, revokeKey, rotateKey } from '../../people/accounts/keys.js';
import { invalidBody } from '../../tax/parameters/faults.js';
import { signInEndpoints } from './sign-in.js';
import { widgetKeyEndpoints } from './widget-keys.js';

const ofAccount = {
  kind: 'action',
  path: '/api/account/v1/me',
  access: 'same-origin',
  parameters: [],
  policy: 'tax',
} as const;

const meEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofAccount,
    method: 'GET',
    caller: 'account',
    summary: 'The account of the session or key.',
    response: 'account',
    async act({ caller, store }) {
      const { account, by, scopes } = caller!;
      const described = await describeAccount(store, account);
      // A key without the scope tax:read must not show its owner's wallets.
      const identities = scopes.includes('tax:read') ? described.identities : [];
      return { json: { ...described, identities, signed_in_by: by, scopes } };
    },
  },
  {
    ...ofAccount,
    method: 'DELETE',
    caller: 'session',
    summary: 'Deletes your account and everything that belongs to it.',
    description:
      'Ways to sign in, sessions, keys, webhooks with their deliveries, submissions, saved decisions and opening lots are deleted at once; ' +
      'other servers on the same database notice within a second. What an accepted submission has added to the registry stays, ' +
      'without the account. Widget keys belong to the validator and stay.',
    response: 'none',
    async act({ caller, store }) {
      await removeAccount(store, caller!.account);
      return { browser: { session: '' } };
    },
  },
];

const KEYS = '/api/account/v1/keys';
const ofSession = { kind: 'action', caller: 'session', access: 'same-origin', parameters: [], policy: 'tax' } as const;

const foundKey = <Found>(value: Found | undefined, id: string) =>
  requireFound(value, `you have no key ${id.slice(0, 50)} in force`);

const keyEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofSession,
    method: 'GET',
    path: KEYS,
    summary: 'Your API keys, without their secrets.',
    response: 'api-keys',
    act: async ({ caller, store, config }) => ({
      json: { keys: await listKeys(store, caller!.account, config.tiers) },
    }),
  },
  {
    ...ofSession,
    method: 'POST',
    path: KEYS,
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
    ...ofSession,
    method: 'POST',
    path: `${KEYS}/{id}/rotate`,
    summary: 'Rotates a key’s secret and returns the new one, only this once. The old secret stops working at once.',
    response: 'api-key',
    idempotent: true,
    problems: ['not_found'],
    act: async ({ caller, parameters: { id }, store, now, config }) => ({
      json: foundKey(await rotateKey(store, caller!.account, id, now, config.tiers), id),
    }),
  },
  {
    ...ofSession,
    method: 'DELETE',
    path: `${KEYS}/{id}`,
    summary: 'Revokes a key.',
    description: 'Takes effect at once; other servers on the same database notice within a second.',
    response: 'none',
    problems: ['not_found'],
    async act({ caller, parameters: { id }, store, now }) {
      foundKey(await revokeKey(store, caller!.account, id, now), id);
      return {};
    },
  },
];

export const accountEndpoints = (config: Config): (ActionEndpoint | ServiceEndpoint)[] => [
  ...signInEndpoints(config),
  ...meEndpoints,
  ...keyEndpoints,
  ...widgetKeyEndpoints,
];
