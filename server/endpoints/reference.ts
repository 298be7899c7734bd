/** Endpoints of reference data: prices, methodology, policies, tags, the catalog, and releases of the node software. */

import { ExactNumber } from '../../pipeline/base/json/exact-json.js';
import { formatDecimal, PRICE_DECIMALS } from '../../pipeline/base/values/amount.js';
import { daysThrough } from '../../pipeline/base/values/day.js';
import { METHODS } from '../../pipeline/books/pools/index.js';
import { NO_PRICE, UNREACHED } from '../../pipeline/books/reports/event-row.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { USUAL } from '../../pipeline/books/terms.js';
import type { CatalogContract, ReleaseWatch } from '../../schemas/types.generated.js';
import type { AnyEndpoint, Endpoint, ReferenceEndpoint } from '../api/endpoint.js';
import { formatsOf } from '../docs/words.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { reviewReleases } from '../tax/dataset/releases.js';
import { csvAnswer } from '../tax/formats/csv.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';

export const priceSeries = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/price-series',
  summary: `Published ${USUAL.currency.code} reference price of a denom, day by day.`,
  description:
    'One point for every UTC day of the range, by the published methodology. ' +
    'A day without a published price has `found` false and `usd` 0. `reason` says why. ' +
    '`quotes` lists what each source said of a day.',
  parameters: ['denom', 'chain_or_alias', 'series_start', 'series_end', 'format', 'bom'],
  response: 'price-series',
  csv: true,
  policy: 'tax',
  handle({ parameters, dataset }): Answer {
    const { chain, denom, range, format } = parameters;
    const points = pointsOf(parameters, dataset);
    if (format === 'csv') {
      const fileName = `price-series-${denom.replaceAll('/', '-')}-${range.start}-${range.end}.csv`;
      return csvAnswer(POINT_FIELDS, points, { fileName });
    }
    return { json: { chain, denom, methodology_version: dataset.manifest.methodology_version, points } };
  },
} satisfies Endpoint;

interface PricePoint {
  readonly date: string;
  /** USD per displayed unit; 0 if there is no price (`found` is then false). */
  readonly usd: ExactNumber;
  readonly found: boolean;
  readonly quotes: readonly Quote[];
  readonly reason: string;
}

interface Quote {
  readonly source: string;
  readonly usd: ExactNumber;
  readonly rejected: boolean;
}

const { text, number, boolean } = fieldsOf<PricePoint>();
const quotesText = ({ quotes }: PricePoint) =>
  quotes.map(({ source, usd, rejected }) => `${source} ${usd.text}${rejected ? ' (rejected)' : ''}`).join(', ');
const POINT_FIELDS = [text('date'), number('usd'), boolean('found'), text('quotes', quotesText), text('reason')];

function pointsOf({ denom, range }: ValidParameters, dataset: Dataset): PricePoint[] {
  const [prices, quotes] = [dataset.prices(denom), dataset.quotes(denom)];
  return daysThrough(range.start!, range.end!).map((date) => {
    const price = prices.get(date);
    const usd = new ExactNumber(formatDecimal(price ?? 0n, PRICE_DECIMALS));
    const reason = dataset.rowContext.isUnreached?.(denom, date) ? UNREACHED : NO_PRICE;
    const found = price !== undefined;
    return { date, usd, found, quotes: parseQuotes(quotes.get(date)), reason: found ? '' : reason };
  });
}

/** Parses the column `quotes` of the table prices. */
const parseQuotes = (quotes = ''): Quote[] =>
  quotes
    .split(',')
    .filter((quote) => quote !== '')
    .map((quote) => {
      const [source, usd, rejected] = quote.split(' ') as [string, string, string?];
      return { source, usd: new ExactNumber(usd), rejected: rejected !== undefined };
    });

const methodology = {
  kind: 'reference',
  method: 'GET',
  path: '/api/tax/v1/methodology',
  summary: 'How a day’s reference price is computed.',
  description:
    'Also lists manual corrections of holdings, for changes on the chain that no rule explains: ' +
    'each with its height, the changes and a source; and totals that did not match in the starting state.',
  parameters: [],
  response: 'methodology',
  policy: 'tax',
  handle({ reference, dataset }) {
    const { corrections, starting_differences = [] } = dataset?.manifest ?? {};
    return { ...reference.methodology, corrections: corrections?.list ?? [], starting_differences };
  },
} satisfies ReferenceEndpoint;

const recognitionPolicy = {
  kind: 'reference',
  method: 'GET',
  path: '/api/tax/v1/recognition-policy',
  summary: 'When a reward counts as income.',
  parameters: [],
  response: 'recognition-policy',
  policy: 'tax',
  handle: ({ reference }) => reference.recognitionPolicy,
} satisfies ReferenceEndpoint;

const KEY_FORMS = ['<TX_HASH>', '<TX_HASH>:<denom>', 'block:<height>', 'block:<height>:<denom>', '<row id>'];

