import type { ServiceEndpoint } from '../../api/endpoint.js';
import { docHtml, docPages, type PageSources, searchIndex } from '../../docs/site/site.js';
import { formatsOf } from '../catalog.js';
import { htmlEndpoint, textEndpoint } from './texts.js';

/** Returns endpoints for the documentation: each page as HTML and as Markdown, and the search index. */
export function docEndpoints(sources: PageSources): ServiceEndpoint[] {
  const pages = docPages({ ...sources, formats: formatsOf(sources.routes) });
  const endpoints: ServiceEndpoint[] = [
    ...pages.flatMap((page) => [
      htmlEndpoint(page.path, page.title, () => docHtml(page, pages)),
      textEndpoint(`${page.path}.md`, page.title, 'text/markdown; charset=utf-8', () => page.markdown()),
    ]),
    {
      kind: 'service',
      method: 'GET',
      path: '/docs/search.json',
      summary: 'The sections of the documentation, for its search.',
      parameters: [],
      response: 'json',
      policy: 'none',
      serve: () => ({ json: searchIndex(pages) }),
    },
  ];
  return endpoints.map((endpoint) => ({ ...endpoint, dependsOn: sources.examples }));
}
