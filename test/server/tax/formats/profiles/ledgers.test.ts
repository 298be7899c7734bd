/** Profiles of /journal, in the programs that read them and against the answers of /journal and /positions. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseDecimal } from '../../../../../pipeline/base/values/amount.js';
import { addDays } from '../../../../../pipeline/base/values/day.js';
import { noDecisions } from '../../../../../pipeline/books/ledger/decisions.js';
import { loadReference } from '../../../../../pipeline/reference.js';
import type { Journal, PricedEvent } from '../../../../../schemas/types.generated.js';
import type { Answer } from '../../../../../server/http/answer.js';
import type { Stated } from '../../../../../server/tax/dataset/wallet-ledger.js';
import { FORM_8949 } from '../../../../../server/tax/formats/profiles/form8949/form-answer.js';
import { codeOf, LEDGERS, ledgerAnswer } from '../../../../../server/tax/formats/profiles/ledgers/ledger-answer.js';
import { NOTATIONS, plainText } from '../../../../../server/tax/formats/profiles/ledgers/plain-text.js';
import { journalAccounts } from '../../../../../server/tax/parameters/account-map.js';
import { PARAMETERS } from '../../../../../server/tax/parameters/parameter-schemas.js';
import { makeEvent } from '../../../../books/ledger/wallets.js';
import { startServer, type TestServer, WALLETS } from '../../../harness.js';
import { memoryDataset } from '../../../memory-dataset.js';
import { parseCsv, parseTable } from '../../../parse-csv.js';
import { posting } from '../../../people/accounts/signed-in.js';

let server: TestServer;
let folder: string;
before(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'hubledger-books-'));
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const YEAR = { start: '2026-01-01', end: '2026-12-31' };

async function exported(profile: string, query: Record<string, string> = {}): Promise<string> {
  const asked = new URLSearchParams({ address: WALLETS.light, profile, ...query });
  const { status, text } = await server.ask(`/api/tax/v1/journal?${asked}`);
  assert.equal(status, 200, text);
  return text;
}

async function allLinesOf(query: Record<string, string> = {}) {
  const asked = new URLSearchParams({ address: WALLETS.light, format: 'json', ...query });
  return (await server.ask(`/api/tax/v1/journal?${asked}`)).json<Journal>().lines;
}

const journalOf = async (query: Record<string, string> = {}) =>
  (await allLinesOf(query)).filter(({ debit_usd, credit_usd }) => debit_usd + credit_usd !== '0.00');

const cents = (text: string) => parseDecimal(text === '' ? '0' : text, 2);

test('the parameter offers the ledgers and the form', () => {
  const profiles = [...LEDGERS, FORM_8949].map(({ profile }) => profile);
  assert.deepEqual(PARAMETERS.journal_profile.schema.enum, profiles);
});

test('tables that have no column or no rate for a currency are described as of US dollars', () => {
  for (const { profile, description } of LEDGERS)
    assert.equal(/ an entry in US dollars[,;]/.test(description), !['hledger', 'beancount'].includes(profile), profile);
});

test('every account of the journal has a code, and no two have the same', () => {
  const accounts = [...journalAccounts(loadReference().rules), 'Digital Assets: ATOM'];
  assert.deepEqual(
    accounts.filter((account) => codeOf(account) === undefined),
    [],
  );
  assert.equal(new Set(accounts.map(codeOf)).size, accounts.length);
});

test('QuickBooks: the lines of the journal, which balance entry by entry', async () => {
  const rows = parseTable(await exported('quickbooks'));
  const header = 'Journal No,Journal Date,Account Name,Description,Debits,Credits,Name';
  assert.equal((await exported('quickbooks')).split('\r\n')[0], header);
  assert.deepEqual(
    rows.map((row) => [row.Description!.split('; ').at(-1), row['Account Name'], row.Debits, row.Credits]),
    (await journalOf()).map((line) => [
      line.entry_id,
      line.account.replace(': ', ':'),
      line.debit_usd,
      line.credit_usd,
    ]),
  );
  for (const row of rows) assert.match(row['Journal Date']!, /^\d\d\/\d\d\/\d{4}$/);
  const numbers = rows.map((row) => row['Journal No']);
  assert.equal(new Set(numbers).size * 2, rows.length);
  for (let i = 0; i < rows.length; i += 2) assert.equal(numbers[i], numbers[i + 1]);
  const ids = new Set((await journalOf()).map(({ entry_id }) => entry_id));
  for (const number of numbers) if (!/^\d+-[0-9a-f]{12,}$/.test(number!)) assert.ok(ids.has(number!), number);
});

test('QuickBooks: a name of 100 characters, also of a token whose denom is longer, and no two with the same', () => {
  const denoms = ['a', 'b'].map((token) => `factory/cosmos1${'q'.repeat(58)}/${'x'.repeat(40)}${token}`);
  const receipts = [denoms[0]!, denoms[1]!, denoms[0]!].map((received_denom, i) =>
    makeEvent(i + 1, '2026-01-05', 'staking_reward', { ...REWARD, received_denom }),
  );
  const names = rowsOf('quickbooks', receipts).flatMap((row) => (row.Debits === '' ? [] : [row['Account Name']!]));
  assert.deepEqual(
    names.map((text) => text.length),
    [100, 100, 100],
  );
  assert.ok(names.every((text) => text.startsWith('Digital Assets:factory/cosmos1qqq')));
  assert.deepEqual([names[0] === names[1], names[0] === names[2]], [false, true]);
});

test('QuickBooks: a number of 21 characters, also of an entry whose id is longer', async () => {
  const numbersOf = (...ids: string[]) => {
    const rewards = ids.map((id) => ({ ...makeEvent(29_123_456, '2026-01-05', 'staking_reward', REWARD), id }));
    return [...new Set(rowsOf('quickbooks', rewards).map((row) => row['Journal No']!))];
  };
  const numbers = numbersOf('29123456-block-1234-0-out-10', '29123456-block-1234-0-out-11');
  for (const number of numbers) assert.match(number, /^\d+-[0-9a-f]{12,}$/);
  assert.deepEqual(
    numbers.map(({ length }) => length),
    [21, 21],
  );
  const ids = Array.from({ length: 20_000 }, (_, i) => `29123456-block-1234-0-out-10-${i}`);
  assert.equal(numbersOf(...ids).length, ids.length, 'no two entries of a block have the same number');
});

test('Xero: codes, and amounts that add up to nothing for every narration', async () => {
  const text = await exported('xero');
  assert.equal(text.split('\r\n')[0], 'Narration,Date,AccountCode,TaxRate,Description,Amount');
  const sums = new Map<string, bigint>();
  for (const { Narration, Date: day, Amount, AccountCode, TaxRate } of parseTable(text)) {
    assert.match(day!, /^\d\d [A-Z][a-z]{2} \d{4}$/);
    sums.set(Narration!, (sums.get(Narration!) ?? 0n) + cents(Amount!));
    assert.match(`${AccountCode} ${TaxRate}`, /^\d{4} NONE$/);
  }
  assert.ok(sums.size > 0 && [...sums.values()].every((sum) => sum === 0n));
  assert.deepEqual(
    parseTable(text).map(({ Date: day }) => new Date(`${day} UTC`).toISOString().slice(0, 10)),
    (await journalOf()).map(({ date_utc }) => date_utc.slice(0, 10)),
  );
});

describe('entries of a day or month', () => {
  const isIn = (part: string) => (line: { readonly date_utc: string }) => line.date_utc.startsWith(part);
  const sums = (lines: Journal['lines'], length: number) => {
    const found = new Map<string, readonly [cents: bigint, quantity: bigint]>();
    for (const line of lines) {
      const key = [line.date_utc.slice(0, length), line.account, line.asset, line.category].join(' | ');
      const [money, units] = found.get(key) ?? [0n, 0n];
      const quantity = line.quantity === '' ? 0n : parseDecimal(line.quantity, 18);
      const isDebit = line.debit_usd !== '';
      found.set(key, [
        money + cents(line.debit_usd) - cents(line.credit_usd),
        isDebit ? units + quantity : units - quantity,
      ]);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  };

  for (const [group, length] of [
    ['day', 10],
    ['month', 7],
  ] as const) {
    test(`${group}: the sums of the journal by account, asset and category, in balanced entries`, async () => {
      const address = `${WALLETS.busy},${WALLETS.light}`;
      const [each, grouped] = [await allLinesOf({ address }), await allLinesOf({ address, group })];
      assert.ok(grouped.length < each.length, `${grouped.length} of ${each.length}`);
      assert.deepEqual(sums(grouped, length), sums(each, length));
      for (let i = 0; i < grouped.length; i += 2) {
        const [debit, credit] = [grouped[i]!, grouped[i + 1]!];
        assert.deepEqual([debit.entry_id, debit.debit_usd], [credit.entry_id, credit.credit_usd]);
        assert.equal(debit.entry_id.length, 21);
      }
      assert.equal(new Set(grouped.map(({ entry_id }) => entry_id)).size * 2, grouped.length);
    });
  }

  test('a month ends with the range, and the range chooses the same entries', async () => {
    const range = { start: '2026-01-02', end: '2026-01-20' };
    const days = new Set((await journalOf({ ...range, group: 'month' })).map(({ date_utc }) => date_utc));
    assert.deepEqual([...days], ['2026-01-20 23:59:59']);
    const whole = await journalOf({ group: 'month' });
    assert.deepEqual(
      (await journalOf({ start: '2026-01-01', end: '2026-01-31', group: 'month' })).map((line) => line.entry_id),
      whole.filter(isIn('2026-01')).map((line) => line.entry_id),
    );
  });

  test('QuickBooks, Xero and DATEV book the same entries', async () => {
    const lines = await journalOf({ group: 'month', ...YEAR });
    const ids = [...new Set(lines.map(({ entry_id }) => entry_id))];
    const ofFile = async (profile: string, column: string) =>
      new Set(parseTable(await exported(profile, { group: 'month', ...YEAR })).map((row) => row[column]));
    assert.deepEqual([...(await ofFile('quickbooks', 'Journal No'))], ids);
    assert.deepEqual([...(await ofFile('xero', 'Narration'))], ids);
    const datev = (await exported('datev', { group: 'month', ...YEAR })).split('\r\n').slice(2, -1);
    assert.equal(datev.length, ids.length);
  });

  test('Form 8949 has no groups, and other profiles no sums of fees: both are reported', async () => {
    const ignored = async (query: Record<string, string>) => {
      const asked = new URLSearchParams({ address: WALLETS.light, format: 'json', ...query });
      return (await server.ask(`/api/tax/v1/journal?${asked}`)).json<{ ignored?: string[] }>().ignored;
    };
    assert.deepEqual(await ignored({ profile: 'form8949', group: 'day', fees: 'daily' }), ['group']);
    assert.deepEqual(await ignored({ group: 'day', fees: 'daily' }), ['fees']);
  });
});

/** Programs that limit the lines of a file, with the column of their entries' ids, and the lines of headings. */
const SPLIT = [
  ['quickbooks', 1000, (row: Record<string, string>) => row.Description!.split('; ').at(-1)!],
  ['xero', 300, (row: Record<string, string>) => row.Narration!],
] as const;

