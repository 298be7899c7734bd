const TAX = '/api/tax/v1';
const ACCOUNT = '/api/account/v1';

export const PATHS = {
  dataset: '/report/dataset.json',
  zones: '/report/zones.json',
  summary: `${TAX}/summary`,
  events: `${TAX}/events`,
  journal: `${TAX}/journal`,
  positions: `${TAX}/positions`,
  transferred: `${TAX}/transferred-basis`,
  taxYear: `${TAX}/tax-year`,
  methodology: `${TAX}/methodology`,
  saved: `${ACCOUNT}/saved`,
  savedDecisions: `${TAX}/saved-decisions`,
  savedLots: `${TAX}/saved-opening-lots`,
  /** Path for reading a saved entry by POST. The wallet's address is in the body. */
  read: (path: string) => `${path}/read`,
  me: `${ACCOUNT}/me`,
  challenge: `${ACCOUNT}/sign-in/challenge`,
  signIn: `${ACCOUNT}/sign-in`,
  openId: `${ACCOUNT}/oidc/start`,
  signOut: `${ACCOUNT}/sign-out`,
  keys: `${ACCOUNT}/keys`,
  widgetKeys: `${ACCOUNT}/widget-keys`,
  sessions: `${ACCOUNT}/sessions`,
  endOtherSessions: `${ACCOUNT}/sessions/end-others`,
  webhooks: '/api/upgrades/v1/webhooks',
  webhook: (id: string) => `/api/upgrades/v1/webhooks/${id}`,
  submissions: `${TAX}/wasm/submissions`,
  catalog: `${TAX}/catalog`,
  statement: (operator: string, start: string, end: string) =>
    `${TAX}/validator-statement?validator=${operator}&start=${start}&end=${end}`,
  review: `${TAX}/asset-review`,
  ownSends: `${TAX}/own-sends`,
  restatements: `${TAX}/restatements`,
  balances: `${TAX}/balances`,
  holdings: `${TAX}/holdings`,
  prices: (start: string, end: string, denom = 'uatom') =>
    `${TAX}/price-series?denom=${encodeURIComponent(denom)}&start=${start}&end=${end}`,
} as const;
