import type { ActionEndpoint } from '../../api/endpoint.js';
import { requireFound } from '../../http/problem.js';
import { closeListedSession, closeOtherSessions, closeSessions, listSessions } from '../../people/accounts/sessions.js';

const path = '/api/account/v1/sessions';
const common = { kind: 'action', caller: 'session', access: 'own', parameters: [], policy: 'tax' } as const;

export const sessionEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    path,
    summary: 'Where you are signed in: each browser with its last use.',
    response: 'sessions',
    act: async ({ caller, browser, store, now }) => ({
      json: { sessions: await listSessions(store, caller!.account, browser.session!, now) },
    }),
  },
  {
    ...common,
    method: 'DELETE',
    path,
    summary: 'Ends all sessions of the account, in every browser.',
    response: 'none',
    async act({ caller, store }) {
      await closeSessions(store, caller!.account);
      return { browser: { session: '' } };
    },
  },
  {
    ...common,
    method: 'POST',
    path: `${path}/end-others`,
    summary: 'Ends all sessions of the account except the current one.',
    response: 'none',
    async act({ caller, browser, store }) {
      await closeOtherSessions(store, caller!.account, browser.session!);
      return {};
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: `${path}/{session_id}`,
    summary: 'Ends one session.',
    description: 'Takes effect at once; other servers on the same database notice within a second.',
    response: 'none',
    problems: ['not_found'],
    async act({ caller, parameters: { session_id: id }, store }) {
      requireFound(await closeListedSession(store, caller!.account, id), `you have no session ${id.slice(0, 50)}`);
      return {};
    },
  },
];
