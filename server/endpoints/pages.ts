/** Endpoints for pages, and for files that browsers and crawlers request. OpenAPI and llms.txt omit these endpoints. */

import { zoneNames, zonesOf } from '../../pipeline/base/values/zone-names.js';
import { methodWords } from '../../pipeline/books/pools/index.js';
import { USUAL } from '../../pipeline/books/terms.js';
import type { Config } from '../../pipeline/config.js';
import type { Reference } from '../../pipeline/reference.js';
import type { Category, CountryRules } from '../../schemas/types.generated.js';
import type { AnyEndpoint, Endpoint, ServiceEndpoint } from '../api/endpoint.js';
import { docPages, type PageSources, searchIndex } from '../docs/site/site.js';
import { requireFound } from '../http/problem.js';
import { fillPage, HTML_TYPE, PAGE_POLICY, readPage } from '../http/web-pages.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { exampleWallet } from '../tax/dataset/example-wallet.js';
import { readAddresses } from '../tax/parameters/addresses.js';

export const PLAIN_TYPE = 'text/plain; charset=utf-8';

export const textEndpoint = (
  path: string,
  summary: string,
  type: string,
  text: (reference: Reference) => string,
): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path,
  summary,
  parameters: [],
  response: 'text',
  policy: 'none',
  serve: (reference) => ({ text: text(reference), type }),
});

/**
 * Creates the endpoint of an HTML page. Browsers must check for changes at each visit, because the names of the page's
 * scripts change.
 */
const htmlEndpoint = (path: string, summary: string, html: () => string): ServiceEndpoint => ({
  ...textEndpoint(path, summary, HTML_TYPE, html),
  response: 'html',
  contentSecurityPolicy: PAGE_POLICY,
  revalidated: true,
});

/** Creates the endpoint with the data that the pages need before the user enters a wallet. */
const reportDataset = ({ sample }: Config): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path: '/report/dataset.json',
  summary: 'The days that the dataset covers, its currencies, an example wallet, and which rows take which tags.',
  parameters: [],
  response: 'json',
  policy: 'none',
  handle({ dataset }) {
    const { generation, height, time, indexStart, indexEnd, manifest } = dataset;
    return {
      json: {
        ...{ generation, height, time, index_start: indexStart, index_end: indexEnd },
        methodology_version: manifest.methodology_version,
        currencies: dataset.exchangeRates().currencies.map(({ code }) => code),
        countries: dataset.reference.countries.map(countryOf),
        example: exampleWallet(dataset, sample) ?? null,
        ...tagRules(dataset),
        wallets: (manifest.own_wallets ?? []).map(({ address, state, missing, unconfirmed }) => ({
          address,
          state,
          missing,
          unconfirmed,
        })),
      },
    };
  },
});

/** Returns what the page uses of a country's rules. Its zones propose the country to users in them. */
const countryOf = (rules: CountryRules) => ({
  country: rules.country,
  name: rules.name,
  currency: rules.currency,
  timezone: rules.timezone,
  zones: [...new Set([...rules.zones, ...zonesOf(rules.country)])],
  year_start: rules.year_start,
  from: rules.from,
  method: rules.method,
  method_words: methodWords(rules.method),
  scope: rules.scope,
  free: rules.free,
  year_end: rules.year_end,
  form: rules.form.map(({ sum }) => ({ sum })),
  thresholds: rules.thresholds,
});

/** The endpoint with the names of all time zones, for a field of the report page. */
const zoneList: ServiceEndpoint = {
  kind: 'service',
  method: 'GET',
  path: '/report/zones.json',
  summary: 'The names of all time zones that the API accepts.',
  parameters: [],
  response: 'json',
  policy: 'none',
  serve: () => ({ json: zoneNames() }),
};

