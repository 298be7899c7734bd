/** Addresses against those that the real chain uses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import { loadReference } from '../../pipeline/reference.js';
import { account, chain } from './events.js';

describe('accounts of the chain itself', () => {
  test('modules by their names', () => {
    assert.equal(chain.module('distribution'), 'cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl');
    assert.equal(chain.module('feemarket-fee-collector'), 'cosmos13pxn9n3qw79e03844rdadagmg0nshmwf7qvuye');
    assert.throws(() => chain.module('treasury'), /lists no module account treasury/);
  });

  test('escrows of the channels to Osmosis, Stride, Noble and Neutron', () => {
    const escrows = {
      'channel-141': 'cosmos1x54ltnyg88k0ejmk8ytwrhd3ltm84xehrnlslf',
      'channel-391': 'cosmos14mve3r3g2xqcn2w2e60whfjnlhkgq4gxgpc99s',
      'channel-536': 'cosmos10j2wteja863d2sqwzp2h7hyfaqn3x9yhzya6mj',
      'channel-569': 'cosmos1aqas7uqu6wazrlwc9ng4rzfax2nnmc8qhngtjs',
    };
    for (const [channel, escrow] of Object.entries(escrows)) {
      assert.equal(chain.escrow('transfer', channel), escrow);
      assert.ok(!chain.isWallet(escrow));
    }
    assert.ok(!chain.isWallet(chain.escrow('transfer', '08-wasm-1369')));
  });

  test('accounts of share records by their ids', () => {
    const first = 'cosmos1uk7xy36pvkn3legl7pw0sl29q5jtdg0jfxv58eskx4u80a2ekdksvtqsnl'; // of a recorded chain
    assert.equal(chain.shareRecordAccount('1'), first);
  });

  test('everybody else is a wallet, nobody is none', () => {
    assert.ok(chain.isWallet(account('alice')));
    assert.ok(!chain.isWallet(null));
  });
});

test('one key under several prefixes', () => {
  const operator = chain.operatorOf(account('alice'));
  assert.equal(chain.accountOf(operator), account('alice'));
  assert.ok(chain.isSameKey(account('alice'), account('alice', 'osmo')));
  assert.ok(chain.isSameKey(account('alice'), operator));
  assert.ok(!chain.isSameKey(account('alice'), account('bob')));
  assert.ok(!chain.isSameKey('neither', 'neither'));
});

test('addresses in the order of the stores of the chain: the shorter first, then by bytes', () => {
  const [low, high, long] = [
    [1, 255, 20],
    [2, 0, 20],
    [0, 0, 32],
  ].map(([first = 0, rest = 0, length = 0]) =>
    bech32.encodeFromBytes('cosmos', new Uint8Array(length).fill(rest).fill(first, 0, 1)),
  ) as [string, string, string];
  assert.deepEqual([long, high, low, low].sort(chain.compareAddresses), [low, low, high, long]);
});

test('a contract is known by protocol and name', () => {
  const [first] = loadReference().contracts.contracts;
  const { name, paidIn, paidOut } = chain.contract(first!.address)!;
  assert.deepEqual([name, paidIn, paidOut], ['Skip Go entry point', 'contract_deposit', 'contract_withdrawal']);
  assert.equal(chain.contract(account('alice')), undefined);
});
