/** Chains of signed headers for tests: each height has its own validators, whose keys follow from their names. */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { headerHash } from '../../../pipeline/chain/block-hashes.js';
import type { RecordedHeader } from '../../../pipeline/chain/block-record.js';
import {
  addressOf,
  type Commit,
  type Validator,
  validatorsHash,
  voteSignBytes,
} from '../../../pipeline/chain/light/commit.js';
import {
  type HeaderProvider,
  type SignedHeader,
  type VerifiedHeader,
  verifiedHeader,
} from '../../../pipeline/chain/light/light-client.js';
import { CHAIN_ID } from '../sample.js';

const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex');
const secrets = new Map<string, KeyObject>();

/** A validator by name. Its power is 10. */
export function validator(name: string): Validator {
  const secret = createPrivateKey({
    key: Buffer.concat([PRIVATE_KEY, hash('sha256', name, 'buffer')]),
    format: 'der',
    type: 'pkcs8',
  });
  const key = Buffer.from(createPublicKey(secret).export({ format: 'jwk' }).x!, 'base64url').toString('base64');
  const address = addressOf(key);
  secrets.set(address, secret);
  return { address, key, power: 10n };
}

export interface ChainPlan {
  readonly length: number;
  /** Names of the validators that sign the block at a height. */
  readonly namesAt: (height: number) => readonly string[];
  /** Names of the validators that do not sign. */
  readonly silent?: readonly string[];
  readonly blockMs?: number;
  /** Distinguishes chains with the same validators. */
  readonly salt?: string;
}

export const START_MS = Date.parse('2026-01-01T00:00:00Z');

export class SignedChain implements HeaderProvider {
  readonly name: string = 'node';
  /** Heights of signed headers that were asked, in order. */
  readonly asked: number[] = [];
  readonly signed: SignedHeader[] = [];
  private readonly sets: (readonly Validator[])[] = [];

  constructor(plan: ChainPlan) {
    const { length, namesAt, silent = [], blockMs = 6_000, salt = '' } = plan;
    const isSilent = new Set(silent.map((name) => validator(name).address));
    const setAt = (height: number) => namesAt(height).map(validator);
    let parent = '';
    for (let height = 1; height <= length; height++) {
      this.sets[height] = setAt(height);
      const header: RecordedHeader = {
        version: { block: '11' },
        chain_id: CHAIN_ID,
        height: String(height),
        time: new Date(START_MS + height * blockMs).toISOString(),
        last_block_id: { hash: parent, parts: { total: parent ? 1 : 0, hash: parent } },
        validators_hash: validatorsHash(this.sets[height]!),
        next_validators_hash: validatorsHash(setAt(height + 1)),
        app_hash: hash('sha256', `${salt}${height}`).toUpperCase(),
      };
      parent = headerHash(header);
      const commit = {
        height: String(height),
        round: 0,
        block_id: { hash: parent, parts: { total: 1, hash: parent } },
      };
      const signatures = this.sets[height]!.map(({ address }) => {
        const vote = voteSignBytes(CHAIN_ID, { ...commit, signatures: [] }, header.time);
        const signature = sign(null, vote, secrets.get(address)!).toString('base64');
        return isSilent.has(address)
          ? { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null }
          : { block_id_flag: 2, validator_address: address, timestamp: header.time, signature };
      });
      this.signed[height] = { header, commit: { ...commit, signatures } satisfies Commit };
    }
  }

  verifiedAt(height: number): VerifiedHeader {
    return verifiedHeader(this.signed[height]!.header);
  }

  async signedHeaders(heights: readonly number[]): Promise<ReadonlyMap<number, SignedHeader>> {
    this.asked.push(...heights);
    return new Map(heights.flatMap((height) => (this.signed[height] ? [[height, this.signed[height]!] as const] : [])));
  }

  async validatorSets(heights: readonly number[]): Promise<ReadonlyMap<number, readonly Validator[]>> {
    return new Map(heights.map((height) => [height, this.sets[height]!]));
  }

  async headers(from: number, to: number): Promise<readonly RecordedHeader[]> {
    return this.signed.filter((_, height) => height >= from && height <= to).map(({ header }) => header);
  }
}
