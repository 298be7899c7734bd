/** Nights whose figures of closed months differ from those in force. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileSha256 } from '../../pipeline/base/disk/atomic-files.js';
import { projectRoot } from '../../pipeline/base/project.js';
import {
  currentFile,
  currentGeneration,
  generationDir,
  generationId,
  manifestFile,
  readManifest,
} from '../../pipeline/publish/generation.js';
import { firstOpenDay, RestatementError } from '../../pipeline/publish/restatements.js';
import { loadReference } from '../../pipeline/reference.js';
import type { Manifest, Restatement } from '../../schemas/types.generated.js';
import { openDataset } from '../../server/tax/dataset/dataset.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from '../pipeline/night-case.js';

const chain = new NightCase(FOLDED);
before(async () => {
  await chain.published('whole');
});
after(() => chain.remove());

const folderOf = (dataDir: string) => generationDir(chain.path(dataDir), currentGeneration(chain.path(dataDir))!);
const manifestOf = (dataDir: string) => readManifest(folderOf(dataDir));

function copy(dataDir: string, from = 'whole'): string {
  cpSync(chain.path(from), chain.path(dataDir), { recursive: true });
  return currentGeneration(chain.path(dataDir))!;
}

/** Makes a price folder in which all quotes of uatom on a day differ; without a price, the day has none. */
function prices(name: string, day: string, usd?: string): Record<string, string> {
  const folder = chain.path(name);
  cpSync(join(projectRoot(), 'test/prices/real'), folder, { recursive: true });
  for (const source of ['binance', 'bybit', 'coingecko']) {
    const file = join(folder, source, 'cosmos.csv');
    const lines = readFileSync(file, 'utf8').split('\n');
    const changed = lines.flatMap((line) => (line.startsWith(day) ? (usd ? [`${day},${usd}`] : []) : [line]));
    writeFileSync(file, changed.join('\n'));
  }
  return { HUBLEDGER_PRICE_DIR: folder };
}

/** Changes rows of a published table and whatever the manifest says, as another program would have published them. */
async function publishedOtherwise(
  dataDir: string,
  path: string,
  columns: string,
  change: (manifest: Manifest) => Partial<Manifest> = () => ({}),
): Promise<void> {
  const folder = folderOf(dataDir);
  const manifest = readManifest(folder);
  const file = join(folder, path);
  const database = await openDatabase();
  await database.execute(`create table rows as select * replace (${columns}) from read_parquet('${file}')`);
  await database.execute(`copy rows to '${file}.new' (format parquet)`);
  database.close();
  renameSync(`${file}.new`, file);
  const entry = manifest.tables.flatMap(({ files }) => files).find((one) => one.path === path)!;
  Object.assign(entry, { sha256: await fileSha256(file), bytes: statSync(file).size });
  Object.assign(manifest, change(manifest));
  const generation = generationId(manifest);
  writeFileSync(manifestFile(folder), JSON.stringify({ ...manifest, generation }));
  renameSync(folder, generationDir(chain.path(dataDir), generation));
  renameSync(chain.path(dataDir, 'stores', manifest.generation), chain.path(dataDir, 'stores', generation));
  writeFileSync(currentFile(chain.path(dataDir)), `${generation}\n`);
}

type Row = Omit<Restatement, 'restated_at'>;

async function restatementsOf(dataDir: string): Promise<Row[]> {
  const database = await openDatabase();
  try {
    return await database.all<Row>(
      'select * exclude restated_at from read_parquet($files) order by address, month, what, record, figure',
      { files: [join(folderOf(dataDir), 'restatements/*.parquet')] },
    );
  } finally {
    database.close();
  }
}

/** The tables whose every column is a figure, and what identifies a row. Other columns only place the row. */
const TABLES: Readonly<Record<string, { table: string; record: string; day: string; key: readonly string[] }>> = {
  price: {
    table: 'prices',
    record: "denom || ' ' || day",
    day: 'day',
    key: ['denom', 'day', 'sources', 'found', 'quotes'],
  },
  row: {
    table: 'priced_events',
    record: 'id',
    day: "time at time zone 'UTC'",
    key: ['address', 'id', 'height', 'tx_hash'],
  },
  entry: {
    table: 'ledger_entries',
    record: "concat(event_id, '-', leg)",
    day: "time at time zone 'UTC'",
    key: ['address', 'height', 'position', 'leg', 'event_id', 'slices'],
  },
  payout: {
    table: 'validator_payouts',
    record: "concat_ws(' ', validator, day, category, denom)",
    day: 'day',
    key: ['address', 'validator', 'day', 'category', 'denom', 'last_height'],
  },
  holding: {
    table: 'daily_holdings',
    record: 'day::varchar',
    day: 'day',
    key: ['address', 'day', 'close_height'],
  },
};

