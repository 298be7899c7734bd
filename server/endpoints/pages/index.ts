/**
 * Pages for people, and what crawlers and browsers look for beside them. They are no part of the API: neither OpenAPI nor llms.txt
 * lists them.
 */
import type { Config } from '../../../pipeline/config.js';
import type { PageSources } from '../../docs/site/site.js';
import type { AnyEndpoint, ServiceEndpoint } from '../../endpoint.js';
import { fillPage, HTML_TYPE, PAGE_POLICY, readPage } from '../../http/web-pages.js';
import { docEndpoints } from './docs.js';
import { reportDataset } from './report-dataset.js';

export function pageEndpoints(sources: PageSources): readonly AnyEndpoint[] {
  const { config } = sources;
  const pages = [
    page('/', 'report.html', 'The report: a year of one or more wallets.'),
    accountPage(config),
    ...docEndpoints(sources),
    widgetPage(config),
  ];
  const listed = pages.filter(({ response }) => response === 'html').map(({ path }) => path);
  return [
    ...pages,
    reportDataset(config),
    text('/robots.txt', 'text/plain; charset=utf-8', robots(config)),
    text('/sitemap.xml', 'application/xml; charset=utf-8', sitemap(config, listed)),
    { ...text('/widget.js', 'text/javascript; charset=utf-8', readPage('widget.js')), revalidated: true },
    text('/favicon.ico', 'image/svg+xml', readPage('icon.svg')),
  ];
}

const common = { kind: 'service', method: 'GET', parameters: [], policy: 'none', problems: [] } as const;

/** A built page. It names its scripts by hash, so a browser asks for it each time. */
const page = (path: string, file: string, summary: string): ServiceEndpoint => ({
  ...common,
  path,
  summary,
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
  serve: () => ({ text: readPage(file), type: HTML_TYPE }),
});

/** The page of an account. Its sign-in names the OpenID provider, where there is one. */
const accountPage = ({ oidc }: Config): ServiceEndpoint => ({
  ...page('/account', 'account.html', 'Signing in, and all that belongs to an account.'),
  serve: () => {
    const openid = oidc ? new URL(oidc.issuer).host : '';
    return { text: fillPage(readPage('account.html'), { openid }), type: HTML_TYPE };
  },
});

/** The page that shows the widget, with this service's own URL in the code to copy. */
const widgetPage = ({ baseUrl }: Config): ServiceEndpoint => ({
  ...page('/widget', 'widget.html', 'The widget for validators’ sites.'),
  serve: () => ({ text: fillPage(readPage('widget.html'), { base: baseUrl }), type: HTML_TYPE }),
});

const text = (path: string, type: string, content: string): ServiceEndpoint => ({
  ...common,
  path,
  summary: path,
  response: 'text',
  serve: () => ({ text: content, type }),
});

const robots = ({ baseUrl }: Config) => `User-agent: *
Disallow: /api/

Sitemap: ${baseUrl}/sitemap.xml
`;

/** @param paths of pages that search engines may list */
const sitemap = ({ baseUrl }: Config, paths: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`).join('\n')}
</urlset>
`;
