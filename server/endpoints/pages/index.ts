/** Pages for people, and files for browsers and crawlers. OpenAPI and llms.txt do not list them. */
import type { Config } from '../../../pipeline/config.js';
import type { AnyEndpoint } from '../../api/endpoint.js';
import type { PageSources } from '../../docs/site/site.js';
import { fillPage, readPage } from '../../http/web-pages.js';
import { docEndpoints } from './docs.js';
import { reportDataset } from './report-dataset.js';
import { htmlEndpoint, PLAIN_TYPE, textEndpoint } from './texts.js';

export function pageEndpoints(sources: PageSources): readonly AnyEndpoint[] {
  const { config } = sources;
  const test_chain = testChainNote(sources);
  const pages = [
    page('/', 'report.html', 'The report: a year of one or more wallets.', { test_chain }),
    // The sign-in form shows the name of the OpenID provider, if one is configured.
    page('/account', 'account.html', 'Signing in, and all that belongs to an account.', {
      test_chain,
      openid: providerOf(config),
    }),
    ...docEndpoints(sources),
    // The page shows a code sample with this service's URL.
    page('/widget', 'widget.html', 'The widget for validators’ sites.', { base: config.baseUrl }),
  ];
  const listed = pages.filter(({ response }) => response === 'html').map(({ path }) => path);
  return [
    ...pages,
    reportDataset(config),
    text('/robots.txt', PLAIN_TYPE, robots(config)),
    text('/sitemap.xml', 'application/xml; charset=utf-8', sitemap(config, listed)),
    { ...text('/widget.js', 'text/javascript; charset=utf-8', readPage('widget.js')), revalidated: true },
    text('/favicon.ico', 'image/svg+xml', readPage('icon.svg')),
  ];
}

function page(path: string, file: string, summary: string, texts: Readonly<Record<string, string>> = {}) {
  const html = fillPage(readPage(file), texts);
  return htmlEndpoint(path, summary, () => html);
}

/** Returns a note for pages of a test network; empty for the Cosmos Hub. */
const testChainNote = ({ config: { nodeChainId }, reference: { chain } }: PageSources): string =>
  nodeChainId === undefined || nodeChainId === chain.node_chain_id
    ? ''
    : `This is a recorded test chain, ${nodeChainId}. It runs the program of the ${chain.name}, but its wallets and amounts are made up.`;

const providerOf = ({ oidc }: Config): string => (oidc ? new URL(oidc.issuer).host : '');

const text = (path: string, type: string, content: string) => textEndpoint(path, path, type, () => content);

const robots = ({ baseUrl }: Config) => `User-agent: *
Disallow: /api/

Sitemap: ${baseUrl}/sitemap.xml
`;

/** @param paths pages that search engines should list */
const sitemap = ({ baseUrl }: Config, paths: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`).join('\n')}
</urlset>
`;
