/** Coins that the chain's own program moves before a block's transactions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { chainFacts } from '../../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ChainAct } from '../../../schemas/types.generated.js';
import { replay } from '../../books/ledger/wallets.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const { chain: hub, contracts, chainActs } = loadReference();
const [alice, multisig, stranger] = [account('alice'), account('multisig'), account('stranger')];
const began = [event('coinbase', { minter: 'nobody', amount: '' }, { mode: 'BeginBlock' })];

const fork: ChainAct = {
  ...{ height: 7, from: alice, to: multisig, amount: 'all', reason: 'a fork', source: 'a file' },
  ...{ sent_as: 'contract_deposit', received_as: 'contract_withdrawal' },
};
const refund: ChainAct = {
  ...{ upgrade: 'v9', from: 'distribution', to: alice, amount: '40uatom', escrow: multisig },
  ...{ reason: 'a refund', source: 'a handler', sent_as: 'contract_deposit', received_as: 'contract_withdrawal' },
};
const facts = chainFacts(hub, contracts, [fork, refund]);
const distribution = facts.module('distribution');
const NOT_REVIEWED = 'Moved by the chain itself; not reviewed';

function classified(...events: ReturnType<typeof send>) {
  const { events: rows, unclassified, unreviewedMoves } = classifyBlock(block([...events, ...began]), facts);
  assert.deepEqual([...unclassified], []);
  return {
    rows: rows.map((row) => [
      row.address,
      row.category,
      `${row.sent_amount ?? ''}>${row.received_amount ?? ''}`,
      row.counterparty,
      row.detail,
    ]),
    unreviewed: [...unreviewedMoves],
  };
}

test('a reviewed fork: the coins of each denom wait in an escrow with the account that received them', () => {
  const detail = 'Moved by the chain itself: a fork (a file)';
  assert.deepEqual(classified(...send(alice, multisig, '100uatom,5ibc/AB')), {
    rows: [
      [alice, 'contract_deposit', '100>', multisig, detail],
      [multisig, 'contract_withdrawal', '>100', alice, detail],
      [alice, 'contract_deposit', '5>', multisig, detail],
      [multisig, 'contract_withdrawal', '>5', alice, detail],
    ],
    unreviewed: [],
  });
});

test('a reviewed upgrade: what the community pool returns comes out of the escrow that the act names', () => {
  assert.deepEqual(classified(...send(distribution, alice, '40uatom')), {
    rows: [[alice, 'contract_withdrawal', '>40', multisig, 'Moved by the chain itself: a refund (a handler)']],
    unreviewed: [],
  });
});

test('a move that no act names by accounts, height and amount is no sale either, and is counted', () => {
  const other = chainFacts(hub, contracts, [{ ...fork, height: 8 }]);
  assert.equal(other.actOf({ index: 0, from: alice, to: multisig, denom: 'uatom', amount: 1n }, 7), undefined);
  assert.deepEqual(classified(...send(stranger, alice, '3uatom'), ...send(distribution, alice, '41uatom')), {
    rows: [
      [stranger, 'contract_deposit', '3>', alice, NOT_REVIEWED],
      [alice, 'contract_withdrawal', '>3', stranger, NOT_REVIEWED],
      [alice, 'contract_withdrawal', '>41', distribution, NOT_REVIEWED],
    ],
    unreviewed: [['7', 3]],
  });
  assert.deepEqual(classified(...send(alice, alice, '2uatom')).rows, [[alice, 'self_transfer', '2>2', null, '']]);
});

test('in BeginBlock a move between wallets is one, too; what a module pays there has no explanation without an act', () => {
  const begin = { mode: 'BeginBlock' };
  const events = [
    ...send(stranger, alice, '3uatom', begin),
    ...send(distribution, stranger, '4uatom', begin),
    ...send(distribution, alice, '40uatom', begin),
  ];
  const { events: rows, unclassified } = classifyBlock(block(events), facts);
  assert.deepEqual(
    rows.map(({ address, category, detail }) => [address, category, detail]),
    [
      [stranger, 'contract_deposit', NOT_REVIEWED],
      [alice, 'contract_withdrawal', NOT_REVIEWED],
      [stranger, 'unclassified', 'Not classified: BeginBlock'],
      [alice, 'contract_withdrawal', 'Moved by the chain itself: a refund (a handler)'],
    ],
  );
  assert.deepEqual([...unclassified], [['BeginBlock', 1]]);
});

test("the Hub's own acts: the fork of 2026, and the refund that becomes a vesting account", () => {
  const own = chainFacts(hub, contracts, chainActs);
  const [from, to] = ['cosmos1dd25c4sshelrpfs0433apg24c5phrhk8m96c4n', 'cosmos1z8pq5cn7tdrwwzlwm0e44fgq07e43ner6vph64'];
  const paid = (payer: string, receiver: string, height: number, amount = 1_221_120_000_000n) =>
    own.actOf({ index: 0, from: payer, to: receiver, denom: 'uatom', amount }, height);
  assert.equal(paid(from, to, 33_086_741)?.escrow, undefined);
  assert.match(paid(from, to, 33_086_741)!.detail, /balance_migration\.go @1744405b\)$/);
  assert.equal(paid(from, to, 33_086_742), undefined);
  assert.equal(paid(own.module('distribution'), from, 34_000_000)?.escrow, to);
  assert.equal(paid(own.module('distribution'), from, 34_000_000, 5n), undefined);
});

/** Minters of tokens: no recording has a denom whose admin is not its creator. */

describe('x/tokenfactory', () => {
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
        entries.map((entry) => [entry.credit_account, entry.amount]),
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
});

test('a payment to several receivers names each of them once, and counts those beyond a hundred', () => {
  const receivers = [alice, multisig, alice, ...Array.from({ length: 100 }, (_, i) => account(`employee ${i}`))];
  const paid = (count: number) => {
    const events = [
      event('coin_spent', { spender: stranger, amount: `${50 * count}uatom` }, { msg_index: '0' }),
      ...receivers
        .slice(0, count)
        .map((receiver) => event('coin_received', { receiver, amount: '50uatom' }, { msg_index: '0' })),
    ];
    const payment = transaction([message('/cosmos.bank.v1beta1.MsgMultiSend')], events);
    return classifyBlock(block([], [payment]), facts).events.find(({ address }) => address === stranger)!;
  };
  const { sent_amount, counterparty, detail } = paid(3);
  const words = `To 2 receivers, in base units: ${alice} 100, ${multisig} 50`;
  assert.deepEqual([sent_amount, counterparty, detail], [150n, null, words]);
  const many = paid(103).detail;
  assert.match(many, /^To 102 receivers, in base units: cosmos1\w+ 100, .* cosmos1\w+ 50, 2 others 100$/);
  assert.equal(many.split(', ').length, 102);
});
