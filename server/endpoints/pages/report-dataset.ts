import type { Config } from '../../../pipeline/config.js';
import type { Category } from '../../../schemas/types.generated.js';
import type { Dataset } from '../../dataset/dataset.js';
import { exampleWallet } from '../../dataset/example-wallet.js';
import type { Endpoint } from '../../endpoint.js';

/** Makes the endpoint of what the report says about the dataset before anybody has asked for a wallet. */
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

/** Tags with the sides of a row that they fit, and categories with the sides that take a tag: those with a treatment of their own. */
function tagRules({ reference: { tags, categories } }: Dataset) {
  const sides = (one: { in?: unknown; out?: unknown }) => (['in', 'out'] as const).filter((side) => one[side]);
  return {
    tags: tags.map((tag) => ({ tag: tag.tag, label: tag.label, treatment: tag.treatment, sides: sides(tag) })),
    tagged_sides: Object.fromEntries(
      categories
        .filter((category) => category.out?.act !== 'burn-deposit')
        .map((category) => [category.category, sides(category)]),
    ),
    // Receipts of these categories have no known basis until their owner says more.
    unknown_basis: categories.filter((category) => basisOf(category) === 'unknown').map(({ category }) => category),
    // The basis of these is the market value, and unknown on a day without a price.
    market_basis: categories.filter((category) => basisOf(category) === 'market').map(({ category }) => category),
    // Receipts of these categories have no known basis where their coins had not gone out before.
    returning: categories.filter(({ in: into }) => RETURNING.includes(into?.act)).map(({ category }) => category),
  };
}

const RETURNING: readonly unknown[] = ['withdraw', 'restore'];

const basisOf = ({ in: treatment }: Category) => (treatment?.act === 'acquire' ? treatment.basis : undefined);