for (const [profile, linesMax, idOf] of SPLIT) {
  test(`${profile}: a long journal is an archive of files of at most ${linesMax} lines, and part is one of them`, async () => {
    const path = `/api/tax/v1/journal?address=${WALLETS.big},${WALLETS.busy}&profile=${profile}`;
    const { files, headers } = await server.archive(path);
    assert.ok(files.length > 1);
    assert.match(headers.get('content-disposition')!, new RegExp(`journal-${profile}-\\w{8}-and-1-more-.*\\.zip"$`));
    const all: string[] = [];
    for (const [i, [name, text]] of files.entries()) {
      const part = await server.ask(`${path}&part=${i + 1}`);
      assert.deepEqual([part.text, part.headers.get('x-parts')], [text, String(files.length)]);
      assert.match(part.headers.get('content-disposition')!, new RegExp(`"${name}"$`));
      assert.match(name, new RegExp(`-part-0*${i + 1}-of-${files.length}\\.csv$`));
      assert.ok(text.trimEnd().split('\r\n').length <= linesMax);
      const ids = parseTable(text).map(idOf);
      for (let k = 0; k < ids.length; k += 2) assert.equal(ids[k], ids[k + 1]);
      all.push(...ids);
    }
    const journal = await journalOf({ address: `${WALLETS.big},${WALLETS.busy}` });
    assert.deepEqual(
      all,
      journal.map(({ entry_id }) => entry_id),
    );
    const beyond = await server.ask(`${path}&part=${files.length + 1}`);
    const [fault] = beyond.json<{ errors: { path: string; message: string }[] }>().errors;
    const message = `the journal is ${files.length} files: ask for part 1 to ${files.length}`;
    assert.deepEqual([beyond.status, fault], [400, { path: 'part', message }]);
  });
}