/** Returns the tags that can be used for received or sent coins, and the categories whose rows can have a tag. */
function tagRules({ reference: { tags, categories } }: Dataset) {
  const sides = (one: { in?: unknown; out?: unknown }) => (['in', 'out'] as const).filter((side) => one[side]);
  return {
    tags: tags.map((tag) => ({
      ...{ tag: tag.tag, label: tag.label, treatment: tag.treatment, sides: sides(tag) },
      effects: effectsOf(tag),
    })),
    tagged_sides: Object.fromEntries(
      categories
        .filter((category) => category.out?.act !== 'burn-deposit')
        .map((category) => [category.category, sides(category)]),
    ),
    // Tax effect of received and sent coins, by category.
    effects: Object.fromEntries(categories.map((category) => [category.category, effectsOf(category)])),
    // Categories of payments that count as sales until the user answers what they were.
    unexplained_out: categories.filter(({ out }) => out?.account === UNEXPLAINED).map(({ category }) => category),
    // Categories of receipts whose cost basis is unknown until the user enters it.
    unknown_basis: categories.filter((category) => basisOf(category) === 'unknown').map(({ category }) => category),
    // Categories of receipts whose cost basis is the market value. Without a price, the basis is unknown.
    market_basis: categories.filter((category) => basisOf(category) === 'market').map(({ category }) => category),
    // Categories of receipts whose cost basis is known only if the wallet sent the same coins before.
    returning: categories.filter(({ in: into }) => RETURNING.includes(into?.act)).map(({ category }) => category),
  };
}

const UNEXPLAINED = 'Transfers Out: Unclassified';

type Sides = Pick<Category, 'in' | 'out' | 'effect'>;

/** Returns the tax effect of received and of sent coins. A side is absent if its coins stay in the wallet. */
function effectsOf({ in: into, out, effect }: Sides): { in?: string; out?: string } {
  if (effect === 'swap') return { out: 'sold' };
  return {
    ...(into?.act === 'acquire' && { in: into.income ? 'income' : BASIS_EFFECTS[into.basis!] }),
    ...(out && { out: OUT_EFFECTS[out.act] ?? 'kept' }),
  };
}

const BASIS_EFFECTS = { market: 'bought', zero: 'free', unknown: 'unknown_cost' } as const;
const OUT_EFFECTS: Readonly<Record<string, string>> = {
  dispose: 'sold',
  relieve: 'no_gain',
  'relieve-linked': 'no_gain',
  'burn-deposit': 'no_gain',
};

const RETURNING: readonly unknown[] = ['withdraw', 'restore'];

const basisOf = ({ in: treatment }: Category) => (treatment?.act === 'acquire' ? treatment.basis : undefined);

/** Returns endpoints for the documentation: each page as HTML and as Markdown, and the search index. */
function docEndpoints(sources: PageSources): ServiceEndpoint[] {
  const pages = docPages(sources);
  const endpoints: ServiceEndpoint[] = [
    ...pages.flatMap((page) => [
      htmlEndpoint(page.path, page.title, () => page.html()),
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

export function pageEndpoints(sources: PageSources): readonly AnyEndpoint[] {
  const { config } = sources;
  const test_chain = testChainNote(sources);
  // The zone that pages propose; '' for the browser's zone.
  const { timezone = '' } = config;
  const pages = [
    page('/', 'report.html', 'The report: a year of one or more wallets.', { test_chain, timezone }),
    page('/holdings', 'holdings.html', 'What wallets held at an instant.', { test_chain, timezone }),
    // `openid` is the name of the configured OpenID provider. The sign-in form shows it.
    page('/account', 'account.html', 'Signing in, and all that belongs to an account.', {
      test_chain,
      openid: providerOf(config),
    }),
    ...docEndpoints(sources),
    // `base` is this service's URL. The page shows it in a code sample.
    page('/widget', 'widget.html', 'The widget for validators’ sites.', {
      base: config.baseUrl,
      currency: USUAL.currency.words,
    }),
  ];
  const listed = pages.filter(({ response }) => response === 'html').map(({ path }) => path);
  return [
    ...pages,
    validatorPage(sources, test_chain),
    reportDataset(config),
    zoneList,
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

/**
 * Creates the endpoint for validators' statements. The page exists for every address. Its script asks the API whether
 * the validator exists.
 */
function validatorPage({ reference: { chain } }: PageSources, test_chain: string): ServiceEndpoint {
  const text = fillPage(readPage('validator.html'), { test_chain });
  return {
    ...textEndpoint('/validator/{validator}', 'The statement of a validator.', HTML_TYPE, () => text),
    response: 'html',
    contentSecurityPolicy: PAGE_POLICY,
    volatile: true,
    problems: ['not_found'],
    serve(_reference, { validator = '' } = {}) {
      const [operator] = readAddresses([validator], `${chain.bech32_prefix}valoper`, () => undefined);
      requireFound(operator, 'this is not the operator address of a validator');
      return { text, type: HTML_TYPE };
    },
  };
}

/** Returns a note for pages of a test network; an empty text for the Cosmos Hub. */
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

/** Returns the sitemap. @param paths pages that search engines should list */
const sitemap = ({ baseUrl }: Config, paths: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`).join('\n')}
</urlset>
`;
