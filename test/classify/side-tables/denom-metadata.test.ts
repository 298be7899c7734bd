/** Denom metadata is what a token says of itself, as the chain repeats it in text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { claimedIdentity } from '../../../pipeline/classify/side-tables/denom-metadata.js';
import { chain, event } from '../events.js';
import { sampleBlocks } from '../sample.js';

function claimed(denom_metadata: string) {
  const record = event('set_denom_metadata', { denom: 'factory/cosmos1maker/x', denom_metadata });
  const get = (key: string) => record.attributes.find((attribute) => attribute.key === key)?.value;
  return claimedIdentity({ index: 0, type: record.type, get, address: get });
}

test('symbol and name are read, units and description passed over', () => {
  const text =
    'description:"A coin" denom_units:<denom:"factory/cosmos1maker/x" > denom_units:<denom:"coin" exponent:6 aliases:"name" > base:"factory/cosmos1maker/x" display:"coin" name:"Coin of X" symbol:"XCN" ';
  assert.deepEqual(claimed(text), { denom: 'factory/cosmos1maker/x', symbol: 'XCN', name: 'Coin of X' });
  assert.deepEqual(claimed(''), { denom: 'factory/cosmos1maker/x', symbol: '', name: '' });
});

test('a value cannot pass for a field, and escapes are undone', () => {
  const text =
    'description:"symbol:\\"GOOD\\" name:\\"good\\"" name:"\\320\\220TOM \\\\ \\"hub\\"\\n" symbol:"AT\\303\\226M"';
  assert.deepEqual(claimed(text), { denom: 'factory/cosmos1maker/x', symbol: 'ATÖM', name: 'АTOM \\ "hub"\n' });
});

test('the sample has three tokens that say what they are', () => {
  const found = [...sampleBlocks()].flatMap((block) => classifyBlock(block, chain).denomMetadata);
  assert.deepEqual(
    found.map(({ denom, height, symbol, name }) => [denom.split('/')[2], height, symbol, name]),
    [
      ['uatom', 52, 'ATOM', 'Cosmos Hub Atom'],
      ['claim-at-atomgift.example', 52, 'CLAIM', 'claim-at-atomgift.example'],
      ['uusd', 52, 'USDL', 'uusd'],
    ],
  );
});