const REWARD = { received_amount: 1_000_000n, received_denom: 'uatom', received_price: 1_000_000n };

const linesOf = (chunks: Iterable<string>) => [...chunks].join('').trimEnd().split('\r\n');

/** Makes the files of a wallet in memory. Reads each file before the next. */
function filesOf(answer: Answer): [name: string, lines: string[]][] {
  if ('chunks' in answer) return [['', linesOf(answer.chunks)]];
  assert.ok('files' in answer);
  const files = Array.from(answer.files, ({ name, chunks }): [string, string[]] => [name, linesOf(chunks)]);
  assert.equal(files.length, answer.parts);
  return files;
}

function statedFor(profile: string, more: Partial<Stated> = {}): Stated {
  const range = { ...YEAR, from: '2026-01-01 00:00:00', to: '2026-12-31 23:59:59' };
  const stated = {
    addresses: ['A'],
    range,
    accounts: new Map(),
    decisions: noDecisions,
    openingLots: [],
    method: 'fifo',
    group: '',
  };
  return { ...stated, profile, ...more } as unknown as Stated;
}

/** Returns the rows of a program's file. */
const rowsOf = (profile: string, events: readonly PricedEvent[]) =>
  filesOf(ledgerAnswer(statedFor(profile), memoryDataset({ A: events }))).flatMap(([, lines]) =>
    parseTable(`${lines.join('\r\n')}\r\n`),
  );

