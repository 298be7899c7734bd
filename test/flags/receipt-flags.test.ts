import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiptFlags } from '../../pipeline/flags/receipt-flags.js';
import { loadReference } from '../../pipeline/reference.js';

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
