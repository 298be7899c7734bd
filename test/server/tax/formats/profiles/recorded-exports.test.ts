/** Exports of every fourth wallet of the sample chain, at night of all: plain, and with a statement about every transfer. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { formatCents, parseDecimal } from '../../../../../pipeline/base/values/amount.js';
import { readManifest, tableFiles } from '../../../../../pipeline/publish/generation.js';
import type {
  AssetReview,
  EventList,
  Form8949,
  Form8949Total,
  Journal,
  Summary,
  TransferredBasis,
} from '../../../../../schemas/types.generated.js';
import { IMPORTERS } from '../../../../../server/tax/formats/profiles/importers/index.js';
import { openDatabase } from '../../../../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../../../../pipeline/night-case.js';
import { IS_NIGHT, programs } from '../../../../requirements.js';
import { askByPost, bodyOf, heldBefore, inRequests, statementsOf } from '../../../endpoints/summary/statements.js';
import { startServer, type TestServer } from '../../../harness.js';
import { posting } from '../../../people/accounts/signed-in.js';
import { ownTags, requireOwnSends, sendsOf } from './own-sends.js';
import { type ReadBooks, readBeancount, readHledger } from './read-books.js';
import { requireTemplate } from './templates.js';

const chain = new NightCase(SAMPLE_CHAIN);
let server: TestServer;
let wallets: readonly string[];
before(async () => {
  const { generation } = await chain.published('data');
  const folder = chain.path('data/generations', generation);
  const database = await openDatabase();
  await database.attach('priced_events', tableFiles(folder, readManifest(folder), 'priced_events'));
  const rows = await database.all<{ address: string }>('select distinct address from priced_events order by address');
  wallets = rows.map(({ address }) => address).filter((_, i) => IS_NIGHT || i % 4 === 0);
  database.close();
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  chain.remove();
});

/** Asks for a file. @param members of the body */
async function file(path: string, members: Record<string, unknown>): Promise<string> {
  const answer = await fetch(`${server.base}/api/tax/v1/${path}`, posting(members));
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 300));
  return text;
}

const ask = askByPost(() => server.base);

test('files for every importer fit its template, with the words of all tags among them', async () => {
  for (const group of inRequests(wallets)) {
    const { tags, asset_decisions, opening_lots } = await statementsOf(
      ask,
      group,
      heldBefore(server, { address: group.join(',') }),
    );
    const decided = { address: group, assetDecisions: JSON.parse(asset_decisions) };
    for (const profile of Object.keys(IMPORTERS)) {
      const rowsOf = async (members: object) => {
        const texts = await server.texts('/api/tax/v1/events', posting({ ...decided, profile, ...members }));
        return texts.flatMap((text) => requireTemplate(profile, text));
      };
      const plain = await rowsOf({});
      const tagged = await rowsOf({ userTags: JSON.parse(tags), opening: 'none' });
      const openingLots = JSON.parse(opening_lots);
      const opened = await rowsOf({ openingLots });
      assert.equal(opened.length, plain.length + openingLots.length);
      assert.ok(plain.length >= tagged.length && tagged.length > 0);
    }
  }
});

test("every wallet's sends that are answered as own are moves with their hash and receiver, for every importer", async () => {
  let count = 0;
  for (const address of wallets) {
    const { records } = await ask<AssetReview>('asset-review', { address });
    const assetDecisions = Object.fromEntries(records.map(({ record_id }) => [record_id, { mode: 'keep' }]));
    const query = { address, asset_decisions: JSON.stringify(assetDecisions) };
    const sends = sendsOf((await ask<EventList>('events', query)).events);
    const userTags = ownTags(sends);
    for (const profile of Object.keys(IMPORTERS))
      requireOwnSends(profile, await file('events', { address, profile, assetDecisions, userTags }), sends);
    count += sends.length;
  }
  assert.ok(count > 300, `${count} sends`);
});