test('Xero: tax rate and groups hold in each part, and no entry is lost', () => {
  const days = Array.from({ length: 100 }, (_, i) => addDays('2026-01-01', i));
  const categories = ['staking_reward', 'staking_reward', 'validator_commission'];
  const rewards = days.flatMap((day, i) =>
    categories.map((category, k) => makeEvent(3 * i + k + 1, day, category, REWARD)),
  );
  const stated = statedFor('xero', { group: 'day', taxRate: 'Tax Exempt' });
  const files = filesOf(ledgerAnswer(stated, memoryDataset({ A: rewards })));
  assert.deepEqual(
    files.map(([, lines]) => lines.length),
    [299, 103],
  );
  const rows = files.flatMap(([, lines]) => parseTable(`${lines.join('\r\n')}\r\n`));
  assert.deepEqual([...new Set(rows.map(({ TaxRate }) => TaxRate))], ['Tax Exempt']);
  assert.deepEqual(
    rows.map(({ Amount }) => Amount),
    days.flatMap(() => ['2.00', '-2.00', '1.00', '-1.00']),
  );
});

test('DATEV: files of at most 99,999 entries, each with its own header, which together are the journal', () => {
  const rewards = Array.from({ length: 100_001 }, (_, i) => makeEvent(i + 1, '2026-01-05', 'staking_reward', REWARD));
  const dataset = memoryDataset({ A: rewards });
  const files = filesOf(ledgerAnswer(statedFor('datev'), dataset));
  assert.deepEqual(
    files.map(([name, lines]) => [name, lines.length - 2]),
    [
      ['EXTF_journal-datev-A-2026-01-01-2026-12-31-part-1-of-2.csv', 99_999],
      ['EXTF_journal-datev-A-2026-01-01-2026-12-31-part-2-of-2.csv', 2],
    ],
  );
  const [[, first], [, second]] = files as [(typeof files)[0], (typeof files)[0]];
  assert.deepEqual(first.slice(0, 2), second.slice(0, 2));
  const entries = [...first.slice(2), ...second.slice(2)];
  assert.equal(new Set(entries).size, rewards.length);
  assert.ok(entries.every((line) => line.startsWith('1,00;')));
  const last = ledgerAnswer(statedFor('datev', { part: 2 }), dataset);
  assert.equal('chunks' in last && [...last.chunks].join(''), `${second.join('\r\n')}\r\n`);
});

