import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  daysFormat,
  intervalsFormat,
  liquidFormat,
  unbondingFormat,
  validatorFormat,
} from '../../../pipeline/publish/wallet-index/holdings-format.js';

const seeded = { seed: 20260101, numRuns: 200 };
const units = fc.bigInt({ min: 0n, max: 10n ** 38n - 1n });
const height = fc.nat();
const record = <Row>(members: { [Name in keyof Row]: fc.Arbitrary<Row[Name]> }) =>
  fc.record(members, { noNullPrototype: true });
const end = fc.option(height);
const text = fc.string();
const [delegator, validator] = ['cosmos1delegator', 'cosmosvaloper1operator'];

const interval = record({
  delegator: fc.constant(delegator),
  validator: text,
  from_height: height,
  to_height: end,
  shares: units,
  stake: units,
  start_period: height,
  start_ratio: text,
});
const unbonding = record({
  delegator: fc.constant(delegator),
  validator: text,
  creation_height: height,
  completion_time: text,
  from_height: height,
  to_height: end,
  balance: units,
});
const day = record({
  validator: fc.constant(validator),
  day: text,
  close_height: height,
  tokens: units,
  shares: units,
  ratio: text,
});
const slash = record({
  validator: fc.constant(validator),
  height,
  period: height,
  fraction: units,
  ratio: text,
});

test('what is packed comes back, amounts beyond every number included', () => {
  fc.assert(
    fc.property(fc.array(record({ day: text, amount: units })), fc.array(interval), fc.array(unbonding), (a, b, c) => {
      assert.deepEqual(liquidFormat.parse(liquidFormat.serialize(a)), a);
      assert.deepEqual(intervalsFormat.parse(delegator, intervalsFormat.serialize(b)), b);
      assert.deepEqual(unbondingFormat.parse(delegator, unbondingFormat.serialize(c)), c);
    }),
    seeded,
  );
  fc.assert(
    fc.property(fc.array(day), fc.array(slash), (days, slashes) => {
      assert.deepEqual(validatorFormat.parse(validator, validatorFormat.serialize({ days, slashes })), {
        days,
        slashes,
      });
      const closes = days.map(({ day: name, close_height }) => ({ day: name, close_height }));
      assert.deepEqual(daysFormat.parse(daysFormat.serialize(closes)), closes);
    }),
    seeded,
  );
});