test('the lots of sends to own places tie to the journal, also where coins come home', async () => {
  let [sends, returned] = [0, 0];
  for (const group of inRequests(wallets)) {
    const held = heldBefore(server, { address: group.join(',') });
    const { opening_lots, tags, ...given } = await statementsOf(ask, group, held);
    const { events } = await ask<EventList>('events', { address: group.join(','), ...given });
    const own = { ...JSON.parse(tags), ...ownTags(sendsOf(events)) };
    const query = { address: group.join(','), ...given, opening_lots, tags: JSON.stringify(own) };
    const { lines } = await ask<TransferredBasis>('transferred-basis', query);
    const journal = await ask<Journal>('journal', { ...query, format: 'json' });
    const booked = new Map<string, bigint>();
    let away = 0n;
    for (const { account, entry_id, debit_usd, credit_usd } of journal.lines) {
      if (account !== 'Equity: Own-Wallet Transfers') continue;
      away += cents(debit_usd) - cents(credit_usd);
      const row = entry_id.slice(0, entry_id.lastIndexOf('-'));
      if (debit_usd !== '') booked.set(row, cents(debit_usd));
      else returned++;
    }
    const listed = new Map<string, bigint>();
    for (const { row, cost_basis_usd } of lines) listed.set(row, (listed.get(row) ?? 0n) + cents(cost_basis_usd ?? ''));
    for (const [row, cost] of listed) assert.equal(cost, booked.get(row), row);
    const home = lines.filter(({ quantity, returned }) => quantity === returned);
    const left = lines.filter(({ returned }) => returned === '0');
    const costOf = (some: typeof lines) => some.reduce((sum, line) => sum + cents(line.cost_basis_usd ?? ''), 0n);
    assert.ok(away >= costOf(left) && away <= costOf(lines) - costOf(home), group.join(','));
    sends += listed.size;
  }
  assert.ok(sends > 100 && returned > 10, `${sends} sends, ${returned} returns`);
});

const cents = (usd: string) => parseDecimal(usd === '' ? '0' : usd, 2);

test('Xero gets files of at most 300 lines, and QuickBooks a number for each entry, for every wallet', async () => {
  const asked = { assetDecisions: { '*': { mode: 'exclude' } } };
  const numbers = new Map<string, string>();
  for (const address of wallets) {
    const quickbooks = requireTemplate(
      'quickbooks',
      await file('journal', { ...asked, address, profile: 'quickbooks' }),
    );
    for (const row of quickbooks) {
      const [number, entry] = [row['Journal No']!, row.Description!.split('; ').at(-1)!];
      assert.equal(numbers.get(number) ?? entry, entry);
      numbers.set(number, entry);
    }
    const sums = new Map<string, bigint>();
    let lines = 0;
    for (let part = 1, parts = 1; part <= parts; part++) {
      const answer = await fetch(
        `${server.base}/api/tax/v1/journal`,
        posting({ ...asked, address, profile: 'xero', part }),
      );
      parts = Number(answer.headers.get('x-parts'));
      const rows = requireTemplate('xero', await answer.text());
      assert.ok(rows.length < 300);
      const narrations = new Set(rows.map(({ Narration }) => Narration!));
      assert.ok([...narrations].every((narration) => !sums.has(narration)));
      for (const { Narration, Amount } of rows)
        sums.set(Narration!, (sums.get(Narration!) ?? 0n) + parseDecimal(Amount!, 2));
      lines += rows.length;
    }
    assert.equal(lines, quickbooks.length, address);
    assert.ok([...sums.values()].every((sum) => sum === 0n));
  }
  assert.ok(numbers.size > 500);
});

/** Reads a file and prints its failures and the coins whose balance is negative after some row. */
const AUDIT_BITTYTAX = `
import json, sys
from bittytax.audit import AuditRecords
from bittytax.import_records import ImportRecords
records = ImportRecords()
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    records.import_csv(file)
log = AuditRecords(records.get_records()).audit_log
short = sorted({entry.wallet + ' ' + asset for asset in log for entry in log[asset] if entry.balance < 0})
print()
print(json.dumps([records.failure_cnt, sum(len(log[asset]) for asset in log), short]))`;

