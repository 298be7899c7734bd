/** Addresses as people paste them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddresses, shortened } from '../../../../server/web/values/addresses.js';
import { OPERATORS, WALLETS } from '../../harness.js';

test('several are told apart by whatever stands between them, and blanks are forgiven', () => {
  const { light, busy, short } = WALLETS;
  for (const text of [
    `${light},${busy},,${short}`,
    `  ${light}\n\n${busy}\t${short} `,
    `"${light}"; <${busy}> (${short})`,
    `“${light}” „${busy}” \u200b${short}\u200b`,
  ]) {
    assert.deepEqual(readAddresses(text), { addresses: [light, busy, short], faults: [] });
  }
});

test('one pasted twice counts once, in small letters', () => {
  assert.deepEqual(readAddresses(`${WALLETS.light} ${WALLETS.light.toUpperCase()}`).addresses, [WALLETS.light]);
});

test('what is wrong is said in plain words', () => {
  const faultOf = (text: string) => readAddresses(text).faults.join();
  assert.match(faultOf(WALLETS.light.slice(0, -1)), /a letter is missing or wrong/);
  assert.match(faultOf(OPERATORS.alpha), /is a validator/);
  assert.match(faultOf('cosmosvalcons1px0zkz2cxvc6lh34uhafveea9jnaagckmrlsye'), /is a validator/);
  assert.match(faultOf('osmo1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu'), /another chain|letter is missing/);
  assert.match(faultOf('0x52908400098527886E0F7030069857D2E4169EE7'), /another chain/);
  assert.equal(faultOf(''), '');
});

test('as many go together as a request may name', () => {
  assert.equal(readAddresses(Object.values(WALLETS).join(' ')).faults.length, 0);
});

test('a short form keeps both ends', () => {
  assert.equal(shortened(WALLETS.light), `${WALLETS.light.slice(0, 12)}…${WALLETS.light.slice(-6)}`);
  assert.equal(shortened('ATOM'), 'ATOM');
});
