import type { CatalogContract, CatalogFormat } from '../../schemas/types.generated.js';
import type { AnyEndpoint, Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { FORM_8949 } from '../tax/formats/profiles/form8949/form-answer.js';
import { IMPORTERS } from '../tax/formats/profiles/importers/index.js';
import { LEDGERS } from '../tax/formats/profiles/ledgers/ledger-answer.js';

export const catalog = (routes: readonly AnyEndpoint[]) =>
  ({
    kind: 'dataset',
    method: 'GET',
    path: '/api/tax/v1/catalog',
    summary: 'What the indexer classifies, and the formats that it is served in.',
    description:
      'Categories, reward triggers, known contracts, message types, tags, export formats, reports, reviewed releases of the node software.',
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
          gaia_releases: nodeReleases.releases.map((release) => ({ ...release, reviewed: true })),
          upcoming_changes: nodeReleases.upcoming_changes,
          unclassified: manifest.unclassified,
          unknown_message_types: manifest.unknown_message_types,
          undecoded_messages: manifest.undecoded_messages,
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

export function formatsOf(routes: readonly AnyEndpoint[]): CatalogFormat[] {
  const paths = (chosen: readonly AnyEndpoint[]) => chosen.map(({ path }) => path);
  return [
    { format: 'json', profile: '', paths: paths(routes), description: 'Members as documented; exact decimals.' },
    {
      format: 'csv',
      profile: '',
      paths: paths(routes.filter(({ csv }) => csv)),
      description: 'The rows of the same response, RFC 4180: a header line, CRLF, UTF-8.',
    },
    ...Object.entries(IMPORTERS).map(([profile, { description }]) => ({
      ...{ format: 'csv', profile, description },
      paths: paths(routes.filter(({ parameters }) => parameters.includes('profile'))),
    })),
    ...[...LEDGERS, FORM_8949].map(({ profile, description }) => ({
      ...{ format: 'csv', profile, description },
      paths: paths(routes.filter(({ parameters }) => parameters.includes('journal_profile'))),
    })),
  ];
}
