/** Lone fees: rows of a fee beside which its payer has no other row of the transaction, such as that of a vote. */
import type { Message } from '../chain/block.js';
import type { RowDraft } from './classifier.js';

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

/** Message types that are named, at the most: strangers may sign any number of them. */
const TYPES_MAX = 3;

/** The types of a transaction's messages, each once: 'cosmos.gov.v1.MsgVote'. */
function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ typeUrl }) => typeUrl.replace(/^\//, '')))];
  const named = types.slice(0, TYPES_MAX).join(', ');
  return types.length > TYPES_MAX ? `${named} and ${types.length - TYPES_MAX} more` : named;
}

/** The rows of a transaction, of which a lone fee says in its detail which messages it was paid for. */
export function describeLoneFees(rows: readonly RowDraft[], messages: readonly Message[]): readonly RowDraft[] {
  const types = typesOf(messages);
  if (types === '' || !rows.some(({ category }) => FEES.has(category))) return rows;
  const others = new Set(rows.filter(({ category }) => !FEES.has(category)).map(({ address }) => address));
  return rows.map((row) => {
    if (!FEES.has(row.category) || others.has(row.address)) return row;
    return { ...row, detail: [row.detail, `For ${types}`].filter(Boolean).join('; ') };
  });
}
