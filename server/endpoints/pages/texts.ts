/** Endpoints with static texts: pages, and files for crawlers, load balancers and language models. */
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

/**
 * Browsers must check pages for changes each time, because the names of scripts in a page change with their content.
 */
export const htmlEndpoint = (path: string, summary: string, html: () => string): ServiceEndpoint => ({
  ...textEndpoint(path, summary, HTML_TYPE, html),
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
});
