import { type DocPage, docHtml, docPages, type PageSources, searchIndex } from '../../docs/site/site.js';
import type { ServiceEndpoint } from '../../endpoint.js';
import { HTML_TYPE, PAGE_POLICY } from '../../http/web-pages.js';
import { formatsOf } from '../catalog.js';

/** Makes the endpoints of the documentation: each page as HTML and as Markdown, and what its search reads. */
export function docEndpoints(sources: PageSources): ServiceEndpoint[] {
  const pages = docPages({ ...sources, formats: formatsOf(sources.routes) });
  const endpoints: ServiceEndpoint[] = [
    ...pages.flatMap((page) => [htmlOf(page, pages), markdownOf(page)]),
    {
      ...common,
      path: '/docs/search.json',
      summary: 'The sections of the documentation, for its search.',
      response: 'json',
      serve: () => ({ json: searchIndex(pages) }),
    },
  ];
  return endpoints.map((endpoint) => ({ ...endpoint, dependsOn: sources.examples }));
}

const common = { kind: 'service', method: 'GET', parameters: [], policy: 'none' } as const;

const htmlOf = (page: DocPage, pages: readonly DocPage[]): ServiceEndpoint => ({
  ...common,
  path: page.path,
  summary: page.title,
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
  serve: () => ({ text: docHtml(page, pages), type: HTML_TYPE }),
});

const markdownOf = (page: DocPage): ServiceEndpoint => ({
  ...common,
  path: `${page.path}.md`,
  summary: page.title,
  response: 'text',
  serve: () => ({ text: page.markdown(), type: 'text/markdown; charset=utf-8' }),
});
