/** Endpoints that answer with a text of the service's own: pages for people, and what agents, crawlers and balancers read. */
import type { ServiceEndpoint } from '../../endpoint.js';
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

/** A page names its scripts by hash, so a browser asks for it each time. */
export const htmlEndpoint = (path: string, summary: string, html: () => string): ServiceEndpoint => ({
  ...textEndpoint(path, summary, HTML_TYPE, html),
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
});
