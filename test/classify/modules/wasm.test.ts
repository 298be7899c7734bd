/** Contract calls that no recording holds: contracts known by name, change, several coins at once, tokens of a contract's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { chainFacts } from '../../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../../pipeline/reference.js';
import { account, block, event, message, send, transaction } from '../events.js';

const [alice, bob] = [account('alice'), account('bob')];
const [pool, rewards, unknown] = [account('pool'), account('rewards'), account('unknown')];
const { chain: hub, contracts } = loadReference();
const known = (address: string, kind: string) => ({ address, protocol: 'Protocol', name: kind, kind, source: 'test' });
const chain = chainFacts(hub, {
  ...contracts,
  contracts: [known(pool, 'pool'), known(rewards, 'reward distributor')],
});

const inMessage = { msg_index: '0' };
const told = (type: string, pairs: Record<string, string>) => event(type, pairs, inMessage);
const run = (contract: string) => told('execute', { _contract_address: contract });
const pay = (from: string, to: string, amount: string) => send(from, to, amount, inMessage);

/** Category, amounts, counterparty and detail of the rows of accounts that are no contract. */
function walletRows(...events: ChainEventRecord[]) {
  const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
  const { events: rows, unclassified } = classifyBlock(block([], [transaction([call], events)]), chain);
  assert.equal(unclassified.size, 0);
  return rows
    .filter(({ address }) => address === alice || address === bob)
    .map((row) => [
      row.category,
      row.sent_amount === null ? '' : `${row.sent_amount}${row.sent_denom}`,
      row.received_amount === null ? '' : `${row.received_amount}${row.received_denom}`,
      row.counterparty,
      row.detail,
    ]);
}

describe('contracts known by name', () => {
  test('one coin into a pool, and out', () => {
    assert.deepEqual(walletRows(...pay(alice, pool, '9uatom'), run(pool)), [
      ['liquidity_add', '9uatom', '', pool, 'Protocol pool'],
    ]);
    assert.deepEqual(walletRows(run(pool), ...pay(pool, alice, '9uatom')), [
      ['liquidity_remove', '', '9uatom', pool, 'Protocol pool'],
    ]);
  });

  test('what a distributor pays is income', () => {
    assert.deepEqual(walletRows(run(rewards), ...pay(rewards, alice, '9uatom')), [
      ['contract_income', '', '9uatom', rewards, 'Protocol reward distributor'],
    ]);
  });

  test('one coin for another is a swap, pool or not', () => {
    assert.deepEqual(walletRows(...pay(alice, pool, '9uatom'), run(pool), ...pay(pool, alice, '4ibc/A')), [
      ['swap', '9uatom', '4ibc/A', pool, 'Protocol pool'],
    ]);
  });
});

test('what a contract has a wallet send, by a grant of authz, is a transfer', () => {
  assert.deepEqual(walletRows(run(unknown), ...pay(bob, alice, '9uatom')), [
    ['transfer_out', '9uatom', '', alice, ''],
    ['transfer_in', '', '9uatom', bob, ''],
  ]);
  assert.deepEqual(walletRows(run(unknown), ...pay(bob, chain.module('distribution'), '9uatom')), [
    ['community_pool_deposit', '9uatom', '', chain.module('distribution'), ''],
  ]);
  assert.deepEqual(walletRows(run(unknown), ...pay(bob, bob, '9uatom')), [
    ['self_transfer', '9uatom', '9uatom', null, ''],
  ]);
  assert.deepEqual(walletRows(run(alice), ...pay(alice, alice, '9uatom')), [
    ['self_transfer', '9uatom', '9uatom', null, ''],
  ]);
});