/** Sums of a generation's files up to the end of January. */
const SUMS = `
  with entries as (
    from 'FOLDER/ledger_entries/*.parquet' where time < '2026-02-01 00:00:00+00'
  ), parts as (
    select address, time, event_id, leg, unnest(slices, recursive := true) from entries
  ), sides as (
    select address, time, debit_account as account, amount_usd as debit, 0::decimal(38, 2) as credit from entries
    union all
    select address, time, credit_account, 0, amount_usd from entries
  ), payouts as (
    from 'FOLDER/validator_payouts/*.parquet' where day < '2026-02-01'
  ), ends as (
    select distinct strftime(time at time zone 'UTC', '%Y-%m') as month from entries
  ),
  lot as (
    select address, strftime(time at time zone 'UTC', '%Y-%m') as month, concat(event_id, '-', leg, ' ', ifnull(acquired::varchar, held)) as record,
      sum(quantity) as quantity, sum(basis_usd) as basis_usd, sum(proceeds_usd) as proceeds_usd
    from parts group by all
  ),
  account as (
    select address, strftime(time at time zone 'UTC', '%Y-%m') as month, account as record, sum(debit) as debit_usd, sum(credit) as credit_usd
    from sides group by all
  ),
  position as (
    select address, ends.month, record, sum(debit_usd - credit_usd) as cost_basis_usd
    from account join ends on account.month <= ends.month
    where record like 'Digital Assets: %' group by all
  ),
  statement as (
    select null as address, strftime(day, '%Y-%m') as month, validator as record,
      sum(if(category = 'validator_commission' and denom = 'uatom', amount, null)) as commission_amount,
      sum(if(category = 'validator_commission' and denom = 'uatom', usd, null)) as commission_usd,
      sum(if(category = 'staking_reward', amount, null)) as delegator_rewards_amount,
      sum(if(category = 'staking_reward', usd, null)) as delegator_rewards_usd,
      sum(if(category = 'staking_reward', payouts, null)) as reward_events,
      count(distinct if(category = 'staking_reward', address, null)) as unique_delegators
    from payouts group by all
  )`;
const SUM_FIGURES: Readonly<Record<string, readonly string[]>> = {
  lot: ['quantity', 'basis_usd', 'proceeds_usd'],
  account: ['debit_usd', 'credit_usd'],
  position: ['cost_basis_usd'],
  statement: [
    'commission_amount',
    'commission_usd',
    'delegator_rewards_amount',
    'delegator_rewards_usd',
    'reward_events',
    'unique_delegators',
  ],
};

type Change = Pick<Row, 'what' | 'address' | 'month' | 'record' | 'figure' | 'figure_before' | 'figure_after'>;

/** Finds every figure of January that differs between two generations, without the program's queries. */
async function differences(dataDir: string, before: string): Promise<Change[]> {
  const database = await openDatabase();
  const folders = { a: generationDir(chain.path(dataDir), before), b: folderOf(dataDir) };
  const found: Change[] = [];
  const compare = async (what: string, figure: string, of: (folder: string) => string) => {
    found.push(
      ...(await database.all<Change>(
        `select '${what}' as what, ifnull(a.address, b.address) as address, ifnull(a.month, b.month) as month,
           ifnull(a.record, b.record) as record, '${figure}' as figure, a.value as figure_before, b.value as figure_after
         from (${of(folders.a)}) a
         full join (${of(folders.b)}) b
           on a.address is not distinct from b.address and a.month = b.month and a.record = b.record
         where a.value is distinct from b.value`,
      )),
    );
  };
  try {
    for (const [what, { table, record, day, key }] of Object.entries(TABLES)) {
      const columns = await database.all<{ name: string }>(
        `select column_name as name from (describe from '${folders.b}/${table}/*.parquet')`,
      );
      const address = key.includes('address') ? 'address' : 'null';
      for (const { name } of columns.filter((column) => !key.includes(column.name))) {
        await compare(
          what,
          name,
          (
            folder,
          ) => `select ${address} as address, strftime(${day}, '%Y-%m') as month, ${record} as record, ${name}::varchar as value
            from '${folder}/${table}/*.parquet' where ${day} < '2026-02-01'`,
        );
      }
    }
    for (const [what, figures] of Object.entries(SUM_FIGURES)) {
      for (const figure of figures) {
        await compare(
          what,
          figure,
          (folder) =>
            `${SUMS.replaceAll('FOLDER', folder)} select address, month, record, ${figure}::varchar as value from ${what}`,
        );
      }
    }
  } finally {
    database.close();
  }
  return found;
}

