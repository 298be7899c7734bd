import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LookAlikes, makeFold, memoCalls } from '../../pipeline/classify/look-alikes.js';
import { ReceiptFlags } from '../../pipeline/classify/receipt-flags.js';
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

describe('folded text', () => {
  const { confusables } = loadReference();
  const fold = makeFold(confusables);

  test('what was folded stays as it is, and case never matters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        assert.equal(fold(fold(text)), fold(text));
      }),
      { seed: 7, numRuns: 2000 },
    );
    for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789') assert.equal(fold(letter.toUpperCase()), fold(letter));
  });

  test('a form stands for one letter only, and is written as it is looked for', () => {
    const forms = confusables.flatMap(({ written }) => written);
    assert.equal(new Set(forms).size, forms.length);
    for (const { looks_like, written } of confusables) {
      for (const form of written) {
        assert.equal(form, form.normalize('NFKD').toLowerCase(), `${form} is never met`);
        assert.equal(fold(form), fold(looks_like), form);
      }
    }
  });

  test('accents leave before a text is normalized: to put a long run of them in order takes time by its square', ({
    mock,
  }) => {
    const normalize = mock.method(String.prototype, 'normalize');
    assert.equal(fold(`A${'\u0315\u0300'.repeat(1000)}TÖM`), 'atom');
    assert.deepEqual(
      normalize.mock.calls.map((call) => String(call.this)),
      ['ATÖM'],
    );
  });
});

describe('look-alikes', () => {
  const { assets, confusables } = loadReference();
  const lookAlikes = new LookAlikes(assets, makeFold(confusables));
  const found = (name: string) => lookAlikes.find(name)?.symbol;

  test('a name reads like an asset whatever letters it is written with', () => {
    for (const name of [
      'ATOM',
      'atom',
      '$ATOM',
      'A.T.O.M',
      'AТОМ',
      'AT0M',
      'ΑΤΟΜ',
      'ＡＴＯＭ',
      'ÀTÕM',
      'AT\u200bOM',
      'ATORN',
      'uatom',
    ]) {
      assert.equal(found(name), 'ATOM', name);
    }
    assert.equal(found('Cosmos  Hub Atom'), 'ATOM');
    assert.equal(found('0SM0'), 'OSMO');
    assert.equal(found('uosmo'), 'OSMO');
    assert.equal(found('USDС'), 'USDC');
    assert.equal(found('U5DC'), 'USDC');
    assert.equal(found('T1A'), 'TIA');
  });

  test('a name of its own reads like nothing', () => {
    for (const name of [
      'USDL',
      'uusd',
      'CLAIM',
      'ATOMIC',
      'DASH',
      'claim-at-atomgift.example',
      '',
      '12',
      '日本',
      '...',
    ]) {
      assert.equal(found(name), undefined, name);
    }
  });

  test('every asset reads like an asset', () => {
    for (const { symbol, name } of assets) assert.ok(found(symbol) && found(name), symbol);
  });
});

describe('calls in memos', () => {
  const { spam, confusables } = loadReference();
  const calls = memoCalls(spam, makeFold(confusables));

  test('links and calls to claim, also in letters that look alike', () => {
    for (const memo of [
      'Claim 500 ATOM at https://atom-airdrop.example',
      '=HYPERLINK("https://drainer.example","Claim rewards")',
      '🎁 You won! visit cosmos-claim.example to receive $ATOM',
      'cosmos-gift․com',
      'WWW.STAKE.SITE',
      'AIRDROP',
      'сlаim now',
      'c\u200dlaim',
      'free tokens for you',
      'hxxps evil',
      'ask at t.me/atom',
    ]) {
      assert.ok(calls(memo), memo);
    }
  });

  test('what people write to each other is neither', () => {
    for (const memo of [
      '',
      '118943',
      '0001234567890',
      'rent',
      'lunch, "pizza" & coffee',
      'Invoice 2026-0017; thanks',
      "O'Brien; DROP TABLE tx;--",
      '<script>alert(1)</script>',
      'line one\nline two\r\nthree',
      'ünïcödé ✓ 日本語 🚀',
      '@SUM(1+1)*cmd',
      '+49 170 0000000',
      'paid 3.50 to you',
      'v1.2.3',
      'reclaimed',
      'freedom',
    ]) {
      assert.ok(!calls(memo), memo);
    }
  });
});
