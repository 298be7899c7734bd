/** Nights that collect exchange rates from files and from an address. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { zipSync } from 'fflate';
import { rateSources } from '../../../pipeline/base/disk/run-records.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { readConfig } from '../../../pipeline/config.js';
import type { NightOptions } from '../../../pipeline/night/night.js';
import { currentGeneration, generationDir, readManifest } from '../../../pipeline/publish/generation.js';
import { LossError } from '../../../pipeline/publish/losses.js';
import { RestatementError } from '../../../pipeline/publish/restatements.js';
import { runNight } from '../../../pipeline/run-night.js';
import type { Restatement } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';
import { NightCase, silent } from '../../pipeline/night-case.js';

/** February closes within the recording, March stays open. */
const chain = new NightCase({ from: 478, first: 483, last: 640, firstDay: '2026-02-23', genesis: false });
const BANK = readFileSync(join(projectRoot(), 'data/sample/eurofxref-hist.csv'), 'utf8');
const FROM = '2026-02-16';

let server: Server;
let requests = 0;
let answer: (response: ServerResponse) => void;
let address: string;
before(async () => {
  server = createServer((_, response) => {
    requests++;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.zip?key=hush`;
});
beforeEach(() => {
  requests = 0;
});
after(() => {
  server.close();
  chain.remove();
});

const host = () => new URL(address).host;
const zipped = (text: string) => zipSync({ 'eurofxref-hist.csv': Buffer.from(text) });
const gives = (text: string) => (response: ServerResponse) => void response.end(zipped(text));

async function night(dataDir: string, variables: Record<string, string>, options: Partial<NightOptions> = {}) {
  const said: string[] = [];
  chain.variables = { HUBLEDGER_RATES_FILE: '', ...variables };
  const config = readConfig(chain.environment(dataDir));
  const outcome = await runNight(
    config,
    { workers: 0, ...options },
    { ...silent, say: (text) => void said.push(text) },
  );
  return { ...outcome, said: said.filter((text) => /^(rates|restated)/.test(text)) };
}

const recordOf = (dataDir: string, source: string) => rateSources.read(chain.path(dataDir))!.sources[source]!;

async function query<Row>(dataDir: string, table: string, sql: string): Promise<Row[]> {
  const folder = generationDir(chain.path(dataDir), currentGeneration(chain.path(dataDir))!);
  const database = await openDatabase();
  try {
    return await database.all<Row>(sql, { files: [join(folder, `${table}/*.parquet`)] });
  } finally {
    database.close();
  }
}

async function rates(dataDir: string): Promise<string[]> {
  const sql = "select concat_ws(' ', day, currency, per_eur, source) as rate from read_parquet($files)";
  return (await query<{ rate: string }>(dataDir, 'exchange_rates', sql)).map(({ rate }) => rate);
}

/** The rows that the bank's file gives, from seven days before the index until its last day. */
function expected(dataDir: string, source: string, text = BANK): string[] {
  const end = readManifest(generationDir(chain.path(dataDir), currentGeneration(chain.path(dataDir))!)).index_end;
  const [header, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return lines
    .filter(([day]) => day! >= FROM && day! <= end)
    .flatMap(([day, ...cells]) =>
      cells.flatMap((cell, i) =>
        cell === 'N/A' ? [] : [`${day} ${header![i + 1]} ${Number(cell).toFixed(6)} ${source}`],
      ),
    )
    .sort();
}

/** Copies a data folder in which one night has read the bank's file. */
async function copyOfBank(dataDir: string): Promise<Record<string, string>> {
  const variables = file('bank.csv', BANK);
  if (!existsSync(chain.path('bank'))) await night('bank', variables);
  cpSync(chain.path('bank'), chain.path(dataDir), { recursive: true });
  return variables;
}

const file = (name: string, text: string) => {
  writeFileSync(chain.path(name), text);
  return { HUBLEDGER_RATES_FILE: chain.path(name) };
};

test('a file gives the rates from seven days before the index to its last day; the next night finds nothing new', async () => {
  const variables = await copyOfBank('file');
  assert.deepEqual(await rates('file'), expected('file', 'bank.csv'));
  assert.equal((await night('file', variables)).isNew, false);

  // In two nights the dataset has the bytes of one night.
  await night('twice', variables, { until: '2026-03-02' });
  assert.equal((await night('twice', variables)).generation, currentGeneration(chain.path('file')));
});

test('an address gives the same rates; what it no longer gives stays', async () => {
  answer = gives(BANK);
  await night('address', { HUBLEDGER_RATES_URL: address });
  const all = await rates('address');
  assert.deepEqual(all, expected('address', host()));
  const [header, newest] = BANK.split('\n');
  answer = gives(`${header}\n${newest}\n`);
  assert.equal((await night('address', { HUBLEDGER_RATES_URL: address })).isNew, false);
  assert.deepEqual(await rates('address'), all);
  answer = gives(BANK.replaceAll(/,[\d.]+$/gm, ',N/A'));
  assert.equal((await night('address', { HUBLEDGER_RATES_URL: address })).isNew, false);
  assert.deepEqual(await rates('address'), all);
});

const FAILING: Readonly<Record<string, [(response: ServerResponse) => void, RegExp]>> = {
  'an error': [(response) => void response.writeHead(503).end('later'), /HTTP 503$/],
  'a web page': [(response) => void response.end('<html>'), /line 1: the first column must be Date$/],
  'a closed connection': [
    (response) => void response.destroy(),
    /(ECONNRESET|UND_ERR_SOCKET|terminated|fetch failed)$/,
  ],
  'half a zip': [(response) => void response.end(zipped(BANK).subarray(0, 4000)), /invalid zip data$/],
  'a wrong line': [gives(BANK.replace('2026-03-03,', '2026-03-03,x')), /line \d+: not a plain decimal: "x/],
};

test('an address that fails takes nothing away: the night says so, without the key, and goes on', async () => {
  answer = gives(BANK);
  await night('failing', { HUBLEDGER_RATES_URL: address }, { until: '2026-03-02' });
  const known = await rates('failing');
  assert.ok(known.length > 100);
  for (const [what, [failing, reason]] of Object.entries(FAILING)) {
    answer = failing;
    const { said } = await night('failing', { HUBLEDGER_RATES_URL: address });
    assert.equal(said.length, 1, what);
    assert.ok(said[0]!.startsWith(`rates: nothing of ${host()} is used, and known rates stay: `), said[0]);
    assert.match(said[0]!, reason);
    assert.deepEqual(await rates('failing'), known);
    const { failed_nights, failure } = recordOf('failing', host());
    assert.equal(failed_nights.length, 1, 'nights of one day count once');
    assert.match(failure!, reason);
  }
  // Rates that come later are new, and need no permission.
  answer = gives(BANK);
  const { said } = await night('failing', { HUBLEDGER_RATES_URL: address });
  assert.deepEqual(said, []);
  assert.deepEqual(recordOf('failing', host()), { failed_nights: [], failure: null });
  assert.deepEqual(await rates('failing'), expected('failing', host()));
});

test('a broken file counts one night more on each day, until it is repaired or no longer named', async () => {
  const broken = file('broken.csv', BANK.replace('2026-03-03,', '2026-03-33,'));
  const variables = { ...broken, HUBLEDGER_RATES_URL: 'none' };
  const days = ['2026-05-01', '2026-05-02', '2026-05-02', '2026-05-03'];
  for (const day of days) {
    chain.variables = variables;
    const config = { ...readConfig(chain.environment('broken')), now: () => new Date(`${day}T01:00:00Z`) };
    assert.ok((await runNight(config, { workers: 0 }, silent)).generation);
  }
  assert.deepEqual(recordOf('broken', 'broken.csv'), {
    failed_nights: ['2026-05-01', '2026-05-02', '2026-05-03'],
    failure: 'line 31: "2026-03-33" is not a day',
  });
  await night('broken', file('bank.csv', BANK));
  assert.deepEqual(Object.keys(rateSources.read(chain.path('broken'))!.sources), ['bank.csv']);
});

test('without any rate the table is published empty; rates of closed months that come later are told', async () => {
  const nowhere = { HUBLEDGER_RATES_URL: 'http://127.0.0.1:1/rates.csv' };
  const { said } = await night('late', nowhere);
  assert.equal(said.length, 1);
  assert.deepEqual(await rates('late'), []);
  const later = await night('late', file('bank.csv', BANK));
  assert.deepEqual(await rates('late'), expected('late', 'bank.csv'));
  const count = expected('late', 'bank.csv').filter((rate) => rate < '2026-03').length;
  assert.deepEqual(later.said, [
    `restated: ${count} figures of closed months, 0 wallets, sum of gains +0.00`,
    `restated: rates 2026-02 none → ${count} rates (new_rate)`,
  ]);
});

const changed = (day: string, usd: string) => BANK.replace(new RegExp(`^(${day}),[\\d.]+`, 'm'), `$1,${usd}`);

test('another rate of a closed month is refused and named; allowed, it is a restatement', async () => {
  await copyOfBank('restated');
  const known = await rates('restated');
  const variables = file('bank.csv', changed('2026-02-24', '9.5'));
  const before = currentGeneration(chain.path('restated'));
  const { code, error } = await chain.command('restated', 'nightly');
  assert.equal(code, 3);
  assert.match(error, /this nightly run would change 1 figures of closed months/);
  assert.match(error, /^ {2}rate USD 2026-02-24 1\.\d{6} → 9\.500000 \(rate\)$/m);
  assert.equal(currentGeneration(chain.path('restated')), before);
  await assert.rejects(night('restated', variables), RestatementError);
  assert.deepEqual(await rates('restated'), known);

  const { said } = await night('restated', variables, { allowRestatement: true });
  assert.match(said[0]!, /^rates: sources have changed 1 published rates: USD 2026-02-24 1\.\d+ → 9\.5$/);
  assert.deepEqual(await rates('restated'), expected('restated', 'bank.csv', changed('2026-02-24', '9.5')));
  const rows = await query<Restatement>('restated', 'restatements', 'from read_parquet($files)');
  assert.deepEqual(
    rows.map(({ address: wallet, month, what, record, figure, figure_after, cause }) => ({
      ...{ wallet, month, what, record, figure, figure_after, cause },
    })),
    [
      {
        ...{ wallet: null, month: '2026-02', what: 'rate', record: 'USD 2026-02-24', figure: 'per_eur' },
        ...{ figure_after: '9.500000', cause: 'rate' },
      },
    ],
  );
  assert.equal((await night('restated', variables)).isNew, false);
});

test('another rate of the open month is taken, and said', async () => {
  await copyOfBank('open');
  const { said } = await night('open', file('bank.csv', changed('2026-03-03', '9.5')));
  assert.equal(said.length, 1);
  assert.match(said[0]!, /^rates: sources have changed 1 published rates: USD 2026-03-03 1\.\d+ → 9\.5$/);
  assert.deepEqual(await rates('open'), expected('open', 'bank.csv', changed('2026-03-03', '9.5')));
});

test('without sources nothing is asked, and known rates stay', async () => {
  await copyOfBank('none');
  const known = await rates('none');
  answer = gives(BANK);
  for (const variables of [
    { HUBLEDGER_RATES_URL: 'none' },
    { HUBLEDGER_RATES_URL: address, HUBLEDGER_PRICE_SOURCES: 'none' },
  ]) {
    assert.deepEqual((await night('none', variables)).said, []);
    assert.deepEqual(await rates('none'), known);
  }
  assert.equal(requests, 0);
});

test('a damaged generation with no source left cannot lose rates in silence', async () => {
  await copyOfBank('damaged');
  const folder = generationDir(chain.path('damaged'), currentGeneration(chain.path('damaged'))!);
  writeFileSync(join(folder, 'exchange_rates/all.parquet'), 'x');
  const error = await night('damaged', {}).catch((cause) => cause);
  assert.ok(error instanceof LossError, String(error));
  assert.match(error.message, /of \d+ rows of exchange_rates\/all\.parquet/);
  assert.equal((await night('damaged', file('bank.csv', BANK))).isNew, false);
  assert.deepEqual(await rates('damaged'), expected('damaged', 'bank.csv'));
});

test('a named file that is missing ends the night with exit code 2', async () => {
  chain.variables = { HUBLEDGER_RATES_FILE: chain.path('none.csv') };
  const { code, error } = await chain.command('missing', 'nightly');
  assert.equal(code, 2);
  assert.match(error, /HUBLEDGER_RATES_FILE cannot be read/);
});