test('Xero: the name of the tax rate', async () => {
  const rates = parseTable(await exported('xero', { tax_rate: 'Tax Exempt (0%)' })).map(({ TaxRate }) => TaxRate);
  assert.deepEqual([...new Set(rates)], ['Tax Exempt (0%)']);
  const { headers } = await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&tax_rate=x&part=1`);
  assert.equal(headers.get('x-ignored-parameters'), 'tax_rate, part');
  assert.equal((await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&profile=xero&part=0`)).status, 400);
});

test('DATEV: a header, then an entry a line with amount, sides and day, within one year', async () => {
  const [header, headings, ...lines] = (await exported('datev', YEAR)).trimEnd().split('\r\n');
  assert.match(
    header!,
    /^"EXTF";700;21;"Buchungsstapel";13;\d{17};;"";"";"";1001;1;20260101;4;20260101;20261231;"hubledger";/,
  );
  assert.equal(header!.split(';').length, 31);
  const cells = lines.map((line) => line.split(';').map((cell) => cell.replace(/^"|"$/g, '')));
  assert.ok(cells.every((row) => row.length === headings!.split(';').length));
  const debits = (await journalOf(YEAR)).filter(({ debit_usd }) => debit_usd !== '');
  assert.deepEqual(
    cells.map(([amount, side, currency, , , , , , , day, id]) => [amount, side, currency, day, id]),
    debits.map(({ debit_usd, date_utc, entry_id }) => [
      debit_usd.replace('.', ','),
      'S',
      'USD',
      date_utc.slice(8, 10) + date_utc.slice(5, 7),
      entry_id,
    ]),
  );
  const years = await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&profile=datev`);
  assert.equal(years.status, 400);
  assert.match(years.text, /"path":"profile","message":"is for one calendar year/);
});

test('DATEV: the name and the first bytes by which it takes a file and reads its letters', async () => {
  const asked = new URLSearchParams({ address: WALLETS.light, profile: 'datev', ...YEAR });
  const response = await fetch(`${server.base}/api/tax/v1/journal?${asked}`);
  const name = /filename="EXTF_journal-datev-\w{8}-2026-01-01-2026-12-31\.csv"$/;
  assert.match(response.headers.get('content-disposition')!, name);
  assert.equal(Buffer.from(await response.arrayBuffer()).toString('hex', 0, 3), 'efbbbf');
});

test('DATEV: accounts have the digits that the header says, so that none is taken for a debtor or creditor', async () => {
  const accounts = JSON.stringify({ 'Digital Assets: ATOM': '15990', 'Expense: Network Fees': '68550' });
  const [header, , ...lines] = (await exported('datev', { ...YEAR, accounts })).trimEnd().split('\r\n');
  assert.equal(header!.split(';')[13], '5');
  const numbers = new Set(lines.flatMap((line) => line.split(';').slice(6, 8)));
  assert.ok(
    ['15990', '68550', '89920'].every((number) => numbers.has(number)),
    [...numbers].join(),
  );
  assert.ok([...numbers].every((number) => number.length === 5));
});

test('DATEV: coins that become shares stay in one account, unless a map has one for each', () => {
  const share = 'cosmosvaloper1sjllsnramtg3ewxqwwrwjxfgc4n4ef9u2lcnj0/1';
  const events = [
    makeEvent(1, '2026-01-05', 'staking_reward', {
      ...{ received_amount: 10_000_000n, received_denom: 'uatom', received_price: 10_000_000n },
    }),
    makeEvent(2, '2026-02-10', 'tokenize_shares', {
      ...{ sent_amount: 4_000_000n, sent_denom: 'uatom', received_amount: 4_000_000n, received_denom: share },
    }),
  ];
  const accountsOf = (accounts: ReadonlyMap<string, string>) =>
    filesOf(ledgerAnswer(statedFor('datev', { accounts }), memoryDataset({ A: events })))
      .flatMap(([, lines]) => lines.slice(2))
      .map((line) => line.split(';').slice(6, 8));
  assert.deepEqual(accountsOf(new Map()), [['1590', '8992']]);
  assert.deepEqual(accountsOf(new Map([[`Digital Assets: ${share}`, '1599']]))[1], ['1599', '1590']);
});

test('a map of accounts names them, also where all wallets share it', async () => {
  const accounts = { 'Income: Staking Rewards': 'Income:Crypto:Staking', 'Digital Assets: ATOM': 'Assets:Crypto:Atom' };
  const body = { address: [WALLETS.light, WALLETS.busy], profile: 'beancount', accounts };
  const { status, text } = await server.ask('/api/tax/v1/journal', posting(body));
  assert.equal(status, 200);
  assert.match(text, /Assets:Crypto:Atom:W/);
  assert.doesNotMatch(text, /Income:StakingRewards|DigitalAssets:ATOM/);
});

test('a map of accounts is checked, each fault with its place', async () => {
  const accounts = {
    'Income: Rewards': '1',
    'Income: Other': 12,
    'Realized Gain/Loss': 'gains',
    'Loss: Slashing': '4711',
  };
  const asked = posting({ address: WALLETS.light, profile: 'datev', accounts });
  const refused = await server.ask('/api/tax/v1/journal', asked);
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.json<{ errors: { path: string; message: string }[] }>().errors.map(({ path, message }) => [path, message]),
    [
      ['accounts/Income: Rewards', 'is not a journal account'],
      ['accounts/Income: Other', 'must be an account number of 4 to 8 digits'],
      ['accounts/Realized Gain~1Loss', 'must be an account number of 4 to 8 digits'],
    ],
  );
  const unasked = await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&accounts={"Income: Other":"1"}`);
  assert.match(unasked.text, /"path":"accounts","message":"needs a profile/);
});

