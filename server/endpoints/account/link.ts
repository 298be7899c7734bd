/** Endpoints of the sign-in links that the operator issues. */

import type { ActionEndpoint, ServiceEndpoint } from '../../api/endpoint.js';
import { Problem, requireFound } from '../../http/problem.js';
import { FORM_POLICY, HTML_TYPE, readPage } from '../../http/web-pages.js';
import { redeemLink } from '../../people/accounts/links.js';
import { openSession } from '../../people/accounts/sessions.js';
import { PARAMETERS } from '../../tax/parameters/parameters.js';

/** Page that a browser opens after sign-in. */
export const HOME = '/account#signed-in';

const common = { path: '/api/account/v1/link/{token}', access: 'own', parameters: [], forPeople: true } as const;

const LINK_PAGE = readPage('link.html');
const TOKEN = new RegExp(PARAMETERS.token.schema.pattern!);

export const linkEndpoints: readonly (ActionEndpoint | ServiceEndpoint)[] = [
  /**
   * Shows the same page for every link. Whether a link is valid is reported only when the form is sent. Sets its own
   * Referrer-Policy: with `no-referrer`, browsers would send the form with `Origin: null`.
   */
  {
    ...common,
    kind: 'service',
    method: 'GET',
    summary: 'Page of an operator’s sign-in link, with a button that redeems it. For people.',
    response: 'html',
    policy: 'tax',
    volatile: true,
    contentSecurityPolicy: FORM_POLICY,
    problems: ['not_found'],
    serve(_reference, { token = '' } = {}) {
      requireFound(TOKEN.test(token), 'this link was not copied whole');
      return { text: LINK_PAGE, type: HTML_TYPE };
    },
  },
  {
    ...common,
    kind: 'action',
    method: 'POST',
    summary: 'Redeems an operator’s sign-in link and starts a session: once, within a day.',
    response: 'none',
    policy: 'sign-in',
    status: 303,
    problems: ['unauthorized'],
    async act({ parameters: { token }, browser, store, config, now }) {
      const account = await redeemLink(store, token, now);
      if (!account)
        throw new Problem(
          'unauthorized',
          'this link is not valid: it was already used, is older than a day, or was not copied completely',
        );
      const session = await openSession(store, account, now, browser);
      return { location: config.baseUrl + HOME, browser: { session } };
    },
  },
];
