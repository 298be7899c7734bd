import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import { loadReference } from '../../../pipeline/reference.js';

const { jurisdictions } = loadReference().jurisdictions;
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

test('an operator is listed once', () => {
  const operators = jurisdictions.flatMap(({ operator_addresses }) => operator_addresses ?? []);
  assert.equal(new Set(operators).size, operators.length);
});

test('countries exist, addresses are operators of the chain, sources name one state of a file', () => {
  for (const { moniker, country, operator_addresses, source, reviewed } of jurisdictions) {
    assert.ok(countries.of(country), `${moniker}: ${country}`);
    for (const operator of operator_addresses ?? []) {
      assert.equal(bech32.decode(operator as `${string}1${string}`).prefix, 'cosmosvaloper', moniker);
    }
    assert.match(source, /\/[0-9a-f]{40}\//, `${moniker}: only a commit stays as it is, a branch or page may change`);
    assert.ok(reviewed >= '2026-01-01', moniker);
  }
});
