/** Lots of coins that leave, and come back, through Skip Go's contracts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { parseDecimal } from '../../../pipeline/ledger/amount.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { makeEvent, replay } from '../../ledger/wallets.js';
import { block, chain, message, transaction } from '../events.js';
import { adapter, alice, osmosis, packet, pay, throughEntry, told, transfer } from './skip-go.js';

/** Alice's rows of a transaction in the block of that height, at ten dollars a coin. */
function pricedRows(height: number, day: string, ...events: ChainEventRecord[]): PricedEvent[] {
  const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
  const one = { ...block([], [transaction([call], events)]), height, time: `${day}T12:00:00Z` };
  const price = (denom: string | null) => (denom === 'uatom' ? parseDecimal('10', 6) : null);
  return classifyBlock(one, chain)
    .events.filter(({ address }) => address === alice)
    .map((row) => ({
      ...row,
      sent_price: price(row.sent_denom),
      received_price: price(row.received_denom),
      fee_price: null,
    }));
}

describe('lots of coins that a router sends', () => {
  const bought = makeEvent(1, '2026-01-10', 'staking_reward', {
    address: alice,
    received_amount: 9_000_000n,
    received_denom: 'uatom',
    received_price: parseDecimal('4', 6),
  });
  const sent = pricedRows(2, '2026-02-01', ...throughEntry('9000000uatom'), ...transfer('9000000', 'uatom', 1));

  test('are disposed of, and none waits in an escrow', () => {
    const { wallet, entries } = replay([bought, ...sent]);
    assert.deepEqual(
      entries.map(({ act, amount_usd }) => [act, amount_usd]),
      [
        ['acquire', 3600n],
        ['dispose', 3600n],
        ['gain', 5400n],
      ],
    );
    assert.equal(wallet.escrows.size, 0);
  });

  test('come back with basis and date by a packet that nobody took', () => {
    const back = pricedRows(
      3,
      '2026-02-02',
      packet('timeout_packet', 1),
      ...pay(osmosis, adapter, '9000000uatom'),
      told('timeout', { receiver: adapter }),
      told('sudo', { _contract_address: adapter }),
      ...pay(adapter, alice, '9000000uatom'),
    );
    const { wallet, entries } = replay([bought, ...sent, ...back]);
    const { slices, short } = wallet.holding('uatom').lots.take(9_000_001n);
    assert.deepEqual(
      slices.map(({ lot }) => [lot.acquired, lot.quantity, lot.basis]),
      [['2026-01-10', 9_000_000n, 3600n]],
    );
    assert.equal(short, 1n);
    assert.deepEqual(
      entries.slice(3).map(({ act, amount_usd }) => [act, amount_usd]),
      [
        ['restore', 3600n],
        ['gain', 5400n],
      ],
    );
  });

  test('come back without a part that the router kept, which waits for it to be paid', () => {
    const refused = (paid: string) =>
      pricedRows(
        3,
        '2026-02-02',
        packet('timeout_packet', 1),
        ...pay(osmosis, adapter, '9000000uatom'),
        told('timeout', { receiver: adapter }),
        told('sudo', { _contract_address: adapter }),
        ...pay(adapter, alice, paid),
      );
    const call = told('execute', { _contract_address: adapter });
    const later = pricedRows(4, '2026-02-03', call, ...pay(adapter, alice, '1000000uatom'));
    const { wallet } = replay([bought, ...sent, ...refused('8000000uatom'), ...later]);
    const { slices, short } = wallet.holding('uatom').lots.take(9_000_000n);
    assert.deepEqual(
      [slices.every(({ lot }) => lot.basis === 3600n && lot.acquired === '2026-01-10'), short],
      [true, 0n],
    );
  });
});