const textOf = ({ what, address, month, record, figure, figure_before, figure_after }: Change) =>
  [what, address, month, record, figure, figure_before, figure_after].join(' | ');

/** Asserts that the restatements are exactly the figures that differ. @returns the number of each kind */
async function expectAllNamed(dataDir: string, before: string): Promise<Record<string, number>> {
  const rows = await restatementsOf(dataDir);
  assert.deepEqual(rows.map(textOf).sort(), (await differences(dataDir, before)).map(textOf).sort());
  const counts: Record<string, number> = {};
  for (const { what } of rows) counts[what] = (counts[what] ?? 0) + 1;
  return counts;
}

test('a month is closed seven days after its end, to the second', () => {
  assert.equal(firstOpenDay('2026-02-07T23:59:59Z'), '2026-01-01');
  assert.equal(firstOpenDay('2026-02-08T00:00:00Z'), '2026-02-01');
  assert.equal(firstOpenDay('2026-03-07T23:00:00Z'), '2026-02-01');
});

test('three nights with an unchanged past restate nothing, and make the bytes of one night', async () => {
  const [first, second, whole] = [
    await chain.night('grown', { until: '2026-02-04' }),
    await chain.night('grown', { until: '2026-02-12' }),
    await chain.night('grown'),
  ];
  assert.equal(new Set([first, second, whole].map(({ generation }) => generation)).size, 3);
  assert.equal(whole.generation, currentGeneration(chain.path('whole')));
  assert.deepEqual(manifestOf('grown').restatements, []);
  assert.deepEqual(await restatementsOf('grown'), []);
});

test('another quote of a closed month is refused and named; allowed, every changed figure is published', async () => {
  const before = copy('quote');
  chain.variables = prices('other', '2026-01-31', '9.99');
  const { code, error } = await chain.command('quote', 'nightly');
  assert.equal(code, 3);
  const [all, price, advice] = error.trimEnd().split('\n');
  const sums = '\\d+ wallets, sum of gains [−+]\\d+\\.\\d\\d';
  assert.match(all!, new RegExp(`^hubledger: this nightly run would change \\d+ figures of closed months, ${sums}$`));
  assert.match(price!, new RegExp(`^ {2}uatom 2026-01-31 \\d\\.\\d{6} → 9\\.990000, ${sums} \\(quote\\)$`));
  assert.equal(advice, 'nothing is published (use --allow-restatement to publish anyway)');
  assert.equal(currentGeneration(chain.path('quote')), before);

  const { generation } = await chain.night('quote', { allowRestatement: true });
  const rows = await restatementsOf('quote');
  const kinds = Object.keys(await expectAllNamed('quote', before));
  assert.deepEqual(kinds.sort(), ['account', 'entry', 'lot', 'payout', 'position', 'price', 'row', 'statement']);
  assert.deepEqual(new Set(rows.map(({ cause }) => cause)), new Set(['quote']));
  assert.deepEqual(new Set(rows.map(({ month }) => month)), new Set(['2026-01']));
  assert.ok(rows.every((row) => row.generation_before === before && row.generation_after === generation));
  const [entry, ...more] = manifestOf('quote').restatements;
  const wallets = new Set(rows.flatMap(({ address }) => address ?? [])).size;
  assert.deepEqual(
    [entry!.figures, entry!.wallets, entry!.generation_after, more],
    [rows.length, wallets, generation, []],
  );
  assert.match(
    price!,
    new RegExp(`, ${wallets} wallets, sum of gains ${entry!.gains_usd.replace('-', '−').replace(/^(?!−)/, '\\+')} `),
  );
  const gains = rows.filter(({ what, record }) => what === 'account' && record === 'Realized Gain/Loss');
  const cents = ({ figure_before, figure_after }: Row) =>
    Math.round((Number(figure_after) - Number(figure_before)) * 100);
  const sum = gains.reduce((total, row) => total + (row.figure === 'credit_usd' ? cents(row) : -cents(row)), 0);
  assert.equal(Math.round(Number(entry!.gains_usd) * 100), sum);

  const dataset = openDataset(chain.path('quote'), generation, loadReference());
  try {
    for (const wallet of new Set(rows.flatMap(({ address }) => address ?? []))) {
      const own = rows.filter(({ address }) => address === wallet);
      assert.deepEqual(
        dataset.restatements(wallet).map(({ record, figure, figure_after }) => [record, figure, figure_after]),
        own.map(({ record, figure, figure_after }) => [record, figure, figure_after]),
      );
    }
  } finally {
    await dataset.close();
  }

  // The same prices restate nothing again, and the restatements stay.
  assert.equal((await chain.night('quote')).isNew, false);
  assert.deepEqual(await restatementsOf('quote'), rows);
  chain.variables = {};
});

