/**
 * Bytes that readers of Parquet take for one wallet's rows. The rows are made up, as many as a month has that is twenty times as busy
 * as the recorded chain, with texts and amounts that compress no better than real ones.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { writeTable } from '../../../../pipeline/base/duckdb/table-file.js';
import { projectRoot } from '../../../../pipeline/base/project.js';
import type { ManifestTable } from '../../../../schemas/types.generated.js';
import { openDatabase } from '../../../open-database.js';
import { programs } from '../../../requirements.js';
import { startServer, type TestServer } from '../../harness.js';

const TABLE = 'priced_events';
const [ROWS, WALLETS] = [272_000, 4000];
/** The place of the busiest wallet, which has a hundredth of all rows, among each hundred. */
const BUSIEST = 7;
const MONTH = { month: '2026-03', first: 1, last: 1_000_000 };

const EVENTS = `
insert into "${TABLE}"
select
  'cosmos1' || sha256('wallet' || if(i % 100 = ${BUSIEST}, ${BUSIEST}, i % ${WALLETS}))[:38],
  1 + i // 80, i % 80,
  format('{}-{}-{}-0-f', 1 + i // 80, hash(i) % 12, hash(i + 1) % 40),
  timestamptz '2026-03-01 00:00:00+00' + to_seconds(i * 9),
  upper(sha256('hash' || i)),
  'category_' || (hash(i + 2) % 30),
  if(i % 3 = 0, hash(i + 3) % 1000000000, null), if(i % 3 = 0, 'uatom', null),
  if(i % 3 = 1, hash(i + 4) % 1000000000, null), if(i % 3 = 1, 'ibc/' || upper(sha256('denom' || (hash(i + 5) % 20))), null),
  if(i % 3 = 2, hash(i + 6) % 100000, null), if(i % 3 = 2, 'uatom', null),
  if(i % 2 = 0, 'cosmos1' || sha256('other' || (hash(i + 7) % 600))[:38], null),
  if(i % 4 = 0, 'cosmosvaloper1' || sha256('validator' || (i % 50))[:38], null),
  if(i % 5 = 0, 'withdraw', null), if(i % 7 = 0, 'detail ' || (hash(i + 8) % 500), ''),
  if(i % 9 = 0, 'memo ' || (hash(i + 9) % 3000), ''), if(i % 11 = 0, format('{}-3', 1 + i // 80), null),
  false, i % 13 = 0, null, null, 1.5 + (i % 31) / 100, 1.5 + (i % 31) / 100, 1.5 + (i % 31) / 100
from range(${ROWS}) as rows(i)`;

const folder = mkdtempSync(join(tmpdir(), 'hubledger-one-wallet-'));
let table: ManifestTable;
/** Wallets to ask for, the busiest first, and the rows of each. */
let wallets: { readonly address: string; readonly rows: number }[];
let server: TestServer;

