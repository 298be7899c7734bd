/** `hubledger explain` on a night of the recorded chain. */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { manifestFile } from '../../../pipeline/publish/generation.js';
import { publishedFolder } from '../../../pipeline/publish/verify/verify.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { booksAround } from '../../../scripts/explain/books.js';
import { describe, messageJson } from '../../../scripts/explain/describe.js';
import { quoted } from '../../../scripts/explain/words.js';
import { makeEvent, receipt } from '../../books/ledger/wallets.js';
import { FOLDED, NightCase } from '../../pipeline/night-case.js';

const chain = new NightCase(FOLDED);
const WALLET = 'cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w';
const explain = (...words: string[]) => chain.command('data', 'explain', ...words);

before(async () => {
  await chain.published('data');
});
after(() => chain.remove());

/** Returns the paragraphs of an explanation by name. */
async function paragraphs(id: string): Promise<Record<string, string>> {
  const { code, out, error } = await explain(WALLET, id);
  assert.deepEqual([code, error], [0, '']);
  const parts = out.trimEnd().split('\n\n');
  const lines = (part: string) => part.split('\n').map((line) => line.slice(13));
  return Object.fromEntries(parts.map((part) => [part.split(' ')[0]!, lines(part).join('\n')]));
}

test('without an id it lists the rows of a wallet', async () => {
  const { code, out } = await explain(WALLET);
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.equal(lines.length, 10);
  assert.equal(lines[2], '378-12-3-0-fee\t2026-02-13 11:08:14\tfee\t-0.01525 ATOM fee');
  assert.equal(lines[4], '378-12-12-0-both\t2026-02-13 11:08:14\tredelegate\t-0.831007 ATOM, +0.831007 ATOM');
});

test('a reward is followed to its event, payment, lot and journal entry', async () => {
  const { row, block, transaction, event, payments, price, lots, journal } = await paragraphs('378-12-11-0-in');
  assert.match(
    row!,
    /^378-12-11-0-in of cosmos1x6z\w+\nstaking_reward, taxable: [^\n]+\n\+0\.172336 ATOM; worth 0\.34 USD\n/,
  );
  assert.match(block!, /^378 of localhub-1, 2026-02-13T11:08:14\.53397Z\nhash [0-9A-F]{64}$/);
  const message = '\nmessage /cosmos.staking.v1beta1.MsgBeginRedelegate\n  {"delegatorAddress":"cosmos1x6z';
  assert.match(transaction!, /^42AE0059[0-9A-F]{56}, number 12 of the block, succeeded\n/);
  assert.ok(transaction!.includes(message));
  assert.match(event!, /^withdraw_rewards, number 11 of the transaction\n {2}amount = "172336uatom"\n/);
  assert.match(payments!, /^event 8: 0\.172336 ATOM from cosmos1\w+ to the wallet$/);
  assert.equal(
    price,
    `ATOM on 2026-02-13: 2 USD, the quote of coingecko; methodology ${loadReference().methodology.version}`,
  );
  assert.deepEqual(lots!.split('\n'), [
    "arrived in its transaction: 0.172336 ATOM acquired 2026-02-13, basis 0.34 USD; 0.172336 ATOM of it open after the wallet's last row",
    'before its transaction: 0.011401 ATOM in 1 lot, basis unknown, and 17746.171269 ATOM held before the index',
    'after it: 0.183737 ATOM in 2 lots, basis 0.34 USD and unknown for 0.011401 ATOM, and 17746.156019 ATOM held before the index',
  ]);
  assert.deepEqual(journal!.split('\n'), [
    '378-12-11-0-in-0',
    '  debit   0.34 USD  Digital Assets: ATOM (0.172336 ATOM)',
    '  credit  0.34 USD  Income: Staking Rewards',
  ]);
});

