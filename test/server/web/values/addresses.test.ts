/** Addresses as people paste them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import { hasRecoveryPhrase, readAddresses, shortened } from '../../../../server/web/values/addresses.js';
import { OPERATORS, WALLETS } from '../../harness.js';

test('several are told apart by whatever stands between them, and blanks are forgiven', () => {
  const { light, busy, short } = WALLETS;
  for (const text of [
    `${light},${busy},,${short}`,
    `  ${light}\n\n${busy}\t${short} `,
    `"${light}"; <${busy}> (${short})`,
    `“${light}” „${busy}” \u200b${short}\u200b`,
    `https://www.mintscan.io/cosmos/address/${light} https://explorer.example/?a=${busy}&page=1 ${short}`,
    `https://tax.example/#addresses=${light},${busy},${short}&year=2026`,
  ]) {
    assert.deepEqual(readAddresses(text), { addresses: [light, busy, short], faults: [] });
  }
});

test('one pasted twice counts once, in small letters', () => {
  assert.deepEqual(readAddresses(`${WALLETS.light} ${WALLETS.light.toUpperCase()}`).addresses, [WALLETS.light]);
});

test('what is wrong is said in plain words', () => {
  const faultsOf = (text: string) =>
    readAddresses(text)
      .faults.map(({ words }) => words)
      .join();
  assert.match(faultsOf(WALLETS.light.slice(0, -1)), /a letter is missing or wrong/);
  assert.match(faultsOf('hello hello'), /^“hello” is not an address/);
  assert.match(faultsOf('cosmosvalcons1px0zkz2cxvc6lh34uhafveea9jnaagckmrlsye'), /begins with cosmosvaloper1/);
  assert.match(faultsOf('0x52908400098527886E0F7030069857D2E4169EE7'), /another chain/);
  assert.equal(faultsOf(''), '');
});

test('another address of a key leads to its wallet, but not where other chains derive other keys', () => {
  const of = (prefix: string, address: string) => bech32.encode(prefix, bech32.decode(address as 'a1a').words);
  const insteadOf = (word: string) => readAddresses(word).faults[0]!.instead;
  const wallet = of('cosmos', OPERATORS.alpha);
  assert.deepEqual(insteadOf(OPERATORS.alpha), { word: OPERATORS.alpha, wallet, operator: OPERATORS.alpha });
  const osmo = of('osmo', WALLETS.light).toUpperCase();
  assert.deepEqual(insteadOf(osmo), { word: osmo, wallet: WALLETS.light });
  assert.equal(insteadOf(of('inj', WALLETS.light)), undefined);
  const contract = bech32.encode('osmo', bech32.toWords(new Uint8Array(32)));
  assert.equal(insteadOf(contract), undefined, 'no key has it');
});

test('as many go together as a request may name', () => {
  assert.equal(readAddresses(Object.values(WALLETS).join(' ')).faults.length, 0);
});

test('a recovery phrase of 12 to 24 words is recognised however it is written, and no list of addresses is one', () => {
  // Test vectors of BIP-39.
  const twelve = 'legal winner thank year wave sausage worth useful legal winner thank yellow'.split(' ');
  const twentyFour = `${'abandon '.repeat(23)}art`.split(' ');
  const written = [
    twelve.join(' '),
    twelve.join('\n'),
    twelve.join(', '),
    twelve.join(' ').toUpperCase(),
    twelve.map((word, i) => `${i + 1}. ${word}`).join('\n'),
    twelve.map((word, i) => `${i + 1}) ${word}`).join(' '),
    `${WALLETS.light} ${twelve.join('\u200b ')} ${WALLETS.busy}`,
    `"${twelve.join('","')}"`,
    twelve.concat(twelve.slice(0, 3)).join('\t'),
    twentyFour.join(' '),
  ];
  for (const text of written) assert.equal(hasRecoveryPhrase(text), true, text);
  const others = [
    '',
    twelve.slice(1).join(' '),
    Object.values(WALLETS).join(' '),
    Array.from({ length: 50 }, (_, i) => `wallet number ${WALLETS.light.slice(0, -2)}${i}`).join('\n'),
    `My wallet is ${WALLETS.light}, and the other one of mine is ${WALLETS.busy}. Please show both of them.`,
  ];
  for (const text of others) assert.equal(hasRecoveryPhrase(text), false, text);
});

test('a short form keeps both ends', () => {
  assert.equal(shortened(WALLETS.light), `${WALLETS.light.slice(0, 12)}…${WALLETS.light.slice(-6)}`);
  assert.equal(shortened('ATOM'), 'ATOM');
});
