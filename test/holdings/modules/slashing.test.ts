/** Slashes missing in the recordings: double signs, and stake that left in two steps. Figures computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEventRecord, FullBlock } from '../../../pipeline/chain/block.js';
import { foldBlock } from '../../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import type { Emit, HoldingsState } from '../../../pipeline/holdings/state.js';
import type { SlashLoss } from '../../../schemas/types.generated.js';
import {
  account,
  block,
  consensus,
  consensusBytes,
  event,
  message,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  withdrawn,
} from '../small-chain.js';

const ONE = 10n ** 18n;
const [self, other, wallet] = [account(101), account(102), account(3)];
const [faulty, sound] = [operator(1), operator(2)];

const open = () =>
  openSmallChain([
    {
      tokens: 1_000_900_000n,
      delegations: [
        [self, 1_000_000_000n],
        [wallet, 900_000n],
      ],
    },
    { tokens: 2_000_500_000n, delegations: [[other, 2_000_500_000n]] },
  ]);

function undelegate(height: number, validator: string, amount: bigint): FullBlock {
  const asked = {
    delegatorAddress: wallet,
    validatorAddress: validator,
    amount: { denom: 'uatom', amount: `${amount}` },
  };
  const events = [
    withdrawn(wallet, validator),
    ...poolEvents(-amount, amount),
    event('unbond', { validator, delegator: wallet, amount: `${amount}uatom`, msg_index: '0' }),
  ];
  const messages = [message('/cosmos.staking.v1beta1.MsgUndelegate', asked)];
  return block(height, { transaction: { messages, events } });
}

function redelegate(height: number, amount: bigint): FullBlock {
  const closing = { source_validator: faulty, destination_validator: sound, amount: `${amount}uatom`, msg_index: '0' };
  return block(height, { transaction: { events: [withdrawn(wallet, faulty), event('redelegate', closing)] } });
}

/** Evidence at height 6 of two votes at height 3: stake that left since height 2 is liable. */
function doubleSign(
  before: readonly ChainEventRecord[],
  burned: bigint,
  pools: readonly [bigint, bigint],
  left: bigint,
) {
  const address = consensus(1);
  const begin = [
    ...before,
    ...poolEvents(...pools),
    event('slash', { address, power: '1000', reason: 'double_sign', burned_coins: `${burned}` }),
    event('slash', { jailed: address }),
  ];
  return block(6, {
    begin,
    end: poolEvents(-left, left),
    doubleSigns: [{ validatorAddress: consensusBytes(1).toString('hex').toUpperCase(), height: 3 }],
    validatorUpdates: [{ publicKey: publicKey(1), power: 0 }],
  });
}

function fold(blocks: readonly FullBlock[]): HoldingsState & { losses: SlashLoss[] } {
  const state = open();
  const losses: SlashLoss[] = [];
  const emit: Emit = (table, row) => {
    if (table === 'slash_losses') losses.push(row as SlashLoss);
  };
  for (const one of blocks) foldBlock(state, one, emit);
  return { ...state, losses };
}

/** Returns losses by account: delegated, unbonding, redelegated. */
const lossesOf = ({ losses }: { losses: readonly SlashLoss[] }) =>
  Object.fromEntries(losses.map((l) => [l.delegator, [l.delegated, l.unbonding, l.redelegated]]));

const balances = (state: HoldingsState, validator: string) =>
  state.unbondings
    .get(validator)
    ?.get(wallet)
    ?.map(({ balance }) => balance);

test('a double sign burns of what was undelegated and redelegated since, then of the tokens', () => {
  // 5 % of 100,000 unbonding and of 50,000 redelegated; the second part burns from the 30,000 undelegated again.
  const state = fold([
    undelegate(1, faulty, 10_000n), // before the votes: not liable
    undelegate(2, faulty, 100_000n),
    redelegate(3, 50_000n),
    undelegate(4, sound, 30_000n),
    block(5, {}),
    doubleSign([], 49_992_500n, [-49_992_500n, -7_500n], 1_000_740_000n - 49_992_500n),
  ]);
  assert.deepEqual(balances(state, faulty), [10_000n, 95_000n]);
  assert.deepEqual(balances(state, sound), [27_500n]);
  assert.equal(state.validators.get(sound)!.delegations.get(wallet)!.shares, 20_000n * ONE);
  const { tokens, slashes, jailed, status } = state.validators.get(faulty)!;
  assert.equal(tokens, 1_000_740_000n - 49_992_500n);
  assert.deepEqual([jailed, status], [true, 2]);
  assert.equal(slashes[0]!.fraction, (49_992_500n * ONE + 1_000_739_999n) / 1_000_740_000n); // rounded up, not 5 %
  // The wallet keeps 950,747,500 / 1,000,740,000 of its 740,000, and the operator the same share of its 1,000,000,000, truncated.
  assert.deepEqual(lossesOf(state), { [wallet]: [36_968n, 7_500n, 0n], [self]: [49_955_533n, 0n, 0n] });
  const { height, time, event: index, validator, reason } = state.losses[0]!;
  assert.deepEqual([height, time, index, validator, reason], [6, '2026-01-01 06:00:00', 2, faulty, 'double_sign']);
});

test('what the entries of the other validator do not cover is unbonded there in full', () => {
  // Only 1,000 were undelegated again: they burn, plus 5 % of all 50,000 shares, not only the missing 1,500.
  const state = fold([
    block(1, {}),
    redelegate(2, 50_000n),
    undelegate(3, sound, 1_000n),
    block(4, {}),
    block(5, {}),
    doubleSign([withdrawn(wallet, sound)], 49_997_500n, [-49_997_500n - 2_500n, -1_000n], 1_000_850_000n - 49_997_500n),
  ]);
  assert.deepEqual(balances(state, sound), [0n]);
  assert.equal(state.validators.get(sound)!.delegations.get(wallet)!.shares, 46_500n * ONE);
  const [, unbonding, redelegated] = lossesOf(state)[wallet]!;
  assert.deepEqual([unbonding, redelegated], [1_000n, 2_500n]);
});

test('a double sign without evidence in the block ends the fold', () => {
  const slash = doubleSign([], 50_000_000n, [-50_000_000n, 0n], 0n);
  const blocks = [1, 2, 3, 4, 5].map((height) => block(height, {}));
  assert.throws(
    () => fold([...blocks, { ...slash, doubleSigns: [] }]),
    (error) =>
      error instanceof HoldingsError && error.place === 'BeginBlock' && error.difference.expected === 'evidence',
  );
});
