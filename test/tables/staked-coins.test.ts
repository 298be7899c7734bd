/** The SQL of staked coins against the chain's own arithmetic, to the ends of what it is for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tokensFromShares } from '../../pipeline/holdings/modules/delegation.js';
import { formatDecimal18, wholePart } from '../../pipeline/holdings/values/decimal18.js';
import { openDatabase } from '../open-database.js';

const ONE = 10n ** 18n;

interface Stake {
  readonly shares: bigint;
  readonly tokens: bigint;
  readonly total: bigint;
}

const below = (limit: bigint) => fc.bigInt({ min: 1n, max: limit - 1n });

/** Stakes with a validator that was slashed by any part of its coins; most are shares that a delegation of whole coins is given. */
const stake: fc.Arbitrary<Stake> = fc
  .record({
    digits: fc.integer({ min: 1, max: 15 }),
    tokens: fc.nat(),
    left: below(ONE),
    coins: fc.nat(),
    slip: fc.constantFrom(-1n, 0n, 0n, 0n, 1n),
    isWhole: fc.boolean(),
  })
  .chain(({ digits, left, slip, isWhole }) =>
    below(9n * 10n ** BigInt(digits - 1) + 2n).chain((tokens) => {
      const total = (tokens * ONE * ONE) / (left + ONE / 10n > ONE ? ONE : left + ONE / 10n);
      return (isWhole ? below(tokens + 1n).map((coins) => (coins * total) / tokens) : below(total + 1n)).map(
        (shares) => ({
          shares: shares + slip < 0n || shares + slip > total ? shares : shares + slip,
          tokens,
          total,
        }),
      );
    }),
  );

async function inSql(stakes: readonly Stake[]): Promise<bigint[]> {
  const database = await openDatabase();
  await database.run('tables/staked_coins');
  const values = stakes.map(
    ({ shares, tokens, total }, i) => `(${i}, ${formatDecimal18(shares)}, ${tokens}, ${formatDecimal18(total)})`,
  );
  const rows = await database.all<{ coins: string }>(
    `select staked_coins(shares::decimal(38, 18), tokens::decimal(38, 0), total::decimal(38, 18))::varchar as coins
     from (values ${values.join(', ')}) as stakes (i, shares, tokens, total) order by i`,
  );
  database.close();
  return rows.map(({ coins }) => BigInt(coins));
}

const byChain = ({ shares, tokens, total }: Stake) => wholePart(tokensFromShares(shares, { tokens, shares: total }));

test('any stake is what the chain shows, to the last coin', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stake, { minLength: 100, maxLength: 400 }), async (stakes) => {
      const coins = await inSql(stakes);
      const texts = (list: readonly bigint[]) => list.map(String);
      assert.deepEqual(texts(coins), texts(stakes.map(byChain)));
    }),
    { numRuns: 20 },
  );
});

test('a stake a hair below whole coins counts as whole, as the chain rounds before it cuts off', async () => {
  const tokens = 29_999_999_999_999n;
  const total = 30_000_000_000_000n * ONE + 123_456_789n;
  const shares = (1_000_000n * total) / tokens;
  const stakes = [shares - 2n, shares, shares + 1n].map((one) => ({ shares: one, tokens, total }));
  assert.ok((shares * tokens) / total < 1_000_000n, 'cut off without rounding it would be a coin less');
  const coins = await inSql(stakes);
  assert.deepEqual(coins, stakes.map(byChain));
  assert.deepEqual(coins.slice(1), [1_000_000n, 1_000_000n]);
});