const USAGE =
  'Send tags as a JSON object of key and tag, in the query parameter tags of /events, /journal, /positions and /summary, ' +
  'or in the member userTags of a POST to the same path. ' +
  'The id of a row reaches that row alone and wins over its hash, where a key with a denom wins over the bare one; ' +
  'block:<height> names what the chain did itself in a block. ' +
  'A hash reaches the rows that its tag fits: rewards, commission and redirected rewards only if the tag fits no other ' +
  'row of the transaction in that wallet, and fees, slashes and burned deposits never. ' +
  'A tag changes the treatment of its rows in that one answer, and is not stored. A tag that fits none of its rows is ' +
  'refused. The member tagged of the answer lists the rows of each key, or the reason why it reached none. ' +
  'With the id of a row, an object {"tag", "value_usd"} also states the value of its coins, which for sent coins is the proceeds.';

const tags = {
  kind: 'reference',
  method: 'GET',
  path: '/api/tax/v1/tags',
  summary: 'The bookkeeping tags and the effect of each.',
  parameters: ['chain'],
  response: 'tags',
  policy: 'tax',
  handle: ({ reference }) => ({
    key_forms: KEY_FORMS,
    tags: reference.tags.map(({ tag, label, treatment }) => ({ tag, label, treatment })),
    usage: USAGE,
  }),
} satisfies ReferenceEndpoint;

export const reviewedDataEndpoints: readonly ReferenceEndpoint[] = [methodology, recognitionPolicy, tags];

export const catalog = (routes: readonly AnyEndpoint[]) =>
  ({
    kind: 'dataset',
    method: 'GET',
    path: '/api/tax/v1/catalog',
    summary: 'What the indexer classifies, and the formats that it is served in.',
    description:
      'Categories, reward triggers, known contracts, message types, tags, export formats, reports, reviewed releases of the node software, countries and methods of tax years.',
    parameters: ['chain'],
    response: 'catalog',
    policy: 'tax',
    handle({ dataset }): Answer {
      const { manifest, reference } = dataset;
      const { chain, methodology, nodeReleases } = reference;
      return {
        json: {
          chain_id: chain.chain_id,
          chain: chain.name,
          methodology_version: methodology.version,
          methodology_date: methodology.effective_date,
          native_asset: nativeAsset(dataset),
          categories: reference.categories.map(({ category, taxable, groups, description }) => ({
            category,
            taxable,
            group: groups[0] ?? 'all',
            description,
          })),
          triggers: reference.triggers.map(({ trigger, categories, description }) => ({
            trigger,
            categories: categories.join(', '),
            description,
          })),
          contracts: contractsOf(dataset),
          message_types: manifest.message_types,
          tags: reference.tags.map(({ tag, label, treatment }) => ({ tag, label, treatment })),
          export_formats: formatsOf(routes),
          reports: routes.map(({ path, summary }) => ({ path, purpose: summary })),
          timezone_database: process.versions.tz!,
          gaia_releases: nodeReleases.releases.map((release) => ({ ...release, reviewed: true })),
          upcoming_changes: nodeReleases.upcoming_changes,
          unclassified: manifest.unclassified,
          unknown_message_types: manifest.unknown_message_types,
          undecoded_messages: manifest.undecoded_messages,
          edges: manifest.edges ?? [],
          countries: reference.countries.map((rules) => ({
            country: rules.country,
            name: rules.name,
            version: rules.version,
            review: rules.review,
            currency: rules.currency,
            timezone: rules.timezone,
            zones: rules.zones,
            year_start: rules.year_start,
            ...(rules.from !== undefined && { from: rules.from }),
            method: rules.method,
            scope: rules.scope,
            income: rules.income,
          })),
          tax_methods: METHODS.map(({ name, term }) => ({ method: name, term })),
        },
      };
    },
  }) satisfies Endpoint;

function nativeAsset({ reference: { assets, chain } }: Dataset) {
  const { denom, symbol, decimals, coingecko_id } = assets.find((asset) => asset.denom === chain.native_denom)!;
  return { denom, symbol, decimals, coingecko_id };
}

function contractsOf({ manifest, reference }: Dataset): CatalogContract[] {
  const seen = new Map(manifest.contracts_seen.map(({ address, first_height }) => [address, first_height]));
  return reference.contracts.contracts.map(({ address, protocol, name, kind }) => ({
    address,
    protocol,
    name,
    kind,
    first_seen_height: seen.get(address) ?? 0,
  }));
}

export const chainReleases = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/chain/releases',
  summary: 'Releases of the node software, their effect on the index, and pending upgrades.',
  description:
    'Reviewed releases with notes, newer releases found upstream, the node’s version and the upgrade ' +
    'that the chain has scheduled.',
  parameters: ['chain'],
  response: 'chain-releases',
  policy: 'tax',
  volatile: true,
  handle({ dataset, now }): Answer {
    const { reference } = dataset;
    const watch = dataset.releases();
    const { attention, isStale, latestReviewed, releases, isUpgradeReviewed } = reviewReleases(reference, watch, now);
    return {
      json: {
        attention,
        stale: isStale,
        latest_reviewed: latestReviewed,
        releases,
        upcoming_changes: reference.nodeReleases.upcoming_changes,
        watcher: watch ? runOf(watch) : null,
        upgrade_reviewed: isUpgradeReviewed,
      },
    };
  },
} satisfies Endpoint;

function runOf({ checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error }: ReleaseWatch) {
  return { checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error };
}
