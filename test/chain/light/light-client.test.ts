import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HeaderProvider, LightClient } from '../../../pipeline/chain/light/light-client.js';
import { CHAIN_ID, sampleLines } from '../sample.js';
import { recordAt, validatorsAt } from '../validator-sets.js';
import { type ChainPlan, SignedChain, START_MS } from './signed-chain.js';

const TRUSTING_PERIOD_MS = 14 * 86_400_000;
const BACKWARDS_MAX = 50_000;

const YEAR_MS = 365 * 86_400_000;

function clientOf(providers: readonly HeaderProvider[], chain: SignedChain, root: number): LightClient {
  const options = { chainId: CHAIN_ID, now: () => START_MS + YEAR_MS, signal: new AbortController().signal };
  return new LightClient(providers, { ...options, root: chain.verifiedAt(root), verified: [] });
}

async function verify(client: LightClient, heights: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for await (const { height, verdict } of client.verify(heights)) {
    found.set(height, 'header' in verdict ? 'verified' : verdict.fault);
  }
  return found;
}

const FOUR = ['a', 'b', 'c', 'd'];
const steady = (plan: Partial<ChainPlan> = {}) => new SignedChain({ length: 400, namesAt: () => FOUR, ...plan });
/** One of four validators leaves every 50 blocks, so that after 200 blocks no validator is left. */
const changing = (plan: Partial<ChainPlan> = {}) => {
  const namesAt = (height: number) => [0, 1, 2, 3].map((i) => `v${i + Math.floor(height / 50)}`);
  return new SignedChain({ length: 400, namesAt, ...plan });
};

test('a header whose validators are those of the trusted header is verified in one step', async () => {
  const chain = steady();
  const verdicts = await verify(clientOf([chain], chain, 1), [400, 2, 150]);
  assert.deepEqual(
    [...verdicts],
    [
      [2, 'verified'],
      [150, 'verified'],
      [400, 'verified'],
    ],
  );
  assert.deepEqual(chain.asked, [2, 150, 400]);
});

test('if too few trusted validators signed, headers in between are verified first', async () => {
  const chain = changing();
  const client = clientOf([chain], chain, 1);
  assert.deepEqual(await verify(client, [400]), new Map([[400, 'verified']]));
  const between = chain.asked.filter((height) => height !== 400);
  assert.ok(between.length > 0);
  assert.ok(between.every((height) => client.headers.some((one) => one.height === height)));
});

test('a step that spans more than the trusting period is cut', async () => {
  const chain = steady({ blockMs: TRUSTING_PERIOD_MS / 100 });
  assert.deepEqual(await verify(clientOf([chain], chain, 1), [90]), new Map([[90, 'verified']]));
  assert.deepEqual(chain.asked, [90]);
  const client = clientOf([chain], chain, 1);
  assert.deepEqual(await verify(client, [400]), new Map([[400, 'verified']]));
  const heights = client.headers.map(({ height }) => height);
  assert.ok(heights.every((height, i) => i === 0 || height - heights[i - 1]! <= 100));
});

test('headers of other validators, or of too few, are refused', async () => {
  const chain = steady();
  const forged = steady({ namesAt: (height) => (height === 1 ? FOUR : ['x', 'y', 'z']) });
  const half = steady({ silent: ['c', 'd'] });
  const later = steady({ salt: 'another chain' });
  const refusalOf = async (provider: SignedChain, root = chain) =>
    (await verify(clientOf([provider], root, 1), [400])).get(400)!;
  assert.match(await refusalOf(forged), /its validators are not those that block 1 names/);
  assert.match(await refusalOf(half), /not signed by more than two thirds/);
  assert.equal(await refusalOf(later), 'verified', 'validators who sign two chains can show either');
  const client = clientOf([chain, later], chain, 1);
  await verify(client, [400]);
  chain.signed.length = 0;
  assert.match((await verify(client, [400])).get(400)!, /another block than the verified/);
});

