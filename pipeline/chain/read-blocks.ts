/** Reads raw blocks from disk: each record → a block as classification and fold take it. */
import type { RawBlock } from '../../schemas/types.generated.js';
import { type Database, readSql } from '../duckdb/database.js';
import type { ChainEventRecord, DoubleSign, FullBlock, Transaction } from './block.js';
import { BlockError } from './block-error.js';
import {
  type BlockRecord,
  checksumOf,
  parseRecord,
  type RecordedEvent,
  type RecordedEvidence,
  type RecordedTransactionResult,
} from './block-record.js';
import {
  decodeMessage,
  decodeTransaction,
  outlineMessage,
  type ReadMessage,
  transactionHash,
} from './decode-transaction.js';
import { DamagedFileError, isParquetFault, type RawRange } from './raw-files.js';

/**
 * Streams the stored rows of a range, or of some heights of it, in ascending order.
 * @throws DamagedFileError when a row is not as it was stored
 */
export async function* readRows(
  database: Database,
  range: RawRange,
  first = range.from,
  last = range.to,
): AsyncGenerator<RawBlock> {
  const parameters = { path: range.path, first, last };
  let next = first;
  try {
    const rows = database.rowByRow<RawBlock>('raw_blocks', readSql('tables/read_raw_blocks'), parameters);
    for await (const row of rows) {
      if (row.height !== next || (row.checksum !== null && row.checksum !== checksumOf(row))) break;
      yield row;
      next++;
    }
  } catch (error) {
    if (!isParquetFault(error)) throw error;
  }
  if (next <= last) throw new DamagedFileError(next, range.path);
}

/**
 * The blocks of a range, or of some heights of it (both inclusive), in ascending order, each parsed when it is asked for.
 * @throws BlockError when a transaction that succeeded is none
 */
export async function* readBlocks(
  database: Database,
  range: RawRange,
  first = range.from,
  last = range.to,
): AsyncGenerator<FullBlock> {
  for await (const row of readRows(database, range, first, last)) yield readBlock(row);
}

/**
 * One raw block, decoded.
 * @throws BlockError when a transaction that succeeded is none
 */
export function readBlock({ height, hash, record }: Pick<RawBlock, 'height' | 'hash' | 'record'>): FullBlock {
  return blockOf(height, hash, parseRecord(height, record), false);
}

/**
 * Outlines a parsed record, for whoever looks into few of its messages: each is decoded when its value is asked for. The record is
 * the block's from now on.
 * @throws BlockError when a transaction that succeeded is none
 */
export const outlineBlock = (height: number, hash: string, record: BlockRecord): FullBlock =>
  blockOf(height, hash, record, true);

/**
 * Decodes a parsed record. The record is the block's from now on.
 * @throws BlockError when a transaction that succeeded is none
 */
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
      power: Number(power ?? 0), // protobuf's JSON leaves zeros out
    })),
    doubleSigns: (block.block.evidence?.evidence ?? []).flatMap(doubleSignsOf),
  };
}

/** x/evidence handles an attack on light clients as a double sign of each validator in it, at the last height that both sides had. */
function doubleSignsOf({ value }: RecordedEvidence): DoubleSign[] {
  const { vote_a: vote, CommonHeight: common, ByzantineValidators: attackers } = value;
  if (vote) return [{ validatorAddress: vote.validator_address, height: Number(vote.height) }];
  return (attackers ?? []).map(({ address }) => ({ validatorAddress: address, height: Number(common) }));
}

/** A failed transaction may be any bytes; one that succeeded the chain has read. */
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

/** Puts '' and [] where the node wrote null; events are mended in place, for there are hundreds of thousands. */
function withoutNulls(events: RecordedEvent[] | null): readonly ChainEventRecord[] {
  for (const event of events ?? []) {
    event.attributes ??= [];
    for (const attribute of event.attributes) attribute.value ??= '';
  }
  return (events ?? []) as readonly ChainEventRecord[];
}
