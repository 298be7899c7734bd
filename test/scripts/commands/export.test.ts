/** `hubledger export` on the recorded chain: writes the bytes of the API and keeps complete files. */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readManifest, tableFiles } from '../../../pipeline/publish/generation.js';
import { publishedFolder } from '../../../pipeline/publish/verify/verify.js';
import { openDatabase } from '../../open-database.js';
import { FOLDED, NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { posting } from '../../server/people/accounts/signed-in.js';

const chain = new NightCase(FOLDED);
const WALLETS = ['cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w', 'cosmos1jhhykys9xmfd03sad53zdq9jvmyzm2gn42qy4q'];
/** Wallets that held coins before the index. */
const HOLDERS = ['cosmos1ynej8vy2xqlnmsd75jt60gpjfx7aa3z27eqq53', 'cosmos1xmu6nmlq092xwzejfam55fj0apj5dvf2lpphxv'];
const STATEMENTS = { assetDecisions: { '*': { mode: 'exclude' } } };
const PROFILES = ['koinly', 'beancount', 'form8949', 'form8949.pdf'];

let server: TestServer;
const out = chain.path('out');
const run = (...words: string[]) =>
  chain.command(
    'data',
    'export',
    ...WALLETS,
    '--year',
    '2026',
    '--out',
    out,
    '--statements',
    chain.path('said.json'),
    ...words,
  );

/** Writes a file of statements. @returns its path */
function said(): string {
  writeFileSync(chain.path('said.json'), JSON.stringify(STATEMENTS));
  return chain.path('said.json');
}
/** Koinly file of the first wallet. */
const FILE = `events-koinly-${WALLETS[0]!.slice(7, 15)}-2026-01-01-2026-12-31.csv`;
const asked = (year: string, folder: string) => ['--year', year, '--profile', 'koinly', '--out', folder];

before(async () => {
  await chain.published('data');
  said();
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  chain.remove();
});

/** Returns the name and bytes of a file from the API. */
async function served(address: string | string[], profile: string, more = {}): Promise<[name: string, bytes: Buffer]> {
  const [name, format] = profile.split('.');
  const path = name === 'koinly' ? 'events' : 'journal';
  const range = { start: '2026-01-01', end: '2026-12-31' };
  const body = { ...STATEMENTS, ...more, address, profile: name, ...range, ...(format && { format }) };
  const answer = await fetch(`${server.base}/api/tax/v1/${path}`, posting(body));
  assert.equal(answer.status, 200);
  const [, file] = /filename="(.+)"/.exec(answer.headers.get('content-disposition')!)!;
  return [file!, Buffer.from(await answer.arrayBuffer())];
}

test('one file per wallet and program, with the bytes of the API', async () => {
  const { code, out: told, error } = await run('--profile', PROFILES.join(','));
  assert.equal(code, 0);
  assert.match(error, /^hubledger: the index has 2026-01-30 to 2026-\d\d-\d\d, not every day of 2026\n$/);
  const files: string[] = [];
  for (const address of WALLETS) {
    for (const profile of PROFILES) {
      const [file, bytes] = await served(address, profile);
      assert.ok(readFileSync(`${out}/${file}`).equals(bytes), file);
      files.push(file);
    }
  }
  assert.equal(told, files.map((file) => `made ${file}\n`).join(''));
  assert.deepEqual(
    readdirSync(out)
      .filter((name) => !name.startsWith('.'))
      .sort(),
    files.sort(),
  );
});

test('reports are files, too: the CSV of their endpoints', async () => {
  const [address] = WALLETS;
  const words = ['export', address!, '--year', '2026', '--out', chain.path('reports'), '--statements', said()];
  const { code, out: told } = await chain.command('data', ...words, '--profile', 'summary,events,positions,journal');
  const { index_end: date } = readManifest(publishedFolder(chain.path('data')));
  const year = { start: '2026-01-01', end: '2026-12-31' };
  const files: string[] = [];
  for (const [path, days] of [
    ['summary', year],
    ['events', year],
    ['positions', { date }],
    ['journal', year],
  ] as const) {
    const answer = await fetch(
      `${server.base}/api/tax/v1/${path}`,
      posting({ ...STATEMENTS, address, ...days, format: 'csv' }),
    );
    const [, file] = /filename="(.+)"/.exec(answer.headers.get('content-disposition')!)!;
    assert.equal(readFileSync(chain.path('reports', file!), 'utf8'), await answer.text());
    files.push(file!);
  }
  assert.deepEqual([code, told], [0, files.map((file) => `made ${file}\n`).join('')]);
});

async function walletsWithRows(): Promise<string[]> {
  const folder = publishedFolder(chain.path('data'));
  const database = await openDatabase();
  await database.attach('priced_events', tableFiles(folder, readManifest(folder), 'priced_events'));
  const rows = await database.all<{ address: string }>(
    'select address from priced_events group by address order by count(*) desc, address limit 50',
  );
  database.close();
  return rows.map(({ address }) => address);
}

test('a journal for Xero is several files, and another number of files replaces those that were there', async () => {
  const wallets = await walletsWithRows();
  const words = [
    'export',
    wallets.join(','),
    '--year',
    '2026',
    '--out',
    chain.path('xero'),
    '--profile',
    'xero',
    '--json',
  ];
  const exported = async (statements: object) => {
    writeFileSync(chain.path('carried.json'), JSON.stringify({ ...STATEMENTS, ownWallets: 'carry', ...statements }));
    const { code, out: told } = await chain.command('data', ...words, '--statements', chain.path('carried.json'));
    assert.equal(code, 0);
    const lines = told
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      readdirSync(chain.path('xero'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
      lines.map(({ file }) => file).sort(),
    );
    return lines;
  };
  const each = await exported({});
  assert.ok(each.length > 1);
  each.forEach(({ outcome, profile, addresses, file }, i) => {
    assert.deepEqual([outcome, profile, addresses], ['made', 'xero', wallets]);
    assert.match(file, new RegExp(`-part-0*${i + 1}-of-${each.length}\\.csv$`));
  });
  assert.ok((await exported({})).every(({ outcome }) => outcome === 'kept'));
  const [first, ...more] = await exported({ group: 'month', taxRate: 'Tax Exempt' });
  assert.deepEqual([first.outcome, more.length < each.length - 1], ['made', true]);
  assert.match(readFileSync(chain.path('xero', first.file), 'utf8'), /,Tax Exempt,/);
});

test('complete files are kept; missing and changed ones are made again', async () => {
  const [file] = await served(WALLETS[0]!, 'koinly');
  const before = statSync(`${out}/${file}`).mtimeMs;
  const again = await run('--profile', 'koinly,beancount');
  assert.match(again.out, /^(kept \S+\n){4}$/);
  assert.equal(statSync(`${out}/${file}`).mtimeMs, before);
  const left = ['killed', 'at-work'].map((name) => `${out}/.${file}-${name}.unfinished`);
  for (const path of left) writeFileSync(path, 'half');
  utimesSync(left[0]!, 0, 0);
  rmSync(`${out}/${file}`);
  const resumed = await run('--profile', 'koinly');
  assert.match(resumed.out, new RegExp(`^made ${file}\nkept `));
  assert.deepEqual(left.map(existsSync), [false, true], 'another export may still be at work');
  rmSync(left[1]!);
  writeFileSync(`${out}/${file}`, 'written over');
  assert.match((await run('--profile', 'koinly')).out, new RegExp(`^made ${file}\nkept `));
  writeFileSync(`${out}/.hubledger-export.json`, '{"cut');
  assert.match((await run('--profile', 'koinly')).out, /^(made \S+\n){2}$/);
  writeFileSync(
    chain.path('said.json'),
    JSON.stringify({ ...STATEMENTS, accounts: { 'Income: Other': 'Income:Else' } }),
  );
  assert.match((await run('--profile', 'beancount')).out, /^(made \S+\n){2}$/);
});

test('two exports into one folder at once both succeed', async () => {
  const words = ['export', ...WALLETS, '--statements', said(), ...asked('2026', chain.path('shared'))];
  const ended = await Promise.all(Array.from({ length: 4 }, () => chain.command('data', ...words)));
  for (const { code, error } of ended) assert.deepEqual([code, error.split('\n').length], [0, 2], error);
  assert.ok(readFileSync(chain.path('shared', FILE)).equals((await served(WALLETS[0]!, 'koinly'))[1]));
  assert.ok(readdirSync(chain.path('shared')).every((name) => !name.endsWith('.unfinished')));
});

test('an invalid request prints one line', async () => {
  for (const name of ['gnucash', 'form8949.json', 'koinly.pdf']) {
    const wrong = await run('--profile', name);
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
    assert.match(
      wrong.error,
      /^hubledger: --profile: unknown profile \S+; known: summary, .*, koinly, .*, form8949\.pdf\n$/,
    );
    assert.ok(wrong.error.includes(`unknown profile ${name};`));
  }
  writeFileSync(chain.path('said.json'), JSON.stringify({ accounts: { Nowhere: '1' } }));
  const refused = await run('--profile', 'xero');
  assert.equal(refused.code, 1);
  assert.match(
    refused.out,
    /^(not made: xero of cosmos1\w+: validation_failed: accounts\/Nowhere: is not a journal account\n){2}$/,
  );
});

test('each file has the opening lots of its own wallet', async () => {
  const lotOf = (address: string) => ({
    ...{ address, denom: 'uatom', quantity: '0.000001', acquired_date: '2025-03-01', cost_basis_usd: '7.00' },
  });
  writeFileSync(chain.path('said.json'), JSON.stringify({ ...STATEMENTS, openingLots: HOLDERS.map(lotOf) }));
  const words = ['--profile', 'beancount', '--year', '2026', '--out', out, '--statements', chain.path('said.json')];
  const { code, out: told } = await chain.command('data', 'export', ...HOLDERS, ...words);
  assert.equal(code, 0, told);
  for (const address of HOLDERS) {
    const [file, bytes] = await served(address, 'beancount', { openingLots: [lotOf(address)] });
    assert.ok(readFileSync(`${out}/${file}`).equals(bytes), file);
    assert.match(bytes.toString(), /7\.00 USD, 2025-03-01/);
  }
  const { address: _, ...anyones } = lotOf('');
  writeFileSync(chain.path('said.json'), JSON.stringify({ ...STATEMENTS, openingLots: [anyones] }));
  const { error } = await chain.command('data', 'export', ...HOLDERS, ...words);
  assert.match(error, /--statements: each of openingLots needs the address of one of the wallets\n$/);
});

test('with carried lots all wallets are in one file, or in one archive', async () => {
  writeFileSync(chain.path('said.json'), JSON.stringify({ ...STATEMENTS, ownWallets: 'carry' }));
  const { code, out: told } = await run('--profile', 'koinly,hledger');
  assert.equal(code, 0, told);
  const files: string[] = [];
  for (const profile of ['koinly', 'hledger']) {
    const [file, bytes] = await served(WALLETS, profile, { ownWallets: 'carry' });
    assert.ok(readFileSync(`${out}/${file}`).equals(bytes), file);
    files.push(file);
  }
  assert.equal(told, files.map((file) => `made ${file}\n`).join(''));
});

test('unknown statements print one line', async () => {
  for (const [text, fault] of [
    [
      '{"start": "2026-02-01"}',
      'unknown member start; known: userTags, assetDecisions, openingLots, ownWallets, method, accounts, taxRate, opening, group, fees',
    ],
    [
      '{"userTag": {}}',
      'unknown member userTag; known: userTags, assetDecisions, openingLots, ownWallets, method, accounts, taxRate, opening, group, fees',
    ],
    ['{"assetDecisions": {"*": {"mode": "exclude"}, "*": {"mode": "keep"}}}', '/assetDecisions/* is given twice'],
    ['[]', 'must be a JSON object'],
  ]) {
    writeFileSync(chain.path('said.json'), text!);
    assert.deepEqual(await run('--profile', 'koinly'), {
      code: 2,
      out: '',
      error: `hubledger: --statements: ${fault}\n`,
    });
  }
});

test('addresses and profiles may be separated by commas, with spaces', async () => {
  const words = ['export', WALLETS.join(', '), '--year', '2026', '--profile', 'koinly, taxbit', '--out', out];
  const { code, out: told } = await chain.command('data', ...words, '--statements', said());
  assert.deepEqual([code, told.split('\n').length], [0, 5]);
});

test('a year outside the index and an impossible folder print one line', async () => {
  const { code, error } = await chain.command('data', 'export', WALLETS[0]!, ...asked('2019', out));
  assert.equal(code, 1);
  assert.match(error, /^hubledger: the index has 2026-01-30 to \S+, no day of 2019\n$/);
  const blocked = await chain.command('data', 'export', WALLETS[0]!, ...asked('2026', said()));
  assert.equal(blocked.code, 1);
  assert.match(blocked.error, /\nhubledger: --out: EEXIST: [^\n]+\n$/);
  const nowhere = await chain.command('data', 'export', WALLETS[0]!, ...asked('2026', '/proc/none/out'));
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.error, /\nhubledger: --out: E[A-Z]+: [^\n]+\n$/);
  mkdirSync(chain.path('taken', FILE), { recursive: true });
  const taken = await chain.command('data', 'export', WALLETS[0]!, ...asked('2026', chain.path('taken')));
  assert.equal(taken.code, 1);
  assert.match(taken.error, /\nhubledger: E[A-Z]+: [^\n]+\n$/);
});

test('open decisions name the option for them', async () => {
  const database = await openDatabase();
  const [{ address } = { address: '' }] = await database.all<{ address: string }>(
    `select min(address) as address from '${chain.path('data/generations')}/*/flagged_receipts/all.parquet'`,
  );
  database.close();
  const { code, out: told } = await chain.command('data', 'export', address, ...asked('2026', out));
  assert.equal(code, 1);
  assert.match(told, /asset_decisions_required: .*; pass decisions with --statements: \{"assetDecisions": /);
});

test('a missing, damaged or outdated wallet index prints one line', async () => {
  const index = chain.path('data/stores', readFileSync(chain.path('data/CURRENT'), 'utf8').trim());
  const kept = chain.path('kept');
  cpSync(index, kept, { recursive: true });
  const damages: Record<string, () => void> = {
    missing: () => rmSync(index, { recursive: true }),
    cut() {
      rmSync(join(index, 'data.mdb')); // the server reads the old one
      writeFileSync(join(index, 'data.mdb'), 'x'.repeat(10_000));
    },
    'of another version': () => writeFileSync(join(index, 'made-of.key'), 'another'),
  };
  for (const [name, damage] of Object.entries(damages)) {
    damage();
    const { code, error } = await chain.command('data', 'export', WALLETS[0]!, ...asked('2026', out));
    assert.equal(code, 1, name);
    assert.match(
      error,
      /^hubledger: the wallet index of h\d+-\w+ is missing, damaged or another version's: [^\n]+\n$/,
      name,
    );
    const status = await chain.command('data', 'status');
    if (name === 'cut') assert.match(status.out, /\n! the wallet index cannot be read: /);
    rmSync(index, { recursive: true, force: true });
    cpSync(kept, index, { recursive: true });
  }
});