test('days before the index have no transaction, also of a wallet that held coins then', () => {
  const dataset = memoryDataset({}, undefined, { A: new Map([['uatom', 5n]]) });
  const lines = (start: string, end: string) => {
    const range = { start, end, from: `${start} 00:00:00`, to: `${end} 23:59:59` };
    const stated = {
      addresses: ['A'],
      range,
      accounts: new Map(),
      decisions: noDecisions,
      openingLots: [],
      method: 'fifo',
    };
    const text = [...plainText(NOTATIONS.hledger!, stated as unknown as Stated, dataset)].join('');
    return text.split('\n').filter((line) => / \* /.test(line));
  };
  assert.deepEqual(lines('2025-01-01', '2025-12-31'), ['2025-12-31 * Opening balances']);
  assert.deepEqual(lines('2025-01-01', '2025-12-30'), []);
});

test('a range begins with a coin whose name has a blank', () => {
  const receipt = { received_amount: 7n, received_denom: 'factory/x' };
  const dataset = memoryDataset({ A: [makeEvent(1, '2026-01-05', 'transfer_in', receipt)] });
  const stated = new Map([['1-0-0-0-A', { mode: 'override', token: 'Gold Coin', cost: 100n }]]);
  const range = { start: '2026-02-01', end: '2026-02-28', from: '2026-02-01 00:00:00', to: '2026-02-28 23:59:59' };
  const decisions = { ...noDecisions, assets: stated };
  const request = { addresses: ['A'], range, accounts: new Map(), decisions, openingLots: [], method: 'fifo' };
  const text = [...plainText(NOTATIONS.hledger!, request as unknown as Stated, dataset)].join('');
  assert.match(text, / 7 "X-\w+" @@ 1\.00 USD {2}; lot:2026-01-05$/m);
  assert.match(text, /; denom:Gold Coin$/m);
});

test('an unknown profile, and one that is no JSON', async () => {
  for (const query of ['profile=koinly', 'profile=hledger&format=json']) {
    const { status, text } = await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&${query}`);
    assert.equal(status, 400);
    assert.match(text, /"path":"profile"/);
  }
});

test('text has its type and its file name', async () => {
  const { headers } = await server.ask(
    `/api/tax/v1/journal?address=${WALLETS.light}&profile=hledger&start=2026-01-01&end=2026-12-31`,
  );
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(headers.get('content-disposition')!, /filename="journal-hledger-\w{8}-2026-01-01-2026-12-31\.journal"$/);
  assert.equal(parseCsv(await exported('xero'))[0]!.length, 6);
});