test('later nights keep the restatements of earlier ones', async () => {
  await chain.night('kept', { until: '2026-02-12' });
  chain.variables = prices('kept-prices', '2026-01-30', '9.99');
  await chain.night('kept', { until: '2026-02-12', allowRestatement: true });
  const rows = await restatementsOf('kept');
  await chain.night('kept');
  assert.deepEqual(await restatementsOf('kept'), rows);
  assert.equal(manifestOf('kept').restatements.length, 1);
  chain.variables = {};
  await chain.night('kept', { allowRestatement: true });
  const both = await restatementsOf('kept');
  assert.deepEqual(new Set(both.map(({ generation_before }) => generation_before)).size, 2);
  const back = new Map(
    both.map((row) => [
      `${row.generation_before} ${row.what} ${row.address} ${row.month} ${row.record} ${row.figure}`,
      row,
    ]),
  );
  for (const row of rows) {
    const { figure_before, figure_after } = back.get(
      `${both.find((one) => one.generation_before !== row.generation_before)!.generation_before} ${row.what} ${row.address} ${row.month} ${row.record} ${row.figure}`,
    )!;
    assert.deepEqual([figure_after, figure_before], [row.figure_before, row.figure_after]);
  }
});

test('a price that was missing and is there now needs no permission', async () => {
  chain.variables = prices('missing', '2026-01-31');
  await chain.night('filled');
  const before = currentGeneration(chain.path('filled'))!;
  chain.variables = {};
  await chain.night('filled');
  const rows = await restatementsOf('filled');
  assert.deepEqual(new Set(rows.map(({ cause }) => cause)), new Set(['new_price']));
  await expectAllNamed('filled', before);
  const price = rows.find(({ record }) => record === 'uatom 2026-01-31')!;
  assert.equal(price.figure_before, null);
});

test('rows of another classification are restated by it; without another version they are refused', async () => {
  const file = 'priced_events/2026-01.parquet';
  const other = "if(category = 'transfer_in', 'ibc_in', category) as category";
  copy('same-version');
  await publishedOtherwise('same-version', file, other);
  const refused = await chain.night('same-version').catch((error) => error);
  assert.ok(refused instanceof RestatementError);
  assert.match(refused.message, /row \S+ cosmos1\S+ category ibc_in → transfer_in \(unexplained\)$/m);

  copy('reclassified');
  await publishedOtherwise('reclassified', file, other, () => ({ classifier_version: '0' }));
  const before = currentGeneration(chain.path('reclassified'))!;
  await chain.night('reclassified');
  const rows = await restatementsOf('reclassified');
  assert.ok(rows.length > 0);
  assert.ok(
    rows.every(({ what, figure, cause }) => what === 'row' && figure === 'category' && cause === 'classification'),
  );
  await expectAllNamed('reclassified', before);
});

