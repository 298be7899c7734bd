import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ReceiptFlags } from '../../pipeline/flags/receipt-flags.js';
import { loadReference } from '../../pipeline/reference.js';

test('evidence repeats no more than the beginning of a denom of any length', () => {
  const trace = `transfer/channel-1/factory/juno1maker/${'x'.repeat(100_000)}`;
  const denom = `ibc/${createHash('sha256').update(trace).digest('hex').toUpperCase()}`;
  const flag = new ReceiptFlags(loadReference(), [], { before: [], packets: [trace] }).flag({
    record_id: '7-0-1-0-in',
    address: 'cosmos1receiver',
    height: 7,
    position: 0,
    time: '2026-02-01 12:00:00',
    tx_hash: 'AB',
    denom,
    quantity: 1n,
    sender: 'cosmos1sender',
    memo: '',
    category: 'transfer_in',
    registered: false,
    dust: false,
    receivers: 1,
  });
  assert.equal(flag?.reason, 'suspected_spam');
  assert.ok(flag.evidence.includes('transfer/channel-1/factory/juno1maker/xxx'));
  assert.ok(flag.evidence.length < 1000);
});

test('what a token said of itself before is not gone through for each word more', () => {
  const metadata = Array.from({ length: 1000 }, () => ({ denom: 'a', height: 1, tx_hash: '', symbol: 's', name: 'n' }));
  const reference = loadReference();
  const walksOf = (said: Iterable<(typeof metadata)[number]>) => {
    const own = Array.prototype[Symbol.iterator];
    let walks = 0;
    Array.prototype[Symbol.iterator] = function walk() {
      walks++;
      return own.call(this);
    };
    try {
      new ReceiptFlags(reference, said, { before: [], packets: [] });
    } finally {
      Array.prototype[Symbol.iterator] = own;
    }
    return walks;
  };
  assert.equal(walksOf(new Set(metadata)), walksOf(new Set()));
});
