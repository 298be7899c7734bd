/** The validator sets of the bundled recording: the genesis' set, then changed by each block's validator updates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BlockRecord } from '../../pipeline/chain/block-record.js';
import { addressOf, type Commit, type Validator } from '../../pipeline/chain/light/commit.js';
import { sampleDir, sampleLines } from './sample.js';

export interface SignedRecord extends BlockRecord {
  block: BlockRecord['block'] & { block: { last_commit: Commit } };
}

export const recordAt = (height: number): SignedRecord => JSON.parse(sampleLines[height]!);

let sets: readonly (readonly Validator[])[] | undefined;

/** Returns the validators that sign the block at a height, in the order of the set. */
export function validatorsAt(height: number): readonly Validator[] {
  sets ??= readSets();
  return sets[height]!;
}

function readSets(): readonly (readonly Validator[])[] {
  const { app_state } = JSON.parse(gunzipSync(readFileSync(join(sampleDir, 'genesis.json.gz'))).toString());
  const bonded: { consensus_pubkey: { key: string }; tokens: string }[] = app_state.staking.validators.filter(
    ({ status }: { status: string }) => status === 'BOND_STATUS_BONDED',
  );
  const powers = new Map(bonded.map((one) => [one.consensus_pubkey.key, BigInt(one.tokens) / 1_000_000n]));
  const all: (readonly Validator[])[] = [];
  for (let height = 1; height < sampleLines.length; height++) {
    for (const { pub_key, power } of height > 2 ? (recordAt(height - 2).block_results.validator_updates ?? []) : []) {
      const key = pub_key.Sum.value.ed25519;
      if (power === undefined) powers.delete(key);
      else powers.set(key, BigInt(power));
    }
    all[height] = [...powers]
      .map(([key, power]) => ({ address: addressOf(key), key, power }))
      .sort((a, b) => Number(b.power - a.power) || (a.address < b.address ? -1 : 1));
  }
  return all;
}
