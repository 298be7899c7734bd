/** Endpoints for static texts: pages, and files for agents, crawlers and load balancers. */
import type { ServiceEndpoint } from '../../api/endpoint.js';
import { HTML_TYPE, PAGE_POLICY } from '../../http/web-pages.js';

export const PLAIN_TYPE = 'text/plain; charset=utf-8';

export const textEndpoint = (path: string, summary: string, type: string, text: () => string): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path,
  summary,
  parameters: [],
  response: 'text',
  policy: 'none',
  serve: () => ({ text: text(), type }),
});

/** Browsers revalidate pages each time, because a page names its scripts by hash. */
export const htmlEndpoint = (path: string, summary: string, html: () => string): ServiceEndpoint => ({
  ...textEndpoint(path, summary, HTML_TYPE, html),
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
});