before(async () => {
  const database = await openDatabase();
  await database.create(TABLE);
  await database.execute(EVENTS);
  table = await writeTable(database, TABLE, folder, [MONTH]);
  const counts = `select address, count(*) as rows from "${TABLE}" group by address order by rows desc, address`;
  wallets = (await database.all<(typeof wallets)[0]>(counts)).filter((_, i) => i % 571 === 0);
  database.close();
  server = await startServer({ manifest: { tables: [table] } });
  renameSync(join(folder, TABLE), join(server.dataDir, 'generations', generationOf(server), TABLE));
});
after(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const generationOf = ({ dataDir }: TestServer) => readFileSync(join(dataDir, 'CURRENT'), 'utf8').trim();

test('a busy month is cut at wallets, the busiest has a file of its own, and the manifest names the first and the last of each', () => {
  assert.equal(table.rows, ROWS);
  assert.ok(table.files.length > 30 && table.files.length <= 48, `${table.files.length} files`);
  assert.equal(table.files[0]!.path, `${TABLE}/2026-03_01.parquet`);
  for (const [i, { first, last, rows }] of table.files.entries()) {
    assert.ok(first! <= last! && rows < 9000);
    if (i > 0) assert.ok(table.files[i - 1]!.last! < first!, 'no wallet is in two files');
  }
  const [busiest] = wallets;
  assert.equal(busiest!.rows, ROWS / 100);
  assert.ok(table.files.some(({ first, last }) => first === busiest!.address && last === first));
});

/** A port before the server's that counts what comes back. */
class Counter {
  bytes = 0;
  private readonly door: Server;

  private constructor(to: number) {
    this.door = createServer((client) => {
      const origin = connect(to, '127.0.0.1');
      origin.on('data', ({ length }) => {
        this.bytes += length;
      });
      client.on('error', () => origin.destroy()).pipe(origin);
      origin.on('error', () => client.destroy()).pipe(client);
    });
  }

  static async open(to: number): Promise<Counter> {
    const counter = new Counter(to);
    await new Promise<void>((resolve) => counter.door.listen(0, '127.0.0.1', resolve));
    return counter;
  }

  get port(): number {
    return (this.door.address() as { port: number }).port;
  }

  close(): void {
    this.door.close();
  }
}

/**
 * Runs recipes, each with its own beginning. The last line of a recipe is its rows, which are counted. It ends at once, since threads of
 * the libraries that still run abort an orderly end now and then.
 */
const SCRIPT = `
import json, sys, glob, os
import duckdb, duckdb_extension_httpfs
for file in glob.glob(os.path.dirname(duckdb_extension_httpfs.__file__) + '/**/*.duckdb_extension', recursive=True):
    duckdb.execute(f"load '{file}'")
duckdb.execute('set enable_progress_bar = false')
counts = []
for begin, recipe in json.load(sys.stdin):
    names = {}
    *lines, last = recipe.split('\\n')
    code = '\\n'.join([begin, *lines])
    exec(code, names)
    found = eval(last, names)
    counts.append(found.to_arrow_table().num_rows if 'duckdb' in names else len(found))
print(json.dumps(counts), flush=True)
os._exit(0)
`;

const page = readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8');
const section = page.slice(page.indexOf('## One wallet by URL'), page.indexOf('## As a Delta Lake table'));
const [begin, ...recipes] = [...section.matchAll(/^```python\n(.*?)\n```$/gms)].map(([, code]) => code!);

/** Gives a program its input, and takes what it says. */
async function run(program: string, words: readonly string[], input: string): Promise<string> {
  const running = promisify(execFile)(program, words);
  running.child.stdin!.end(input);
  return (await running).stdout;
}

for (const python of programs('analysts')) {
  test('DuckDB, Polars and pandas take less than two hundredths of a table for one wallet', async () => {
    assert.equal(recipes.length, 3);
    const runs = recipes.flatMap((recipe) => wallets.map((wallet) => ({ recipe, wallet })));
    const counters = await Promise.all(runs.map(() => Counter.open(server.port)));
    after(() => {
      for (const counter of counters) counter.close();
    });
    const beginning = (i: number) =>
      begin!
        .replace('localhost:8080', `127.0.0.1:${counters[i]!.port}`)
        .replace(/cosmos1\w{38}/, runs[i]!.wallet.address);
    const input = JSON.stringify(runs.map(({ recipe }, i) => [beginning(i), recipe]));
    const counts = JSON.parse(await run(python, ['-c', SCRIPT], input));
    assert.deepEqual(
      counts,
      runs.map(({ wallet }) => wallet.rows),
    );
    const total = table.files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const recipe of recipes) {
      const shares = counters.filter((_, i) => runs[i]!.recipe === recipe).map(({ bytes }) => bytes / total);
      const told = shares.map((share) => (share * 100).toFixed(2)).join(', ');
      assert.ok(Math.max(...shares) < 0.02, `${recipe}\ntakes ${told} %`);
    }
  });
}
