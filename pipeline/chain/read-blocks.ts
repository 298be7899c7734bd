/**
 * Decodes stored blocks. A message that cannot be decoded keeps its bytes, because the chain may run newer software
 * than this program supports.
 */
import { hash } from 'node:crypto';
import type { RawBlock } from '../../schemas/types.generated.js';
import type { Database } from '../base/duckdb/database.js';
import type { ChainEventRecord, DoubleSign, FullBlock, Transaction } from './block.js';
import { BlockError } from './block-error.js';
import {
  type BlockRecord,
  parseRecord,
  type RecordedEvent,
  type RecordedEvidence,
  type RecordedTransactionResult,
} from './block-record.js';
import { decodeMessage, decodeTransaction, outlineMessage, type ReadMessage } from './messages.js';
import { type RawRange, readRows } from './raw-files.js';

export async function* readBlocks(
  database: Database,
  range: RawRange,
  first = range.from,
  last = range.to,
): AsyncGenerator<FullBlock> {
  for await (const row of readRows(database, range, first, last)) yield readBlock(row);
}

export function readBlock({ height, hash, record }: Pick<RawBlock, 'height' | 'hash' | 'record'>): FullBlock {
  return blockOf(height, hash, parseRecord(height, record), false);
}

/**
 * Decodes a block. Its messages are decoded later, on first access. The block shares data with `record`, so the caller
 * must not change `record`.
 */
export const outlineBlock = (height: number, hash: string, record: BlockRecord): FullBlock =>
  blockOf(height, hash, record, true);

function blockOf(
  height: number,
  hash: string,
  { block, block_results: results }: BlockRecord,
  inOutline: boolean,
): FullBlock {
  const { header, data } = block.block;
  return {
    height,
    time: header.time,
    hash,
    chainId: header.chain_id,
    transactions: (data.txs ?? []).map((text, index) => {
      const readMessage = inOutline ? outlineMessage : decodeMessage;
      try {
        return readTransaction(Buffer.from(text, 'base64'), index, results.txs_results![index]!, readMessage);
      } catch (error) {
        throw new BlockError(height, hash, `transaction ${index} does not decode: ${(error as Error).message}`);
      }
    }),
    events: withoutNulls(results.finalize_block_events),
    validatorUpdates: (results.validator_updates ?? []).map(({ pub_key, power }) => ({
      publicKey: pub_key.Sum.value.ed25519,
      power: Number(power ?? 0),
    })),
    doubleSigns: (block.block.evidence?.evidence ?? []).flatMap(doubleSignsOf),
  };
}

/**
 * Returns double signs. Like x/evidence, treats a light client attack as a double sign by each attacker at the last
 * common height.
 */
function doubleSignsOf({ value }: RecordedEvidence): DoubleSign[] {
  const { vote_a: vote, CommonHeight: common, ByzantineValidators: attackers } = value;
  if (vote) return [{ validatorAddress: vote.validator_address, height: Number(vote.height) }];
  return (attackers ?? []).map(({ address }) => ({ validatorAddress: address, height: Number(common) }));
}

function readTransaction(
  bytes: Uint8Array,
  index: number,
  outcome: RecordedTransactionResult,
  readMessage: ReadMessage,
): Transaction {
  const code = outcome.code ?? 0;
  let content: Pick<Transaction, 'memo' | 'messages'> = { memo: '', messages: [] };
  try {
    content = decodeTransaction(bytes, readMessage);
  } catch (error) {
    if (code === 0) throw error;
  }
  let hash: string | undefined;
  return {
    index,
    get hash() {
      hash ??= transactionHash(bytes);
      return hash;
    },
    code,
    ...content,
    events: withoutNulls(outcome.events),
  };
}

/** Replaces null with '' or []. Changes the events in place, because a block may have hundreds of thousands of them. */
function withoutNulls(events: RecordedEvent[] | null): readonly ChainEventRecord[] {
  for (const event of events ?? []) {
    event.attributes ??= [];
    for (const attribute of event.attributes) attribute.value ??= '';
  }
  return (events ?? []) as readonly ChainEventRecord[];
}

function transactionHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').toUpperCase();
}
