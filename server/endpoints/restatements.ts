import { fieldsOf } from '../../pipeline/books/reports/field.js';
import type { WalletRestatement } from '../../pipeline/publish/wallet-index/events-format.js';
import type { ManifestRestatement, RestatedFigure } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';

export const restatements = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/restatements',
  summary: 'Figures of closed months that changed after they were published.',
  description:
    'A UTC month is closed seven days after its end. A later change of one of its figures is a restatement, with the ' +
    'figure before and after, and the cause. With `since`, only what changed after a generation or on or after a day. ' +
    'Amounts of coins are base units.',
  parameters: ['address', 'chain', 'since', 'format'],
  response: 'restatements',
  csv: true,
  post: true,
  policy: 'tax',
  handle({ parameters: { addresses, since, format }, dataset }): Answer {
    const rows = addresses.flatMap((address) => restatedSince(since, address, dataset));
    if (format === 'csv') {
      const span = since === '' ? [] : [since];
      return csvAnswer(FIELDS, rows, { fileName: fileNameOf('restatements', addresses, span) });
    }
    const months = new Map<string, number>();
    for (const { month } of rows) months.set(month, (months.get(month) ?? 0) + 1);
    return {
      json: {
        address: addresses.join(','),
        since,
        generation: dataset.generation,
        count: rows.length,
        months: [...months].sort().map(([month, figures]) => ({ month, figures })),
        restatements: rows,
      },
    };
  },
} satisfies Endpoint;

function restatedSince(since: string, address: string, { manifest, ...dataset }: Dataset): RestatedFigure[] {
  const later = laterThan(since, manifest.generation, manifest.restatements);
  const made = new Map(later.map((one) => [one.generation_after, one]));
  return dataset.restatements(address).flatMap((row) => {
    const by = made.get(row.generation_after);
    return by ? [figureOf(address, row, by)] : [];
  });
}

const heightOf = (generation: string) => Number.parseInt(generation.slice(1), 10);

/**
 * Returns the restatements after a generation. If the generation is not listed, only its height is known. In this case,
 * restatements at the same height are returned too.
 */
function laterThan(
  since: string,
  generation: string,
  made: readonly ManifestRestatement[],
): readonly ManifestRestatement[] {
  if (since === '') return made;
  if (!since.startsWith('h')) return made.filter(({ restated_at }) => restated_at.slice(0, 10) >= since);
  if (since === generation) return [];
  const after = made.findIndex((one) => one.generation_after === since);
  if (after !== -1) return made.slice(after + 1);
  const before = made.findIndex((one) => one.generation_before === since);
  if (before !== -1) return made.slice(before);
  return made.filter((one) => heightOf(one.generation_before) >= heightOf(since));
}

const figureOf = (address: string, row: WalletRestatement, by: ManifestRestatement): RestatedFigure => ({
  address,
  month: row.month,
  what: row.what,
  record: row.record,
  figure: row.figure,
  figure_before: row.figure_before,
  figure_after: row.figure_after,
  cause: row.cause,
  generation_before: by.generation_before,
  generation_after: by.generation_after,
  restated_at: by.restated_at,
});

const { text, word } = fieldsOf<RestatedFigure>();

const FIELDS = [
  word('address'),
  word('month'),
  word('what'),
  text('record'),
  word('figure'),
  text('figure_before', ({ figure_before }) => figure_before ?? ''),
  text('figure_after', ({ figure_after }) => figure_after ?? ''),
  word('cause'),
  word('generation_before'),
  word('generation_after'),
  word('restated_at'),
];
