import type { Config } from '../../../pipeline/config.js';
import type { Category } from '../../../schemas/types.generated.js';
import type { Endpoint } from '../../api/endpoint.js';
import type { Dataset } from '../../tax/dataset/dataset.js';
import { exampleWallet } from '../../tax/dataset/example-wallet.js';

/** Data that the report page shows before a wallet is entered. */
export const reportDataset = ({ sample }: Config): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path: '/report/dataset.json',
  summary: 'The days that the dataset covers, an example wallet, and which rows take which tags.',
  parameters: [],
  response: 'json',
  policy: 'none',
  handle({ dataset }) {
    const { generation, height, time, indexStart, indexEnd, manifest } = dataset;
    return {
      json: {
        ...{ generation, height, time, index_start: indexStart, index_end: indexEnd },
        methodology_version: manifest.methodology_version,
        example: exampleWallet(dataset, sample) ?? null,
        ...tagRules(dataset),
      },
    };
  },
});

/** Returns which tags fit received or sent coins, and which categories accept a tag. */
function tagRules({ reference: { tags, categories } }: Dataset) {
  const sides = (one: { in?: unknown; out?: unknown }) => (['in', 'out'] as const).filter((side) => one[side]);
  return {
    tags: tags.map((tag) => ({ tag: tag.tag, label: tag.label, treatment: tag.treatment, sides: sides(tag) })),
    tagged_sides: Object.fromEntries(
      categories
        .filter((category) => category.out?.act !== 'burn-deposit')
        .map((category) => [category.category, sides(category)]),
    ),
    // The cost basis of these receipts is unknown until the user states it.
    unknown_basis: categories.filter((category) => basisOf(category) === 'unknown').map(({ category }) => category),
    // The cost basis is the market value, or unknown if there is no price.
    market_basis: categories.filter((category) => basisOf(category) === 'market').map(({ category }) => category),
    // The cost basis is unknown unless the same coins were sent before.
    returning: categories.filter(({ in: into }) => RETURNING.includes(into?.act)).map(({ category }) => category),
  };
}

const RETURNING: readonly unknown[] = ['withdraw', 'restore'];

const basisOf = ({ in: treatment }: Category) => (treatment?.act === 'acquire' ? treatment.basis : undefined);
