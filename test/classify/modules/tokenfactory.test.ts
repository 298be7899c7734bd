/** Who minted: no recording has a denom whose admin is not its creator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const [creator, admin, bob] = [account('creator'), account('admin'), account('bob')];
const coin = `5factory/${creator}/token`;
const inMessage = { msg_index: '0' };

function mint(sender: string, receiver: string, typeUrl = '/osmosis.tokenfactory.v1beta1.MsgMint') {
  const module = chain.module('tokenfactory');
  const events = [
    event('coin_received', { receiver: module, amount: coin }, inMessage),
    event('coinbase', { minter: module, amount: coin }, inMessage),
    ...send(module, receiver, coin, inMessage),
    event('tf_mint', { mint_to_address: receiver, amount: coin }, inMessage),
  ];
  const { events: rows } = classifyBlock(block([], [transaction([message(typeUrl, { sender })], events)]), chain);
  return rows.map(({ category, address, counterparty }) => [category, address, counterparty]);
}

test('an admin that was given the denom mints own tokens', () => {
  assert.deepEqual(mint(admin, admin), [['token_mint', admin, null]]);
});

test('what it mints to somebody else is given unasked, to the creator too', () => {
  assert.deepEqual(mint(admin, bob), [['airdrop', bob, admin]]);
  assert.deepEqual(mint(admin, creator), [['airdrop', creator, admin]]);
});

test('inside another message the creator is taken to be who minted', () => {
  const packet = '/ibc.core.channel.v1.MsgRecvPacket';
  assert.deepEqual(mint(admin, creator, packet), [['token_mint', creator, null]]);
  assert.deepEqual(mint(admin, bob, packet), [['airdrop', bob, creator]]);
});
