/**
 * Computes the hashes of a block in the same way as CometBFT 0.38 (types/block.go, tx.go, results.go and evidence.go;
 * crypto/merkle/tree.go).
 */
import { hash } from 'node:crypto';
import { BinaryWriter } from 'cosmjs-types/binary';
import { Timestamp } from 'cosmjs-types/google/protobuf/timestamp';
import { ExecTxResult } from 'cosmjs-types/tendermint/abci/types';
import { DuplicateVoteEvidence } from 'cosmjs-types/tendermint/types/evidence';
import { BlockID } from 'cosmjs-types/tendermint/types/types';
import { Consensus } from 'cosmjs-types/tendermint/version/types';
import type {
  RecordedBlockId,
  RecordedEvidence,
  RecordedHeader,
  RecordedTransactionResult,
  RecordedVote,
} from './block-record.js';

// By default, cosmjs-types allocates 8 KiB for every message that it encodes.
BinaryWriter.alloc = (size) => new Uint8Array(size);

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');
export const upperHex = (bytes: Buffer) => bytes.toString('hex').toUpperCase();
export const fromHex = (text: string | undefined) => Buffer.from(text ?? '', 'hex');
export const fromBase64 = (text: string | null | undefined) => Buffer.from(text ?? '', 'base64');

const [LEAF, INNER] = [Buffer.of(0), Buffer.of(1)];

/** Computes a Merkle root as in RFC 6962: splits the leaves at the largest power of two below their number. */
export function merkleRoot(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha256(Buffer.alloc(0));
  if (leaves.length === 1) return sha256(Buffer.concat([LEAF, leaves[0]!]));
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.concat([INNER, merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split))]));
}

const wrapped = (content: Uint8Array) =>
  content.length > 0 ? Buffer.concat([Buffer.of(10, content.length), content]) : content;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** Returns true for a time in RFC 3339 as nodes write it, in UTC. */
export function isTime(text: string): boolean {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

export function timestamp(text: string): Timestamp {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
  const [, digits = ''] = /\.(\d{1,9})Z$/.exec(text) ?? [];
  return { seconds: BigInt(seconds), nanos: Number(digits.padEnd(9, '0')) };
}

export function blockId({ hash, parts }: RecordedBlockId): BlockID {
  return { hash: fromHex(hash), partSetHeader: { total: parts?.total ?? 0, hash: fromHex(parts?.hash) } };
}

export function headerHash(header: RecordedHeader): string {
  const { version, chain_id, height, time, last_block_id } = header;
  const consensus = { block: BigInt(version?.block ?? 0), app: BigInt(version?.app ?? 0) };
  const hashes = [
    header.last_commit_hash,
    header.data_hash,
    header.validators_hash,
    header.next_validators_hash,
    header.consensus_hash,
    header.app_hash,
    header.last_results_hash,
    header.evidence_hash,
    header.proposer_address,
  ];
  const leaves = [
    Consensus.encode(consensus).finish(),
    wrapped(Buffer.from(chain_id)),
    BinaryWriter.create().uint32(8).int64(BigInt(height)).finish(),
    Timestamp.encode(timestamp(time)).finish(),
    BlockID.encode(blockId(last_block_id)).finish(),
    ...hashes.map((text) => wrapped(fromHex(text))),
  ];
  return upperHex(merkleRoot(leaves));
}

export const dataHash = (transactions: readonly string[] | null): string =>
  upperHex(merkleRoot((transactions ?? []).map((text) => sha256(fromBase64(text)))));

const NOT_HASHED = { log: '', info: '', events: [], codespace: '' };

/**
 * Computes the hash that the next header contains as last_results_hash. It does not cover events, log and codespace.
 */
export function resultsHash(results: readonly RecordedTransactionResult[] | null): string {
  const leaves = (results ?? []).map(({ code, data, gas_wanted, gas_used }) =>
    ExecTxResult.encode({
      code: code ?? 0,
      data: fromBase64(data),
      gasWanted: BigInt(gas_wanted ?? 0),
      gasUsed: BigInt(gas_used ?? 0),
      ...NOT_HASHED,
    }).finish(),
  );
  return upperHex(merkleRoot(leaves));
}

/**
 * @returns undefined if the evidence contains a light client attack, because its hash covers whole headers and
 * validator sets, which are not stored
 */
export function evidenceHash(evidence: readonly RecordedEvidence[] | null | undefined): string | undefined {
  const leaves = (evidence ?? []).map(({ type, value }) =>
    type === 'tendermint/DuplicateVoteEvidence' ? doubleVote(value) : undefined,
  );
  return leaves.includes(undefined) ? undefined : upperHex(merkleRoot(leaves as Uint8Array[]));
}

/** Encodes evidence of a double vote. Accepts Go's member names and snake case, because nodes use both. */
function doubleVote(value: RecordedEvidence['value']): Uint8Array {
  const duplicateVoteEvidence = DuplicateVoteEvidence.fromPartial({
    voteA: vote(value.vote_a),
    voteB: vote(value.vote_b),
    totalVotingPower: BigInt(value.TotalVotingPower ?? value.total_voting_power ?? 0),
    validatorPower: BigInt(value.ValidatorPower ?? value.validator_power ?? 0),
    timestamp: timestamp(value.Timestamp ?? value.timestamp ?? GO_ZERO_TIME),
  });
  return DuplicateVoteEvidence.encode(duplicateVoteEvidence).finish();
}

const GO_ZERO_TIME = '0001-01-01T00:00:00Z';

const vote = (recorded: RecordedVote | undefined) => ({
  type: recorded?.type ?? 0,
  height: BigInt(recorded?.height ?? 0),
  round: recorded?.round ?? 0,
  blockId: blockId(recorded?.block_id ?? { hash: '' }),
  timestamp: timestamp(recorded?.timestamp ?? GO_ZERO_TIME),
  validatorAddress: fromHex(recorded?.validator_address),
  validatorIndex: recorded?.validator_index ?? 0,
  signature: fromBase64(recorded?.signature),
  extension: fromBase64(recorded?.extension),
  extensionSignature: fromBase64(recorded?.extension_signature),
});