test('a header with changed content or a foreign chain id is refused', async () => {
  const chain = steady();
  const one = chain.signed[7]!;
  const refusalOf = async (header: object) => {
    const changed = steady();
    changed.signed[7] = { ...one, header: { ...one.header, ...header } };
    return (await verify(clientOf([changed], chain, 1), [7])).get(7)!;
  };
  assert.match(await refusalOf({ last_results_hash: 'AB'.repeat(32) }), /its commit is for another block/);
  assert.match(await refusalOf({ chain_id: 'other-1' }), /its chain is other-1, expected localhub-1/);
  assert.match(await refusalOf({ time: 'today' }), /its time is "today"/);
  const early = new LightClient([chain], {
    chainId: CHAIN_ID,
    now: () => START_MS - YEAR_MS,
    signal: new AbortController().signal,
    root: chain.verifiedAt(1),
    verified: [],
  });
  assert.match((await verify(early, [7])).get(7)!, /is in the future/);
});

test('headers below the trusted one are linked by their hashes, and forged ones are refused', async () => {
  const chain = changing();
  assert.deepEqual(
    await verify(clientOf([chain], chain, 300), [10, 299]),
    new Map([
      [10, 'verified'],
      [299, 'verified'],
    ]),
  );
  const forged = changing({ salt: 'forged' });
  const refused = await verify(clientOf([forged], chain, 300), [10]);
  assert.match(refused.get(10)!, /its block 300 is not the one/);
  const cut = changing();
  cut.signed[100] = forged.signed[100]!;
  const half = await verify(clientOf([cut], chain, 300), [10, 150]);
  assert.equal(half.get(150), 'verified');
  assert.match(half.get(10)!, /its block 100 is not the one that block 101 follows/);
  const far = clientOf(
    [chain],
    { verifiedAt: () => ({ ...chain.verifiedAt(300), height: BACKWARDS_MAX + 400 }) } as unknown as SignedChain,
    300,
  );
  assert.match((await verify(far, [10])).get(10)!, /name an earlier block in HUBLEDGER_TRUST/);
});

test('a second node is asked if the first one fails, lies or lacks a block', async () => {
  const chain = changing();
  const failing: HeaderProvider = {
    name: 'dead',
    signedHeaders: async () => Promise.reject(new Error('no answer')),
    validatorSets: async () => Promise.reject(new Error('no answer')),
    headers: async () => Promise.reject(new Error('no answer')),
  };
  const lacking = changing();
  delete lacking.signed[320];
  const forged = changing({ salt: 'forged' });
  forged.signed[350] = chain.signed[349]!;
  const all = [failing, lacking, chain];
  const verdicts = await verify(clientOf(all, chain, 300), [20, 320, 350]);
  assert.deepEqual([...verdicts.values()], ['verified', 'verified', 'verified']);
  const alone = await verify(clientOf([failing, lacking], chain, 1), [320]);
  assert.match(alone.get(320)!, /^dead: no answer; node: it has no signatures of this block$/);
});

test('the recorded chain is verified from its first block', async () => {
  const LAST = sampleLines.length - 1;
  const provider: HeaderProvider = {
    name: 'recording',
    signedHeaders: async (heights) =>
      new Map(
        heights.map((height) => [
          height,
          { header: recordAt(height).block.block.header, commit: recordAt(height + 1).block.block.last_commit },
        ]),
      ),
    validatorSets: async (heights) => new Map(heights.map((height) => [height, validatorsAt(height)])),
    headers: async () => [],
  };
  const { header } = recordAt(1).block.block;
  const root = {
    height: 1,
    hash: recordAt(1).block.block_id.hash,
    time: header.time,
    validators: header.validators_hash!,
    nextValidators: header.next_validators_hash!,
  };
  const client = new LightClient([provider], {
    chainId: CHAIN_ID,
    now: Date.now,
    signal: new AbortController().signal,
    root,
    verified: [],
  });
  const wanted = [...Array(LAST - 2).keys()].map((i) => i + 2);
  const verdicts = await verify(client, wanted);
  assert.deepEqual(new Set(verdicts.values()), new Set(['verified']));
  assert.equal(verdicts.size, wanted.length);
});
