import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { checkBlock } from '../../pipeline/chain/check-block.js';
import type { Validator } from '../../pipeline/chain/light/commit.js';
import { NodeFailure } from '../../pipeline/chain/nodes/ask-node.js';
import { BlockStore } from '../../pipeline/tracked-wallets/block-store.js';
import type { NodeValidator } from '../../pipeline/tracked-wallets/node-facts.js';
import { readSlashedCoins, slashedKey } from '../../pipeline/tracked-wallets/slashed-coins.js';
import { CHAIN_ID, sampleLines } from '../chain/sample.js';
import { validatorsAt } from '../chain/validator-sets.js';
import { openDatabase } from '../open-database.js';

/** Four validators of the recording are slashed in one block. */
const HEIGHT = 381;
const folder = mkdtempSync(join(tmpdir(), 'hubledger-slashed-'));
let database: Database;
let store: BlockStore;
let files = 0;

before(async () => {
  database = await openDatabase();
  store = await BlockStore.open(database, join(folder, 'blocks'), new Set(), () => {});
  const expected = { height: HEIGHT, chainId: CHAIN_ID, now: Date.now() };
  const { row, block } = checkBlock(sampleLines[HEIGHT]!, expected);
  await store.add(row, block);
  await store.flush();
});

after(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Sets = (height: number) => readonly Validator[];

const providerOf = (sets: Sets) => ({
  name: 'node',
  signedHeaders: async () => new Map(),
  validatorSets: async (heights: readonly number[]) => new Map(heights.map((height) => [height, sets(height)])),
  headers: async () => [],
});

const stateOf = (validators: readonly NodeValidator[] | undefined) => ({
  wallet: async () => undefined,
  validators: async () => validators && [...validators],
  slashFractions: async () => undefined,
});

function coinsOf(sets: readonly Sets[], validators?: readonly NodeValidator[], path = join(folder, `${++files}.json`)) {
  const parts = { database, store, state: stateOf(validators), providers: sets.map(providerOf), path };
  return readSlashedCoins([HEIGHT], parts);
}

const strongest = () => validatorsAt(HEIGHT + 1).find(({ power }) => power === 30_624_126n)!;
const keyOf = ({ address }: Validator) => slashedKey(HEIGHT, address);
const richer: Sets = (height) => validatorsAt(height).map((one) => ({ ...one, power: one.power * 2n }));
const failing: Sets = () => {
  throw new NodeFailure('HTTP 500');
};

test('the voting power before a slash gives the coins to half a unit of power', async () => {
  const coins = await coinsOf([validatorsAt]);
  assert.equal(coins.size, 4);
  assert.equal(coins.get(keyOf(strongest())), 30_624_126_500_000n);
});

test('a set of validators that the header does not name is not used, and the next node is asked', async () => {
  assert.equal((await coinsOf([richer])).size, 0);
  assert.deepEqual(await coinsOf([failing, richer, validatorsAt]), await coinsOf([validatorsAt]));
});

test('the state before a slash gives the coins exactly, unless it contradicts the voting power', async () => {
  const of = (tokens: bigint): NodeValidator[] => [
    { operator: 'v', moniker: '', consensusKey: strongest().key, tokens, shares: 1n },
  ];
  for (const tokens of [30_624_126_000_000n, 30_624_126_999_999n]) {
    assert.equal((await coinsOf([validatorsAt], of(tokens))).get(keyOf(strongest())), tokens);
  }
  assert.equal((await coinsOf([validatorsAt], of(10n ** 15n))).get(keyOf(strongest())), 30_624_126_500_000n);
  assert.equal((await coinsOf([], of(10n ** 15n))).get(keyOf(strongest())), 10n ** 15n, 'no node has the powers');
});

test('known amounts are read from the file, and nodes are asked only for others', async () => {
  const path = join(folder, 'known.json');
  const coins = await coinsOf([validatorsAt], undefined, path);
  assert.deepEqual(await coinsOf([failing], undefined, path), coins);
});