describe('what is exchanged for what', () => {
  const label = `Contract ${unknown}`;

  test('change counts less given', () => {
    const rows = walletRows(
      ...pay(alice, unknown, '100uatom'),
      run(unknown),
      ...pay(unknown, alice, '4ibc/A'),
      ...pay(unknown, alice, '3uatom'),
    );
    assert.deepEqual(rows, [['swap', '97uatom', '4ibc/A', unknown, label]]);
  });

  test('the same coin back is a deposit and a withdrawal', () => {
    assert.deepEqual(walletRows(...pay(alice, unknown, '9uatom'), run(unknown), ...pay(unknown, alice, '9uatom')), [
      ['contract_deposit', '9uatom', '', unknown, label],
      ['contract_withdrawal', '', '9uatom', unknown, label],
    ]);
  });

  test('several coins for one: nothing tells how much of it each was worth', () => {
    const rows = walletRows(...pay(alice, unknown, '9ibc/B,9uatom'), run(unknown), ...pay(unknown, alice, '4ibc/A'));
    assert.deepEqual(
      rows.map(([category, sent, received]) => [category, sent, received]),
      [
        ['contract_deposit', '9ibc/B', ''],
        ['contract_deposit', '9uatom', ''],
        ['contract_withdrawal', '', '4ibc/A'],
      ],
    );
  });

  test('over a second contract: the one that was paid is named', () => {
    const rows = walletRows(
      ...pay(alice, unknown, '9uatom'),
      run(unknown),
      ...pay(unknown, pool, '9uatom'),
      run(pool),
      ...pay(pool, alice, '4ibc/A'),
    );
    assert.deepEqual(rows, [['swap', '9uatom', '4ibc/A', unknown, label]]);
  });
});

describe("a contract's own denom", () => {
  const denom = `factory/${unknown}/share`;
  const module = chain.module('tokenfactory');
  const minted = (to: string) => [
    ...pay(module, to, `5${denom}`),
    told('tf_mint', { mint_to_address: to, amount: `5${denom}` }),
  ];

  test('minted for the caller that paid: a swap', () => {
    assert.deepEqual(walletRows(...pay(alice, unknown, '9uatom'), run(unknown), ...minted(alice)), [
      ['swap', '9uatom', `5${denom}`, unknown, `Contract ${unknown}`],
    ]);
  });

  test('minted for the caller that paid nothing: a withdrawal from the contract', () => {
    assert.deepEqual(walletRows(run(unknown), ...minted(alice)), [
      ['contract_withdrawal', '', `5${denom}`, unknown, `Contract ${unknown}`],
    ]);
  });

  test('minted for a stranger: an airdrop', () => {
    assert.deepEqual(walletRows(run(unknown), ...minted(bob)), [['airdrop', '', `5${denom}`, unknown, '']]);
  });
});

test("a contract's own account has rows like any other", () => {
  const distribution = chain.module('distribution');
  const { events } = classifyBlock(
    block(
      [],
      [
        transaction(
          [message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice })],
          [
            ...pay(alice, unknown, '9uatom'),
            run(unknown),
            ...pay(unknown, distribution, '2uatom'),
            ...pay(distribution, unknown, '3uatom'),
            told('withdraw_commission', { amount: '3uatom' }),
          ],
        ),
      ],
    ),
    chain,
  );
  assert.deepEqual(
    events.filter(({ address }) => address === unknown).map((row) => [row.category, row.reward_trigger]),
    [
      ['transfer_in', null],
      ['community_pool_deposit', null],
      ['validator_commission', 'contract'],
    ],
  );
});

test('contracts that the chain calls at the end of a block pay like any other', () => {
  const mode = { mode: 'EndBlock' };
  const events = [event('sudo', { _contract_address: unknown }, mode), ...send(unknown, alice, '9uatom', mode)];
  const rows = classifyBlock(block(events), chain).events;
  assert.deepEqual(
    rows.map(({ category, address, tx_hash }) => [category, address, tx_hash]),
    [
      ['transfer_out', unknown, 'block:7'],
      ['contract_withdrawal', alice, 'block:7'],
    ],
  );
});

test('what a contract burns goes over the wasm module', () => {
  const burn = [run(unknown), ...pay(unknown, chain.module('wasm'), '4uatom')];
  const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
  const { events: rows, unclassified } = classifyBlock(block([], [transaction([call], burn)]), chain);
  assert.equal(unclassified.size, 0);
  assert.deepEqual(
    rows.map(({ address, category, sent_amount }) => [address, category, sent_amount]),
    [[unknown, 'token_burn', 4n]],
  );
});
