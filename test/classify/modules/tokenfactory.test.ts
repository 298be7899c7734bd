/** Minters of tokens: no recording has a denom whose admin is not its creator. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { parseDecimal } from '../../../pipeline/ledger/amount.js';
import { loadReference } from '../../../pipeline/reference.js';
import { replay } from '../../ledger/wallets.js';
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

const { chain: hub } = loadReference();
const [stars, phmn] = ['ustars', 'PHMN'].map(
  (name) => hub.moved_denoms.find(({ denom }) => denom.endsWith(`/${name}`))!,
);

describe('coins that moved here from another chain', () => {
  const module = chain.module('tokenfactory');
  const minted = (coins: string, receiver: string) => [
    ...send(module, receiver, coins, inMessage),
    event('tf_mint', { mint_to_address: receiver, amount: coins }, inMessage),
  ];
  const rowsOf = (sender: string, typeUrl: string, ...events: ChainEventRecord[]) =>
    classifyBlock(block([], [transaction([message(typeUrl, { sender })], events)]), chain).events;
  const MINT = '/osmosis.tokenfactory.v1beta1.MsgMint';

  test('are received as from another chain, whoever mints them', () => {
    const bridge = stars!.denom.split('/')[1]!;
    for (const sender of [bridge, admin]) {
      const [row] = rowsOf(sender, MINT, ...minted(`3783243479843${stars!.denom}`, bob));
      assert.deepEqual(
        [row!.category, row!.address, row!.counterparty, row!.received_amount, row!.detail],
        ['ibc_in', bob, sender, 3783243479843n, 'Moved here from Stargaze'],
      );
    }
    assert.equal(rowsOf(bridge, MINT, ...minted(`5${stars!.denom}`, bridge))[0]!.category, 'ibc_in');
  });

  test('claimed from a contract that mints them, too; bought from it they are swapped', () => {
    const dao = phmn!.denom.split('/')[1]!;
    const call = event('execute', { _contract_address: dao }, inMessage);
    const CALL = '/cosmwasm.wasm.v1.MsgExecuteContract';
    const claimed = rowsOf(bob, CALL, call, ...minted(`7${phmn!.denom}`, bob));
    assert.deepEqual(
      claimed.map(({ category, address, detail }) => [category, address, detail]),
      [['ibc_in', bob, 'Moved here from Juno']],
    );
    const bought = rowsOf(bob, CALL, ...send(bob, dao, '9uatom', inMessage), call, ...minted(`7${phmn!.denom}`, bob));
    assert.deepEqual(
      bought.filter(({ address }) => address === bob).map(({ category }) => category),
      ['swap'],
    );
  });

  test('make lots of unknown basis and no income', () => {
    const price = { sent_price: null, fee_price: null, received_price: parseDecimal('0.01', 6) };
    const rows = rowsOf(admin, MINT, ...minted(`3783243479843${stars!.denom}`, bob));
    const { wallet, entries } = replay(rows.map((row) => ({ ...row, ...price })));
    const { slices } = wallet.holding(stars!.denom).lots.take(3783243479843n);
    assert.deepEqual(
      slices.map(({ lot }) => lot.basis),
      [null],
    );
    assert.deepEqual(
      entries.map((entry) => [entry.credit_account, entry.amount_usd]),
      [['Transfers In: Unclassified', 0n]],
    );
  });

  test('are assets of the registry, so that nothing flags them', () => {
    const known = new Set(loadReference().assets.map(({ denom }) => denom));
    for (const { denom } of hub.moved_denoms) assert.ok(known.has(denom), denom);
    assert.ok(loadReference().spam.relayed_categories.includes('ibc_in'));
  });
});

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