for (const python of programs('readers')) {
  test('BittyTax audits the files of all wallets, and no balance is negative', async () => {
    for (const group of inRequests(wallets)) {
      const members = { address: group, profile: 'bittytax', assetDecisions: { '*': { mode: 'exclude' } } };
      writeFileSync(chain.path('events.csv'), await file('events', members));
      const words = ['-c', AUDIT_BITTYTAX, chain.path('events.csv')];
      const { stdout } = await promisify(execFile)(python, words, { maxBuffer: 2 ** 28 });
      const [failures, entries, negative] = JSON.parse(stdout.trim().split('\n').at(-1)!);
      assert.deepEqual([failures, negative], [0, []]);
      assert.ok(entries > 0);
    }
  });
}

/** Coins by commodity, as the file's own declarations tell them. */
const COMMODITIES = {
  hledger: /^commodity 1000\.0* "?([\w-]+)"? {2}; denom:(.+)$/gm,
  beancount: /^\d{4}-\d\d-\d\d commodity ([\w-]+)\n {2}denom: "(.+)"$/gm,
};

interface Held {
  readonly address: string;
  readonly denom: string;
  readonly quantity: string;
  readonly opening_quantity: string;
  readonly cost_basis_usd: string;
}

/** Holds what a program reads against /positions and the journal. */
function requireBooks(books: ReadBooks, text: string, profile: keyof typeof COMMODITIES, expected: Expected): void {
  const denoms = new Map([...text.matchAll(COMMODITIES[profile])].map(([, commodity, denom]) => [denom!, commodity!]));
  const seen = new Set<string>();
  for (const { address, denom, quantity, opening_quantity, cost_basis_usd } of expected.positions) {
    const commodity = denoms.get(denom)!;
    const account = `Assets:DigitalAssets:${commodity}:W${address.slice(7, 15)}`;
    const message = `${profile} ${address} ${denom}`;
    assert.equal(books.quantities.get(`${account} ${commodity}`) ?? '0', quantity, message);
    assert.equal(books.quantities.get(`${account}:BeforeIndex ${commodity}`) ?? '0', opening_quantity, message);
    assert.equal(books.costs.get(account) ?? '0.00', cost_basis_usd === '' ? '0.00' : cost_basis_usd, message);
    for (const name of [account, `${account}:BeforeIndex`]) seen.add(`${name} ${commodity}`);
  }
  const others = [...books.quantities.keys()].filter((key) => /^Assets:DigitalAssets:(?!Deposits)/.test(key));
  assert.deepEqual(
    others.filter((key) => !seen.has(key)),
    [],
  );
  const gain = formatCents(-expected.gain).replace(/\.?0+$/, '');
  assert.equal(books.quantities.get('Income:RealizedGains USD') ?? '0', gain === '' ? '0' : gain);
}

interface Expected {
  readonly positions: readonly Held[];
  /** Cents that the journal credits to Realized Gain/Loss. */
  readonly gain: bigint;
}

/** Asks for cents that the journal credits to Realized Gain/Loss. */
async function realizedIn(query: Record<string, string>): Promise<bigint> {
  const { lines } = await ask<Journal>('journal', { ...query, format: 'json' });
  const cents = (text: string) => parseDecimal(text === '' ? '0' : text, 2);
  return lines
    .filter(({ account }) => account === 'Realized Gain/Loss')
    .reduce((sum, { debit_usd, credit_usd }) => sum + cents(credit_usd) - cents(debit_usd), 0n);
}

/** Asks for positions at the end of the index, and for what is realized by then. */
async function expectedOf(query: Record<string, string>): Promise<Expected> {
  const { positions } = await ask<{ positions: Held[] }>('positions', { ...query, date: '2026-04-15' });
  return { positions, gain: await realizedIn(query) };
}

