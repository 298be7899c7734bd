import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFold } from '../../pipeline/flags/fold.js';
import { LookAlikes } from '../../pipeline/flags/look-alikes.js';
import { loadReference } from '../../pipeline/reference.js';

const { assets, confusables } = loadReference();
const lookAlikes = new LookAlikes(assets, makeFold(confusables));
const found = (name: string) => lookAlikes.find(name)?.symbol;

test('a name reads like an asset whatever letters it is written with', () => {
  for (const name of [
    'ATOM',
    'atom',
    '$ATOM',
    'A.T.O.M',
    'AТОМ',
    'AT0M',
    'ΑΤΟΜ',
    'ＡＴＯＭ',
    'ÀTÕM',
    'AT\u200bOM',
    'ATORN',
    'uatom',
  ]) {
    assert.equal(found(name), 'ATOM', name);
  }
  assert.equal(found('Cosmos  Hub Atom'), 'ATOM');
  assert.equal(found('0SM0'), 'OSMO');
  assert.equal(found('uosmo'), 'OSMO');
  assert.equal(found('USDС'), 'USDC');
  assert.equal(found('U5DC'), 'USDC');
  assert.equal(found('T1A'), 'TIA');
});

test('a name of its own reads like nothing', () => {
  for (const name of [
    'USDL',
    'uusd',
    'CLAIM',
    'ATOMIC',
    'DASH',
    'claim-at-atomgift.example',
    '',
    '12',
    '日本',
    '...',
  ]) {
    assert.equal(found(name), undefined, name);
  }
});

test('every asset reads like an asset', () => {
  for (const { symbol, name } of assets) assert.ok(found(symbol) && found(name), symbol);
});
