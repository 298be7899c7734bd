/** Sent ICS-20 transfers whose memo, receiver or receiving chain decides who gets the coins. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import { walletRows } from '../../pipeline/books/reports/event-row.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { loadReference } from '../../pipeline/reference.js';
import { block, chain, event, message, send, transaction } from './events.js';

interface Case {
  readonly name: string;
  readonly why: string;
  readonly amount: string;
  readonly channel: string;
  readonly receiver: string;
  readonly memo: string;
  readonly counterparty: string | null;
  readonly taxable: boolean;
  readonly own_key: boolean;
}

const SENDER = 'cosmos1ua7ykpyp5sua2hvgmy3qcaa3fwm0p9talhc37a';
const { rules } = loadReference();
const { cases } = JSON.parse(readFileSync(join(projectRoot(), 'test/data/memo-actions.json'), 'utf8')) as {
  readonly cases: readonly Case[];
};

for (const { name, why, amount, channel, receiver, memo, ...right } of cases) {
  test(`${name}: ${why}`, () => {
    const at = { msg_index: '0' };
    const [quantity] = /^\d+/.exec(amount)!;
    const packet = { packet_src_port: 'transfer', packet_src_channel: channel, packet_sequence: '5' };
    const events = [
      ...send(SENDER, chain.escrow('transfer', channel), amount, at),
      event('send_packet', packet, at),
      event('ibc_transfer', { sender: SENDER, receiver, amount: quantity, denom: 'uatom', memo }, at),
    ];
    const transfer = transaction([message('/ibc.applications.transfer.v1.MsgTransfer')], events);
    const [row, ...others] = classifyBlock(block([], [transfer]), chain).events;
    assert.deepEqual(others, []);
    const priced = { ...row!, fee_price: null, received_price: null, sent_price: 6_070_000n };
    const { taxable, value } = walletRows({ rules, monikerOf: () => '' })(priced);
    const { category, counterparty, to_own_key: own_key } = row!;
    assert.deepEqual({ category, counterparty, taxable, own_key }, { category: 'ibc_out', ...right });
    assert.equal(value, (BigInt(quantity) * 607n + 500_000n) / 1_000_000n, 'cents at 6.07, rounded half up');
  });
}
