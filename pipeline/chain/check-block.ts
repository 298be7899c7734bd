/**
 * Checks every block before it is stored. The header's hash proves all of a block but its results; the next header proves code, data
 * and gas of its results, and whether the validator set changed. Events and logs are in no hash.
 */
import type { RawBlock } from '../../schemas/types.generated.js';
import { withoutMember } from '../json/json-slices.js';
import type { FullBlock } from './block.js';
import { BlockError } from './block-error.js';
import { dataHash, evidenceHash, headerHash, resultsHash } from './block-hashes.js';
import { type BlockRecord, checksumOf, parseRecord } from './block-record.js';
import { outlineBlock } from './read-blocks.js';
import { resultsFault } from './results-fault.js';

/** The facts that a record must fit. */
export interface Expectation {
  readonly height: number;
  readonly chainId: string;
  /** Now, in milliseconds since the epoch. Blocks of the past may be of any time. */
  readonly now: number;
}

/** Facts of a block that the next header confirms. */
export interface Link {
  readonly height: number;
  readonly hash: string;
  /** Time as rows have it. */
  readonly time: string;
  readonly resultsHash: string;
  /** Hash of the validator set that signs the next block. */
  readonly nextValidators: string | undefined;
  readonly updatesValidators: boolean;
}

/** A block that passed all checks but those of the next header. */
export interface CheckedBlock {
  /** The row to store for it. */
  readonly row: RawBlock;
  readonly block: FullBlock;
  readonly record: BlockRecord;
  readonly link: Link;
}

const HASH = /^[0-9A-F]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const isTime = (text: string): boolean => {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19); // a day of the calendar
};

/** Milliseconds that a block's time may be ahead of the clock. */
const AHEAD_MAX_MS = 600_000;

/** Returns why the parsed record does not fit; undefined when it does. A member that is not there reads as a difference. */
function misfit(record: Partial<BlockRecord> | null, expected: Expectation): string | undefined {
  const header = record?.block?.block?.header;
  if (!header) return 'there is no block in the record';
  if (header.height !== String(expected.height)) return `the header is of height ${header.height}`;
  if (header.chain_id !== expected.chainId) return `it belongs to ${header.chain_id}, not to ${expected.chainId}`;
  if (!HASH.test(record?.block?.block_id?.hash ?? '')) return 'the block has no hash';
  if (!isTime(header.time)) return `its time is ${JSON.stringify(header.time)}`;
  if (Date.parse(header.time) > expected.now + AHEAD_MAX_MS) {
    return `its time is ${header.time}, but it is ${new Date(expected.now).toISOString().slice(0, 16)}Z`;
  }
  const results = record?.block_results;
  if (results?.height !== String(expected.height)) return `the results are of height ${results?.height}`;
  if (results.finalize_block_events === undefined) return 'the results have no finalize_block_events (CometBFT 0.38)';
  const [transactions, outcomes] = [record?.block?.block?.data?.txs?.length ?? 0, results.txs_results?.length ?? 0];
  if (transactions !== outcomes) return `${transactions} transactions, but ${outcomes} results`;
  return resultsFault(record) ?? hashFault(record as BlockRecord);
}

/** Returns which hash of a block is not that of its content; undefined when all are. */
function hashFault({ block: { block_id, block } }: BlockRecord): string | undefined {
  const { header, data, evidence } = block;
  const differs = (name: string, stated: string | undefined, computed: string | undefined) =>
    stated === computed ? undefined : `its ${name} is ${stated}, but its content has ${computed}`;
  const proof = evidenceHash(evidence?.evidence);
  const isUnproved = proof === undefined && header.evidence_hash !== evidenceHash([]);
  return (
    differs('hash', block_id.hash, headerHash(header)) ??
    differs('data_hash', header.data_hash, dataHash(data?.txs ?? null)) ??
    (isUnproved ? undefined : differs('evidence_hash', header.evidence_hash, proof))
  );
}

/** The member of a record that nobody reads: signatures of the block before, as large as all else of most blocks. */
const UNREAD = ['block', 'block', 'last_commit'];

/**
 * Checks a record by itself.
 * @throws BlockError naming what does not fit
 */
export function checkBlock(text: string, expected: Expectation): CheckedBlock {
  const { height } = expected;
  const record = parseRecord(height, text);
  const fault = (reason: string) => new BlockError(height, record?.block?.block_id?.hash || undefined, reason);
  let [reason, resultsProof]: [string | undefined, string] = [undefined, ''];
  try {
    reason = misfit(record, expected);
    if (!reason) resultsProof = resultsHash(record.block_results.txs_results);
  } catch (error) {
    reason = `it cannot be hashed: ${(error as Error).message}`;
  }
  if (reason) throw fault(reason);
  const { hash } = record.block.block_id;
  const { header } = record.block.block;
  const time = header.time.slice(0, 19).replace('T', ' ');
  const stored = { height, time, hash, record: withoutMember(text, UNREAD) };
  const link = {
    height,
    hash,
    time,
    resultsHash: resultsProof,
    nextValidators: header.next_validators_hash,
    updatesValidators: (record.block_results.validator_updates ?? []).length > 0,
  };
  const block = outlineBlock(height, hash, record);
  return { row: { ...stored, checksum: checksumOf(stored) }, block, record, link };
}

/** Checks two blocks that follow each other. @returns the fault, of the block that it is about; undefined when there is none */
export function linkFault(before: Link, { link, record }: CheckedBlock): BlockError | undefined {
  const { header } = record.block.block;
  const parent = header.last_block_id?.hash;
  if (parent !== before.hash) {
    return new BlockError(
      link.height,
      link.hash,
      `it follows block ${parent}, but block ${before.height} is ${before.hash}`,
    );
  }
  if (link.time < before.time) {
    return new BlockError(
      link.height,
      link.hash,
      `its time is ${link.time}, but block ${before.height} is of ${before.time}`,
    );
  }
  const refuted = (reason: string) => new BlockError(before.height, before.hash, `${reason} by block ${link.height}`);
  if (header.last_results_hash !== before.resultsHash) {
    return refuted(`its results have the hash ${before.resultsHash}, but ${header.last_results_hash}`);
  }
  if (header.validators_hash !== before.nextValidators) {
    return refuted(`its next_validators_hash is ${before.nextValidators}, but ${header.validators_hash}`);
  }
  if (before.updatesValidators === (header.next_validators_hash === header.validators_hash)) {
    const [has, set] = before.updatesValidators ? ['has', 'is the same'] : ['has no', 'is another one'];
    return refuted(`it ${has} validator_updates, but the validator set ${set}`);
  }
  return undefined;
}
