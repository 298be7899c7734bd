/**
 * Checks the signatures of a commit in the same way as CometBFT 0.38 (types/validation.go, canonical.go and
 * validator_set.go; light/verifier.go).
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { BinaryWriter } from 'cosmjs-types/binary';
import { Timestamp } from 'cosmjs-types/google/protobuf/timestamp';
import { BlockID } from 'cosmjs-types/tendermint/types/types';
import { SimpleValidator } from 'cosmjs-types/tendermint/types/validator';
import { blockId, fromBase64, merkleRoot, sha256, timestamp, upperHex } from '../block-hashes.js';
import type { RecordedBlockId } from '../block-record.js';

export interface Validator {
  /** Upper-case hexadecimal. */
  readonly address: string;
  /** Base64 of the Ed25519 key. */
  readonly key: string;
  readonly power: bigint;
}

export interface CommitSignature {
  /** 1: absent, 2: for the block, 3: for no block. */
  readonly block_id_flag: number;
  readonly validator_address: string;
  readonly timestamp: string;
  readonly signature: string | null;
}

export interface Commit {
  readonly height: string;
  readonly round: number;
  readonly block_id: RecordedBlockId;
  readonly signatures: readonly CommitSignature[];
}

const PRECOMMIT = 2;
const FOR_BLOCK = 2;
const KEY_BYTES = 32;
const ADDRESS_BYTES = 20;

/** Computes the hash that headers contain as validators_hash. The validators must be in the order of the set. */
export function validatorsHash(validators: readonly Validator[]): string {
  const leaves = validators.map(({ key, power }) =>
    SimpleValidator.encode({ pubKey: { ed25519: fromBase64(key) }, votingPower: power }).finish(),
  );
  return upperHex(merkleRoot(leaves));
}

/** Returns the bytes that a validator signs to commit a block: the canonical vote after its length. */
export function voteSignBytes(chainId: string, { height, round, block_id }: Commit, time: string): Uint8Array {
  const writer = BinaryWriter.create();
  writer.uint32(8).int32(PRECOMMIT);
  writer.uint32(17).sfixed64(BigInt(height));
  if (round !== 0) writer.uint32(25).sfixed64(BigInt(round));
  BlockID.encode(blockId(block_id), writer.uint32(34).fork()).ldelim();
  Timestamp.encode(timestamp(time), writer.uint32(42).fork()).ldelim();
  writer.uint32(50).string(chainId);
  const vote = writer.finish();
  return BinaryWriter.create().bytes(vote).finish();
}

/** Returns the address of a validator: the first 20 bytes of the key's hash, in upper-case hexadecimal. */
export const addressOf = (key: string): string => upperHex(sha256(fromBase64(key)).subarray(0, ADDRESS_BYTES));

function publicKey(key: string): KeyObject {
  const x = fromBase64(key);
  if (x.length !== KEY_BYTES) throw new Error(`a validator's key has ${x.length} bytes, expected ${KEY_BYTES}`);
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
}

const totalPower = (validators: readonly Validator[]) => validators.reduce((sum, { power }) => sum + power, 0n);

/** The signatures of one commit for its block. Each signature is checked at most once. */
export class CommitVotes {
  private readonly byAddress: ReadonlyMap<string, CommitSignature>;
  private readonly checked = new Map<string, boolean>();

  constructor(
    private readonly chainId: string,
    private readonly commit: Commit,
  ) {
    const votes = commit.signatures.filter(({ block_id_flag }) => block_id_flag === FOR_BLOCK);
    this.byAddress = new Map(votes.map((vote) => [vote.validator_address, vote]));
  }

  /** Returns true if validators with more than two thirds of the set's power signed the block. */
  areOfTwoThirds(validators: readonly Validator[]): boolean {
    return this.exceed((2n * totalPower(validators)) / 3n, validators);
  }

  /** Returns true if validators with more than a third of the set's power signed the block. */
  areOfOneThird(validators: readonly Validator[]): boolean {
    return this.exceed(totalPower(validators) / 3n, validators);
  }

  /** Checks signatures of the strongest validators first, and stops when their power exceeds the limit. */
  private exceed(limit: bigint, validators: readonly Validator[]): boolean {
    const strongest = validators
      .filter(({ address }) => this.byAddress.has(address))
      .sort((a, b) => Number(b.power > a.power) - Number(b.power < a.power));
    let signed = 0n;
    const counted = new Set<string>();
    for (const validator of strongest) {
      if (counted.has(validator.address) || !this.isSigned(validator)) continue;
      counted.add(validator.address);
      signed += validator.power;
      if (signed > limit) return true;
    }
    return false;
  }

  private isSigned({ address, key }: Validator): boolean {
    const known = this.checked.get(key);
    if (known !== undefined) return known;
    const vote = this.byAddress.get(address)!;
    const isSigned =
      address === addressOf(key) &&
      verify(
        null,
        voteSignBytes(this.chainId, this.commit, vote.timestamp),
        publicKey(key),
        fromBase64(vote.signature),
      );
    this.checked.set(key, isSigned);
    return isSigned;
  }
}
