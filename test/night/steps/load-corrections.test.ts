import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VariableError } from '../../../pipeline/base/config-error.js';
import { readConfig } from '../../../pipeline/config.js';
import { loadCorrections } from '../../../pipeline/night/steps/load-corrections.js';
import { operator } from '../../holdings/small-chain.js';

function load(context: TestContext, text: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-corrections-'));
  context.after(() => rmSync(folder, { recursive: true }));
  if (text === undefined) return loadCorrections({}, { config: readConfig({}) });
  const path = join(folder, 'corrections.json');
  writeFileSync(path, text);
  return loadCorrections({}, { config: readConfig({ HUBLEDGER_CORRECTIONS: path }) });
}

const ADDRESS = 'cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl';
const validator = operator(1);
const ALL = [
  { kind: 'set_parameter', parameter: 'max_validators', value: '180' },
  { kind: 'set_parameter', parameter: 'unbonding_time', value: '1814400s' },
  { kind: 'lower_max_validators_to_provider_limit' },
  { kind: 'unbond_validators_beyond_limit' },
  { kind: 'move_coins', from: 'bonded_tokens_pool', to: 'not_bonded_tokens_pool' },
  { kind: 'remove_provider' },
  { kind: 'jail_validators', validators: [validator] },
  { kind: 'unjail_validators', validators: [validator] },
  { kind: 'begin_unbonding', validators: [validator] },
  { kind: 'slash_validator', validator, fraction: '0.05' },
  { kind: 'adjust_balance', account: ADDRESS, denom: 'uatom', amount: '-17' },
];

test('every kind of change is taken as it is, and the file has its hash', async (context) => {
  const list = [{ height: 600, what: ALL, source: 'a node' }];
  const text = JSON.stringify(list);
  const sha256 = createHash('sha256').update(text).digest('hex');
  assert.deepEqual(await load(context, text), { corrections: { sha256, list } });
});

test('without a file there are none', async (context) => {
  assert.deepEqual(await load(context, undefined), { corrections: null });
});

const one = (what: object, more: object = {}) =>
  JSON.stringify([{ height: 600, what: [what], source: 'a node', ...more }]);
/** The address with another last letter. */
const mistyped = (address: string) => address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q');

const wrong: [text: string, fault: RegExp][] = [
  ['[', /not JSON: /],
  ['{}', /\/ must be array$/],
  ['[{"height":600}]', /\/0 must have required property 'what'$/],
  [one(ALL[0]!, { height: 0 }), /\/0\/height must be >= 1$/],
  [one(ALL[0]!, { source: '' }), /\/0\/source must NOT have fewer than 1 characters$/],
  [one(ALL[0]!, { why: '' }), /\/0 must NOT have additional properties \(why\)$/],
  [one({ kind: 'move_coins', from: mistyped(ADDRESS), to: 'gov' }), /\/0\/what\/0\/from is not an address: cosmos1/],
  [one({ kind: 'other' }), /\/0\/what\/0 value of tag "kind" must be in oneOf$/],
  [one({ ...ALL[0], value: 'many' }), /\/0\/what\/0\/value is wrong: max_validators/],
  [
    one({ ...ALL[0], parameter: 'community_tax' }),
    /\/0\/what\/0\/parameter must be equal to one of the allowed values$/,
  ],
  [one({ ...ALL[6], validators: [ADDRESS] }), /\/0\/what\/0\/validators\/0 must match pattern/],
  [one({ ...ALL[9], fraction: '1.5' }), /\/0\/what\/0\/fraction must match pattern/],
  [one({ ...ALL[1], value: '1814400000000000s' }), /\/0\/what\/0\/value is wrong: unbonding_time/],
  [
    one({ ...ALL[6], validators: [validator, mistyped(validator)] }),
    /\/0\/what\/0\/validators\/1 is not an address: cosmosvaloper1/,
  ],
  [one({ ...ALL[9], validator: mistyped(validator) }), /\/0\/what\/0\/validator is not an address: cosmosvaloper1/],
  [one({ ...ALL[10], account: mistyped(ADDRESS) }), /\/0\/what\/0\/account is not an address: cosmos1/],
  [one({ ...ALL[10], amount: 17 }), /\/0\/what\/0\/amount must be string$/],
];

test('a wrong file is refused in one line with the path of the member', async (context) => {
  for (const [text, fault] of wrong) {
    await assert.rejects(
      () => load(context, text),
      (error) =>
        error instanceof VariableError &&
        error.message.startsWith('HUBLEDGER_CORRECTIONS: ') &&
        !error.message.includes('\n') &&
        fault.test(error.message),
      text,
    );
  }
});