test('a file of corrections restates holdings of a closed month', async () => {
  const before = copy('corrected');
  const path = chain.path('corrections.json');
  const [{ address: account }] = JSON.parse(readFileSync(join(projectRoot(), 'data/sample/wallets.json'), 'utf8'));
  const what = [{ kind: 'adjust_balance', account, denom: 'uatom', amount: '17' }];
  writeFileSync(path, JSON.stringify([{ height: FOLDED.first + 5, what, source: 'a node' }]));
  chain.variables = { HUBLEDGER_CORRECTIONS: path };
  await chain.night('corrected');
  chain.variables = {};
  const rows = await restatementsOf('corrected');
  assert.deepEqual(new Set(rows.map(({ cause }) => cause)), new Set(['corrections']));
  assert.deepEqual(Object.keys(await expectAllNamed('corrected', before)), ['holding']);
});

test('a starting state that is added later is the cause of what it changes, and needs no permission', async (t) => {
  const bare = new NightCase({ ...FOLDED, genesis: false });
  t.after(() => bare.remove());
  const { generation: before } = await bare.night('bare');
  cpSync(bare.path('bare'), chain.path('state'), { recursive: true });
  await chain.night('state');
  const { restatements, coverage } = manifestOf('state');
  assert.equal(coverage.starting_height, 0);
  assert.deepEqual(
    restatements.map(({ generation_before, causes }) => [generation_before, causes]),
    [[before, ['new_price', 'state']]], // shares get prices, too
  );
});

test('earlier days that are added to the index are the cause of what they change, and need no permission', async () => {
  chain.variables = { HUBLEDGER_INDEX_START: '2026-01-31' };
  const { generation: before } = await chain.night('earlier');
  chain.variables = {};
  await chain.night('earlier');
  assert.deepEqual(
    manifestOf('earlier').restatements.map(({ generation_before, causes }) => [generation_before, causes]),
    [[before, ['earlier_days', 'new_price']]], // shares get prices, too
  );
});

test('an upgrade of the program is the cause of rows that it changes', async () => {
  copy('upgraded');
  const other = "if(category = 'transfer_in', 'ibc_in', category) as category";
  await publishedOtherwise('upgraded', 'priced_events/2026-01.parquet', other, () => ({ program: 'another' }));
  const before = currentGeneration(chain.path('upgraded'))!;
  await chain.night('upgraded');
  assert.deepEqual(manifestOf('upgraded').restatements[0]!.causes, ['program']);
  await expectAllNamed('upgraded', before);
});

/** Rewrites the current manifest as a program with another rule for ids would have written it. */
function writtenByAnother(dataDir: string, change: (manifest: Manifest) => object): string {
  const before = copy(dataDir);
  const file = manifestFile(folderOf(dataDir));
  writeFileSync(file, JSON.stringify({ ...change(JSON.parse(readFileSync(file, 'utf8'))), program: 'another' }));
  return before;
}

test('what an older program made and cannot be compared is said to be so, and never to be unchanged', async () => {
  const before = writtenByAnother('older', ({ oversized: _none, ...manifest }) => ({
    ...manifest,
    tables: manifest.tables.map((table) =>
      table.name === 'ledger_entries'
        ? {
            ...table,
            columns: table.columns.filter(({ name }) => name !== 'slices'),
            files: table.files.map((one) => ({ ...one, sha256: 'of another program' })),
          }
        : table,
    ),
  }));
  await chain.night('older');
  const [uncompared, ...more] = manifestOf('older').not_compared!;
  assert.deepEqual([uncompared!.generation_before, more, manifestOf('older').restatements], [before, [], []]);
  assert.match(uncompared!.reason, /^another program made the dataset before: /);
  await chain.night('older');
  assert.equal(manifestOf('older').not_compared!.length, 1);
});

test('what another program made is never lost: newer versions and unreadable manifests are refused, whatever their id', async () => {
  for (const [dataDir, change, reason] of [
    ['newer', (manifest: Manifest) => ({ ...manifest, methodology_version: '99.0.0' }), /methodology 99\.0\.0, not/],
    ['foreign', ({ coverage: _none, ...manifest }: Manifest) => manifest, /what another program has made in h451-/],
  ] as const) {
    const before = writtenByAnother(dataDir, change);
    const { code, error } = await chain.command(dataDir, 'nightly');
    assert.deepEqual([code, currentGeneration(chain.path(dataDir))], [3, before], error);
    assert.match(error, reason);
  }
});
