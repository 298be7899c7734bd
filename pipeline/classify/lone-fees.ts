/** Lone fees: the payer has no other row in the transaction, for example after a vote. */
import type { Message } from '../chain/block.js';
import type { RowDraft } from './classifier.js';

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

/** Limits the detail text; a transaction may contain any number of types. */
const TYPES_MAX = 3;

/** Returns the distinct types, such as 'cosmos.gov.v1.MsgVote'. */
function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ typeUrl }) => typeUrl.replace(/^\//, '')))];
  const named = types.slice(0, TYPES_MAX).join(', ');
  return types.length > TYPES_MAX ? `${named} and ${types.length - TYPES_MAX} more` : named;
}

/** Adds the message types to the detail of lone fees. */
export function describeLoneFees(rows: readonly RowDraft[], messages: readonly Message[]): readonly RowDraft[] {
  const types = typesOf(messages);
  if (types === '' || !rows.some(({ category }) => FEES.has(category))) return rows;
  const others = new Set(rows.filter(({ category }) => !FEES.has(category)).map(({ address }) => address));
  return rows.map((row) => {
    if (!FEES.has(row.category) || others.has(row.address)) return row;
    return { ...row, detail: [row.detail, `For ${types}`].filter(Boolean).join('; ') };
  });
}