test("Form 8949's totals are the journal's realized gains and tie to the summary, for every wallet and a part of the year", async () => {
  const excluded = { asset_decisions: JSON.stringify({ '*': { mode: 'exclude' } }) };
  const cents = (text: string) => parseDecimal(text === '' ? '0' : text, 2);
  for (const address of wallets) {
    for (const range of [{}, { start: '2026-02-10', end: '2026-03-20' }]) {
      const query = { address, ...excluded, ...range };
      const { totals, rows } = await ask<Form8949>('journal', { ...query, format: 'json', profile: 'form8949' });
      const [short, long, unknown, unpriced] = totals as [Form8949Total, Form8949Total, Form8949Total, Form8949Total];
      const { disposed } = (await ask<Summary>('summary', query)).total;
      const realized = await realizedIn(query);
      assert.equal(cents(short.gain_usd) + cents(long.gain_usd), realized, address);
      assert.deepEqual(
        [short.gain_usd, long.gain_usd, unknown.proceeds_usd].map(cents),
        [disposed.gain_short_usd, disposed.gain_long_usd, disposed.proceeds_basis_unknown_usd].map(cents),
        address,
      );
      if (rows.some(({ proceeds_usd, cost_basis_usd }) => proceeds_usd === '' && cost_basis_usd === ''))
        assert.equal(unpriced.cost_basis_usd, '', address);
      else assert.equal(cents(unpriced.cost_basis_usd), cents(disposed.cost_without_price_usd), address);
      const [proceeds, cost] = [disposed.proceeds_usd, disposed.cost_usd].map(cents);
      assert.equal(cents(short.proceeds_usd) + cents(long.proceeds_usd) + cents(unknown.proceeds_usd), proceeds);
      assert.equal(cents(short.cost_basis_usd) + cents(long.cost_basis_usd), cost);
    }
  }
});

const READERS = {
  beancount: [programs('readers'), readBeancount],
  hledger: [programs('hledger'), readHledger],
} as const;

for (const [profile, [found, read]] of Object.entries(READERS)) {
  for (const program of found) {
    test(`${profile} reads every wallet's books without a word, and holds what /positions says`, async () => {
      for (const group of inRequests(wallets)) {
        const statements = await statementsOf(ask, group, heldBefore(server, { address: group.join(',') }));
        const plain = { tags: '{}', opening_lots: '[]', asset_decisions: statements.asset_decisions };
        const carried = { ...statements, tags: '{}', own_wallets: 'carry' };
        for (const [stated, by] of [
          [plain, {}],
          [statements, {}],
          [carried, {}],
          [plain, { group: 'day' }],
          [statements, { group: 'month' }],
        ] as const) {
          const query = { address: group.join(','), ...stated };
          const text = await file('journal', bodyOf({ ...query, ...by, profile }));
          const books = await read(program, chain.path(`books.${profile}`), text);
          assert.doesNotMatch(text, /Equity:Rounding/);
          requireBooks(books, text, profile as keyof typeof READERS, await expectedOf(query));
        }
      }
    });

    test(`${profile} reads a part of the year, which begins with what lay there`, async () => {
      const [address] = inRequests(wallets)[1]!;
      const group = inRequests(wallets)[1]!.join(',');
      assert.ok(address);
      const query = { address: group, asset_decisions: JSON.stringify({ '*': { mode: 'exclude' } }) };
      const range = { start: '2026-02-01', end: '2026-03-31' };
      const text = await file('journal', bodyOf({ ...query, ...range, profile }));
      const { positions } = await ask<{ positions: Held[] }>('positions', { ...query, date: range.end });
      const gain = await realizedIn({ ...query, ...range });
      const books = await read(program, chain.path(`part.${profile}`), text);
      requireBooks(books, text, profile as keyof typeof READERS, { positions, gain });
    });
  }
}
