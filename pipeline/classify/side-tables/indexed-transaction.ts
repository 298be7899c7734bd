/** Makes a transaction's row of the table `transactions`. */
import type { IndexedTransaction } from '../../../schemas/types.generated.js';
import type { Message, Transaction } from '../../chain/block.js';
import type { RowDraft } from '../classifier.js';

/** @param rows of this transaction: x/feemarket takes one coin from one payer; of several coins, as without it, the first is told */
export function indexedTransaction(
  height: number,
  { hash, index, code, messages, memo }: Transaction,
  rows: readonly RowDraft[],
): IndexedTransaction {
  const paid = rows.find(({ fee }) => fee);
  return {
    hash,
    height,
    index,
    code,
    payer: paid?.address ?? null,
    fee_amount: paid?.fee?.amount ?? null,
    fee_denom: paid?.fee?.denom ?? null,
    message_types: messages.map(({ typeUrl }) => typeUrl),
    inner_message_types: messages.flatMap(typesWithin),
    memo,
  };
}

/** Type URLs of the messages within a message, outer before inner. */
const typesWithin = ({ inner }: Message): string[] =>
  inner.flatMap((message) => [message.typeUrl, ...typesWithin(message)]);
