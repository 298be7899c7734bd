import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, type Commit, CommitVotes, validatorsHash } from '../../../pipeline/chain/light/commit.js';
import { CHAIN_ID, sampleLines } from '../sample.js';
import { recordAt, validatorsAt } from '../validator-sets.js';

const LAST = sampleLines.length - 1;
const commitOf = (height: number): Commit => recordAt(height + 1).block.block.last_commit;
const votesOf = (commit: Commit, chainId = CHAIN_ID) => new CommitVotes(chainId, commit);

const SIGNED = 5;

test('each recorded set has the hash of its header, and two thirds of it signed the block', () => {
  for (let height = 1; height < LAST; height++) {
    const validators = validatorsAt(height);
    const { header } = recordAt(height).block.block;
    assert.equal(validatorsHash(validators), header.validators_hash, `${height}`);
    assert.ok(votesOf(commitOf(height)).areOfTwoThirds(validators), `${height}`);
  }
});

test('a signature counts only for the block, height, round, time and chain that it covers', () => {
  const [commit, validators] = [commitOf(SIGNED), validatorsAt(SIGNED)];
  const { block_id } = commit;
  const other = commitOf(SIGNED + 1).signatures.find((one) => one.block_id_flag === 2)!;
  const changes: readonly Commit[] = [
    { ...commit, height: String(SIGNED + 1) },
    { ...commit, round: commit.round + 1 },
    { ...commit, block_id: { ...block_id, hash: 'AB'.repeat(32) } },
    { ...commit, block_id: { ...block_id, parts: { total: 9, hash: block_id.parts!.hash } } },
    { ...commit, signatures: commit.signatures.map((one) => ({ ...one, timestamp: '2026-01-01T00:00:00Z' })) },
    { ...commit, signatures: commit.signatures.map((one) => ({ ...one, block_id_flag: 3 })) },
    { ...commit, signatures: commit.signatures.map((one) => ({ ...one, signature: null })) },
    { ...commit, signatures: commit.signatures.map((one) => ({ ...one, signature: other.signature })) },
  ];
  assert.ok(votesOf(commit).areOfTwoThirds(validators));
  for (const changed of changes) assert.equal(votesOf(changed).areOfOneThird(validators), false);
  assert.equal(votesOf(commit, 'cosmoshub-4').areOfOneThird(validators), false);
});

test('the power that signed must exceed two thirds, or a third, and is counted once for each validator', () => {
  const commit = commitOf(SIGNED);
  const signers = validatorsAt(SIGNED).filter(({ address }) =>
    commit.signatures.some((one) => one.block_id_flag === 2 && one.validator_address === address),
  );
  const key = Buffer.alloc(32, 7).toString('base64');
  const silent = { key, address: addressOf(key) };
  const set = (signed: bigint, unsigned: bigint) => [
    { ...signers[0]!, power: signed },
    { ...silent, power: unsigned },
  ];
  const votes = votesOf(commit);
  assert.deepEqual(
    [set(2n, 1n), set(201n, 100n), set(1n, 2n), set(101n, 200n)].map((validators) => [
      votes.areOfTwoThirds(validators),
      votes.areOfOneThird(validators),
    ]),
    [
      [false, true],
      [true, true],
      [false, false],
      [false, true],
    ],
  );
  const twice = [...set(1n, 2n), { ...signers[0]!, power: 1n }];
  assert.equal(votes.areOfTwoThirds(twice), false);
  assert.equal(votes.areOfTwoThirds([]), false);
});

test('a key that is not the one of the address does not count', () => {
  const [commit, validators] = [commitOf(SIGNED), validatorsAt(SIGNED)];
  const [first, second] = validators as [(typeof validators)[0], (typeof validators)[0]];
  const swapped = [
    { ...first, address: second.address },
    { ...second, address: first.address },
  ];
  assert.equal(votesOf(commit).areOfOneThird(swapped), false);
});
