/**
 * The record of a height: the results of a CometBFT 0.38 node's /block and /block_results as one JSON object. Parsed
 * here and nowhere else; checkRecord is the door that every record passes before it is stored.
 */
import { crc32 } from 'node:zlib';
import type { RawBlock } from '../../schemas/types.generated.js';
import { withoutMember } from '../json/json-slices.js';
import { BlockError, ForkError } from './block-error.js';
import { resultsFault } from './results-fault.js';

export interface RecordedEvent {
  type: string;
  /** Go writes an empty list as null; some nodes write an empty value as null. */
  attributes: { key: string; value: string | null }[] | null;
}

export interface RecordedTransactionResult {
  code?: number;
  events: RecordedEvent[] | null;
}

/** Ed25519 is the only kind of key that the Hub's validators have. */
export interface RecordedValidatorUpdate {
  pub_key: { Sum: { value: { ed25519: string } } };
  power?: string;
}

/** Evidence of two votes for one height, or of an attack on light clients, with members as Go names them (CometBFT types/evidence.go). */
export interface RecordedEvidence {
  type: string;
  value: {
    vote_a?: { height: string; validator_address: string };
    CommonHeight?: string;
    ByzantineValidators?: { address: string }[] | null;
  };
}

export interface BlockRecord {
  height: number;
  block: {
    block_id: { hash: string };
    block: {
      header: { chain_id: string; height: string; time: string; last_block_id: { hash: string } };
      data: { txs: string[] | null };
      evidence?: { evidence: RecordedEvidence[] | null };
    };
  };
  block_results: {
    height: string;
    txs_results: RecordedTransactionResult[] | null;
    finalize_block_events: RecordedEvent[] | null;
    validator_updates?: RecordedValidatorUpdate[] | null;
  };
}

const HASH = /^[0-9A-F]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const isTime = (text: string): boolean => {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19); // a day of the calendar
};
const HASH_IN_TEXT = /"block_id"\s*:\s*\{\s*"hash"\s*:\s*"([0-9A-F]{64})"/;

/**
 * The parsed record.
 * @throws BlockError when it is no JSON; the hash is looked for in the text
 */
export function parseRecord(height: number, text: string): BlockRecord {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BlockError(height, HASH_IN_TEXT.exec(text)?.[1], `the record is not JSON: ${(error as Error).message}`);
  }
}

/** The facts that a record must fit. */
export interface Expectation {
  readonly height: number;
  readonly chainId: string;
  /** Hash of the block before, or undefined when that block is not indexed. */
  readonly previousHash: string | undefined;
  /** Time of the block before, as rows have it. */
  readonly previousTime?: string | undefined;
}

/** Says why the parsed record does not fit; undefined when it does. A member that is not there reads as a difference. */
function misfit(record: Partial<BlockRecord> | null, expected: Expectation): string | undefined {
  const header = record?.block?.block?.header;
  if (!header) return 'there is no block in the record';
  if (header.height !== String(expected.height)) return `the header is of height ${header.height}`;
  if (header.chain_id !== expected.chainId) return `it belongs to ${header.chain_id}, not to ${expected.chainId}`;
  if (!HASH.test(record?.block?.block_id?.hash ?? '')) return 'the block has no hash';
  if (!isTime(header.time)) return `its time is ${JSON.stringify(header.time)}`;
  const results = record?.block_results;
  if (results?.height !== String(expected.height)) return `the results are of height ${results?.height}`;
  if (results.finalize_block_events === undefined) return 'the results have no finalize_block_events (CometBFT 0.38)';
  const [transactions, outcomes] = [record?.block?.block?.data?.txs?.length ?? 0, results.txs_results?.length ?? 0];
  if (transactions !== outcomes) return `${transactions} transactions, but ${outcomes} results`;
  return resultsFault(record);
}

/** CRC-32 of what is stored of a block. */
export const checksumOf = ({ time, hash, record }: Pick<RawBlock, 'time' | 'hash' | 'record'>): number =>
  crc32(record, crc32(hash, crc32(time)));

/** The member of a record that nobody reads: signatures of the block before, as large as all else of most blocks. */
const UNREAD = ['block', 'block', 'last_commit'];

/** A record that was checked. */
export interface CheckedRecord {
  /** The row to store for it. */
  readonly row: RawBlock;
  readonly record: BlockRecord;
}

/** @throws BlockError naming what does not fit; ForkError where it is the block before */
export function checkRecord(text: string, expected: Expectation): CheckedRecord {
  const record = parseRecord(expected.height, text);
  const reason = misfit(record, expected);
  if (reason) throw new BlockError(expected.height, record?.block?.block_id?.hash || undefined, reason);
  const { block_id, block } = record.block;
  const [last, before] = [block.header.last_block_id?.hash, expected.previousHash];
  const fork = (reason: string) => new ForkError(expected.height, block_id.hash, reason);
  if (before !== undefined && last !== before) {
    throw fork(`it follows block ${last}, but block ${expected.height - 1} is ${before}`);
  }
  const time = block.header.time.slice(0, 19).replace('T', ' ');
  const { previousTime = '' } = expected;
  if (time < previousTime) throw fork(`its time is ${time}, but block ${expected.height - 1} is of ${previousTime}`);
  const stored = { height: expected.height, time, hash: block_id.hash, record: withoutMember(text, UNREAD) };
  return { row: { ...stored, checksum: checksumOf(stored) }, record };
}