test('an event of the chain itself has no transaction; a loss takes the oldest coins first', async () => {
  const { transaction, event, payments, lots, journal } = await paragraphs('381-block-74-9ehretmx2h6w-out');
  assert.equal(transaction, 'none: the chain acted itself, in BeginBlock');
  assert.match(event!, /^slash, number 74 of the block's own\n/);
  assert.equal(payments, 'none to or from the wallet');
  assert.match(lots!, /^relieve: 0\.011421 ATOM of coins held before the index, basis unknown\n/);
  assert.match(journal!, /\n {2}debit {3}0\.00 USD {2}Loss: Slashing \(0\.011421 ATOM\)\n/);
});

test('a fee is outside the messages, and a move of stake makes no entry', async () => {
  assert.match((await paragraphs('378-12-3-0-fee')).transaction!, /\nante handler: outside the messages$/);
  const { row, journal } = await paragraphs('378-12-12-0-both');
  assert.match(row!, /\nredelegate, a record only: /);
  assert.equal(journal, 'no entry');
});

test('without raw blocks the rest is explained', async () => {
  renameSync(chain.path('data/raw'), chain.path('data/raw-elsewhere'));
  try {
    const { block, event, lots } = await paragraphs('378-12-11-0-in');
    assert.equal(block, '378, 2026-02-13 11:08:14 UTC; the raw block is not stored here');
    assert.equal(event, undefined);
    assert.match(lots!, /^arrived in its transaction: /);
  } finally {
    renameSync(chain.path('data/raw-elsewhere'), chain.path('data/raw'));
  }
});

test('a missing manifest is one line', async () => {
  const file = manifestFile(publishedFolder(chain.path('data')));
  renameSync(file, `${file}.aside`);
  try {
    const { code, error } = await explain(WALLET);
    assert.deepEqual([code, error.split('\n').length], [1, 2]);
    assert.match(error, /^hubledger: \S+\/manifest\.json is damaged, and the next nightly run makes it again: ENOENT/);
  } finally {
    renameSync(`${file}.aside`, file);
  }
});

test('a missing wallet or row is one line', async () => {
  const silent = 'cosmos1jhhykys9xmfd03sad53zdq9jvmyzm2gn42qy4q';
  const cases: [string[], RegExp, exitCode?: number][] = [
    [[WALLET, '1-2-3-0-in'], /^hubledger: cosmos1x6z\w+ has no row 1-2-3-0-in\n$/],
    [[silent], /^hubledger: cosmos1jhh\w+ has no rows in h451-\w+\n$/],
    [['cosmos1abc'], /^hubledger: <address> 'cosmos1abc' is invalid: it must be an address: [^\n]+\n$/, 2],
  ];
  for (const [words, message, exitCode = 1] of cases) {
    const { code, out, error } = await explain(...words);
    assert.deepEqual([code, out], [exitCode, '']);
    assert.match(error, message);
  }
  assert.match(
    (await chain.command('empty', 'explain', WALLET)).error,
    /^hubledger: nothing is published in [^\n]+\n$/,
  );
});

test('a basis that is unknown is not shown as 0.00', () => {
  const { rules } = loadReference();
  const lotsOf = (...rows: PricedEvent[]) => {
    const books = booksAround(rows.at(-1)!, rows, undefined, rules);
    const text = describe({ row: rows.at(-1)!, origin: undefined, prices: [], unreached: [], books }, rules);
    return text
      .split('\n')
      .find((line) => line.includes('after it:'))!
      .trim();
  };
  assert.equal(lotsOf(receipt(1)), 'after it: 20 ATOM in 1 lot, basis unknown');
  const reward = { received_amount: 5_000_000n, received_denom: 'uatom', received_price: 12_000_000n };
  assert.equal(
    lotsOf(receipt(1), makeEvent(2, '2026-02-11', 'staking_reward', reward)),
    'after it: 25 ATOM in 2 lots, basis 60.00 USD and unknown for 20 ATOM',
  );
});

test('text of users cannot control the terminal', () => {
  const [clearScreen, rightToLeft] = ['\u001b[2J', '\u202e'];
  assert.equal(quoted(`a${clearScreen}${rightToLeft}b\nc\u009b`), '"a\\u001b[2J\\u{202e}b\\nc\\u{9b}"');
  assert.equal(quoted('é 漢字 🦀'), '"é 漢字 🦀"');
  assert.ok(quoted('x'.repeat(5000)).length < 1100);
  assert.equal(
    messageJson({ amount: 5n, data: new Uint8Array([1, 2]), note: rightToLeft }),
    '{"amount":"5","data":"AQI=","note":"\\u{202e}"}',
  );
});
