import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { redeemChallenge } from '../../../../server/people/accounts/wallet-sign-in.js';
import type { Queries } from '../../../../server/people/store/store.js';
import { makeWallet, type TestWallet } from '../../people/accounts/wallet.js';

/** The order of the curve. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let wallet: TestWallet;
before(async () => {
  wallet = await makeWallet();
});
const BASE = 'https://tax.example';
const challengeOf = (text: string) => `tax.example wants you to sign in with your Cosmos account:\n${text}`;

/** Redeems a challenge that the store knows for the address, with our signature or another one. */
const check = async (text: string, change: Partial<Parameters<typeof redeemChallenge>[1]> = {}) => {
  const { pub_key: publicKey, signature } = await wallet.sign(challengeOf(text));
  const signed = { address: wallet.address, publicKey, signature, ...change, text: challengeOf(change.text ?? text) };
  const store = { query: async () => [{ address: signed.address }] } as unknown as Queries;
  return redeemChallenge(store, signed, BASE, new Date());
};

test("a wallet's signature holds for its address and text, whatever the text is", async () => {
  for (const text of ['sign in', '', '<a>&"\\\n\u2028', 'ünïcödé 🪐', 'x'.repeat(10_000)]) {
    assert.equal(await check(text), true, text.slice(0, 20));
    assert.equal(await check(text, { text: `${text} ` }), false);
  }
});

test('it holds for nobody else', async () => {
  const other = await makeWallet();
  const { pub_key: publicKey, signature } = await other.sign(challengeOf('text'));
  assert.equal(await check('text', { address: other.address }), false);
  assert.equal(await check('text', { publicKey }), false);
  assert.equal(await check('text', { publicKey, signature }), false);
  assert.equal(await check('text', { signature }), false);
  assert.equal(await check('text', await otherSigner(other)), false);
});

/** Another wallet's signature of a document that names ours. */
async function otherSigner(other: TestWallet) {
  const { pub_key: publicKey, signature } = await other.sign(challengeOf('text'), wallet.address);
  return { publicKey, signature };
}

test('the other of the two values of s is refused, as on the chain', async () => {
  const { pub_key: publicKey, signature } = await wallet.sign(challengeOf('text'));
  const bytes = Buffer.from(signature, 'base64');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  bytes.set(Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex'), 32);
  assert.equal(await check('text', { publicKey, signature: bytes.toString('base64') }), false);
});

test('what is no key or signature is none', async () => {
  const point = Buffer.concat([Buffer.from([2]), Buffer.alloc(32, 0xff)]).toString('base64');
  for (const publicKey of ['', '!', Buffer.alloc(33).toString('base64'), point]) {
    assert.equal(await check('text', { publicKey }), false);
  }
  for (const signature of ['', Buffer.alloc(64).toString('base64'), Buffer.alloc(63, 1).toString('base64')]) {
    assert.equal(await check('text', { signature }), false);
  }
});
