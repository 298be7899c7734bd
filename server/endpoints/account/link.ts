/** The endpoints of links that the operator hands out to sign in. */
import { redeemLink } from '../../accounts/links.js';
import { openSession } from '../../accounts/sessions.js';
import type { ActionEndpoint, ServiceEndpoint } from '../../endpoint.js';
import { FORM_POLICY, HTML_TYPE, readPage } from '../../http/web-pages.js';
import { PARAMETERS } from '../../parameters/parameters.js';
import { Problem, requireFound } from '../../problem.js';

/** Path that a browser goes to when it is signed in. */
export const HOME = '/account#signed-in';

const common = { path: '/api/account/v1/link/{token}', access: 'own', parameters: [], forPeople: true } as const;

const LINK_PAGE = readPage('link.html');
const TOKEN = new RegExp(PARAMETERS.token.schema.pattern!);

export const linkEndpoints: readonly (ActionEndpoint | ServiceEndpoint)[] = [
  /**
   * The page of a link, the same for each: whether one still works is told to who redeems it. It names a referrer policy of its own: with
   * that of other answers, which is none, browsers would send `Origin: null` along with its form.
   */
  {
    ...common,
    kind: 'service',
    method: 'GET',
    summary: 'The page of a link of the operator, with a button that redeems it. For people.',
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
    summary: 'Begins a session for who redeems a link of the operator: once, within a day.',
    response: 'none',
    policy: 'sign-in',
    status: 303,
    problems: ['unauthorized'],
    async act({ parameters: { token }, browser, store, config, now }) {
      const account = await redeemLink(store, token, now);
      if (!account)
        throw new Problem(
          'unauthorized',
          'this link signs nobody in: it was used already, is older than a day, or was not copied whole',
        );
      const session = await openSession(store, account, now, browser);
      return { location: config.baseUrl + HOME, browser: { session } };
    },
  },
];
