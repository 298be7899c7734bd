/**
 * A stored block: a CometBFT 0.38 node's responses to /block and /block_results in one JSON object. check-block.ts
 * checks it before it is stored.
 */
import { crc32 } from 'node:zlib';
import type { RawBlock } from '../../schemas/types.generated.js';
import { BlockError } from './block-error.js';

export interface RecordedEvent {
  type: string;
  /** Go writes an empty list as null. */
  attributes: { key: string; value: string | null }[] | null;
}

export interface RecordedTransactionResult {
  code?: number;
  data?: string | null;
  gas_wanted?: string;
  gas_used?: string;
  events: RecordedEvent[] | null;
}

export interface RecordedValidatorUpdate {
  pub_key: { Sum: { value: { ed25519: string } } };
  power?: string;
}

export interface RecordedBlockId {
  hash: string;
  parts?: { total: number; hash: string };
}

export interface RecordedHeader {
  version?: { block?: string; app?: string };
  chain_id: string;
  height: string;
  time: string;
  last_block_id: RecordedBlockId;
  last_commit_hash?: string;
  data_hash?: string;
  validators_hash?: string;
  next_validators_hash?: string;
  consensus_hash?: string;
  app_hash?: string;
  last_results_hash?: string;
  evidence_hash?: string;
  proposer_address?: string;
}

export interface RecordedVote {
  type?: number;
  height: string;
  round?: number;
  block_id?: RecordedBlockId;
  timestamp?: string;
  validator_address: string;
  validator_index?: number;
  signature?: string | null;
  extension?: string | null;
  extension_signature?: string | null;
}

/** Evidence of a double vote or a light client attack (CometBFT types/evidence.go). */
export interface RecordedEvidence {
  type: string;
  value: {
    vote_a?: RecordedVote;
    vote_b?: RecordedVote;
    TotalVotingPower?: string;
    total_voting_power?: string;
    ValidatorPower?: string;
    validator_power?: string;
    Timestamp?: string;
    timestamp?: string;
    CommonHeight?: string;
    ByzantineValidators?: { address: string }[] | null;
  };
}

export interface BlockRecord {
  height: number;
  block: {
    block_id: { hash: string };
    block: {
      header: RecordedHeader;
      data: { txs: string[] | null };
      evidence?: { evidence: RecordedEvidence[] | null };
    };
  };
  block_results: {
    height: string;
    txs_results: RecordedTransactionResult[] | null;
    finalize_block_events: RecordedEvent[] | null;
    validator_updates?: RecordedValidatorUpdate[] | null;
    consensus_param_updates?: unknown;
  };
}

const HASH_IN_TEXT = /"block_id"\s*:\s*\{\s*"hash"\s*:\s*"([0-9A-F]{64})"/;

export function parseRecord(height: number, text: string): BlockRecord {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BlockError(height, HASH_IN_TEXT.exec(text)?.[1], `the record is not JSON: ${(error as Error).message}`);
  }
}

export const checksumOf = ({ time, hash, record }: Pick<RawBlock, 'time' | 'hash' | 'record'>): number =>
  crc32(record, crc32(hash, crc32(time)));
