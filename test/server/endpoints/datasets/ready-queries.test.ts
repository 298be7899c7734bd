/** The ready queries on the whole sample: docs/ready-queries.md has their results, and the API gives the same figures. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Database } from '../../../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { addDays } from '../../../../pipeline/base/values/day.js';
import type { EventList, ValidatorStatement } from '../../../../schemas/types.generated.js';
import { openDatabase } from '../../../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../../../pipeline/night-case.js';
import { programs } from '../../../requirements.js';
import { startServer, type TestServer } from '../../harness.js';
import { posting } from '../../people/accounts/signed-in.js';
import { freePort } from '../../processes/free-port.js';
import { atom, micro } from '../../recorded-statement.js';
import { inRequests } from '../summary/statements.js';

const PAGE = join(projectRoot(), 'docs/ready-queries.md');

const chain = new NightCase(SAMPLE_CHAIN);
chain.variables = { HUBLEDGER_PRICE_DIR: join(projectRoot(), 'data/sample/prices') };
let server: TestServer;
let database: Database;
before(async () => {
  const { generation } = await chain.published('data');
  const folder = chain.path('data/generations', generation);
  database = await openDatabase();
  await database.execute(`set variable hubledger_files = '${folder}/'`);
  await database.execute(`attach '${folder}/catalog.duckdb' as hub (read_only)`);
  const port = String(await freePort());
  const environment = { HUBLEDGER_PORT: port, HUBLEDGER_BASE_URL: `http://127.0.0.1:${port}` };
  server = await startServer({
    published: false,
    environment: { HUBLEDGER_DATA_DIR: chain.path('data'), ...environment },
  });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  database.close();
  chain.remove();
});

type Row = Record<string, string | null>;

/** Runs a query. @returns its values as texts */
async function rowsOf(sql: string): Promise<Row[]> {
  const found = await database.connection.runAndReadAll(sql);
  return found
    .getRowObjectsJson()
    .map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)])),
    );
}

const get = async <Body>(path: string, query: Record<string, string>): Promise<Body> => {
  const { status, text } = await server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
/** Base units of native coins, or millionths of a dollar. */
const units = (text: string | null): bigint => (text === null ? 0n : micro(text));

/** The rows of /events of all wallets. */
async function allEvents(): Promise<EventList['events']> {
  const wallets = await rowsOf('select distinct address from hub.priced_events order by address');
  const events: EventList['events'] = [];
  for (const address of inRequests(wallets.map((row) => row.address!))) {
    const answer = await server.ask(
      '/api/tax/v1/events',
      posting({ address, assetDecisions: { '*': { mode: 'exclude' } } }),
    );
    events.push(...answer.json<EventList>().events);
  }
  return events;
}

/** The ready queries of the page with their results. */
const sections = readFileSync(PAGE, 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ text, sql: /^```sql\n(.*?)^```$/ms.exec(text)![1]! }));

/** The result of a query as a table of the page. */
const tableOf = (rows: readonly Row[]): string => {
  const names = Object.keys(rows[0]!);
  const cells = [names, names.map(() => '---'), ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
};

function requireResult(text: string, rows: readonly Row[]): void {
  assert.ok(rows.length > 0, text);
  assert.ok(text.includes(`\n\n${tableOf(rows)}`), `the result here is\n${tableOf(rows)}\n${text}`);
}

test('the page has each query with its result', async () => {
  assert.equal(sections.length, 10);
  for (const { text, sql } of sections) requireResult(text, await rowsOf(sql));
});

/** Loads DuckDB's extension for URLs from a package, since nothing is fetched in a test. */
const WITH_URLS = `
import ast, csv, glob, json, os, subprocess, sys
import duckdb, duckdb_extension_httpfs
[extension] = glob.glob(os.path.dirname(duckdb_extension_httpfs.__file__) + '/**/*.duckdb_extension', recursive=True)
duckdb.execute(f"load '{extension}'")
`;

/** Runs queries in Python and in the command line. Ends at once, since threads of DuckDB may abort an orderly end. */
const QUERIES = `${WITH_URLS}
attach = f"attach '{sys.argv[1]}/datasets/catalog.duckdb' as hub (read_only)"
duckdb.execute(attach)
results = []
for sql in json.loads(sys.argv[2]):
    found = duckdb.execute(f"select columns(*)::varchar from ({sql.rstrip().rstrip(';')})")
    names = [column[0] for column in found.description]
    in_python = [dict(zip(names, row)) for row in found.fetchall()]
    command = [sys.executable, '-m', 'duckdb_cli', '-csv', '-c', f"load '{extension}'", '-c', attach, '-c', sql]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    in_command_line = list(csv.DictReader(said.splitlines()))
    results.append([in_python, in_command_line])
print(json.dumps(results), flush=True)
os._exit(0)
`;

/** Runs the cells of a notebook, and prints what each shows. */
const NOTEBOOK = `${WITH_URLS}
names, outputs = {}, []
for cell in json.load(open(sys.argv[2], encoding='utf8'))['cells']:
    if cell['cell_type'] != 'code':
        continue
    code = ''.join(cell['source']).replace('http://localhost:8080', sys.argv[1])
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), 'cell', 'exec'), names)
    value = eval(compile(ast.Expression(last.value), 'cell', 'eval'), names)
    outputs.append('' if value is None else repr(value))
print(json.dumps(outputs), flush=True)
os._exit(0)
`;

describe('by URL', () => {
  for (const python of programs('analysts')) {
    test('Python and the command line answer the ten questions', async () => {
      const words = [server.base, JSON.stringify(sections.map(({ sql }) => sql))];
      const { stdout } = await promisify(execFile)(python, ['-c', QUERIES, ...words]);
      const results: Row[][][] = JSON.parse(stdout);
      assert.equal(results.length, 10);
      for (const [i, answers] of results.entries()) {
        assert.equal(answers.length, 2);
        for (const rows of answers) requireResult(sections[i]!.text, rows.map(withoutNulls));
      }
    });

    test('the notebook shows its outputs', async () => {
      const file = join(projectRoot(), 'docs/first-hour.ipynb');
      interface Cell {
        readonly cell_type: string;
        readonly outputs: { readonly data: { readonly 'text/plain': readonly string[] } }[];
      }
      const { cells }: { cells: Cell[] } = JSON.parse(readFileSync(file, 'utf8'));
      const { stdout } = await promisify(execFile)(python, ['-c', NOTEBOOK, server.base, file]);
      const shown = cells
        .filter(({ cell_type }) => cell_type === 'code')
        .map(({ outputs }) => outputs.flatMap(({ data }) => data['text/plain']).join(''));
      assert.deepEqual(JSON.parse(stdout), shown);
      assert.ok(shown.length > 8);
    });
  }
});

/** The command line writes an unknown value as the text NULL. */
const withoutNulls = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === 'NULL' ? null : value]));

describe('the figures are those of the API', () => {
  test('rewards and commission of every validator and month', async () => {
    const rows = await rowsOf('from hub.rewards_by_validator order by validator, month');
    const validators = [...new Set(rows.map(({ validator }) => validator!))];
    assert.equal(validators.length, 7);
    const stated: unknown[] = [];
    for (const validator of validators) {
      const { months, moniker } = await get<ValidatorStatement>('validator-statement', { validator });
      for (const month of months) {
        if (month.reward_events === 0 && month.commission_amount === '0') continue;
        stated.push([
          ...[validator, moniker, month.month, micro(month.commission_amount), micro(month.commission_usd)],
          ...[micro(month.delegator_rewards_amount), micro(month.delegator_rewards_usd)],
          ...[month.reward_events, month.unique_delegators, month.price_missing_days],
        ]);
      }
    }
    const found = rows.map((row) => [
      ...[row.validator, row.moniker, row.month, BigInt(row.commission!), units(row.commission_usd!)],
      ...[BigInt(row.rewards!), units(row.rewards_usd!)],
      ...[row.reward_events, row.delegators, row.days_without_price].map(Number),
    ]);
    assert.deepEqual(found, stated);
  });

  test('unclaimed rewards of every wallet at the end of the year', async () => {
    const rows = await rowsOf('from hub.unclaimed_at_year_end');
    const wallets = [...new Set(rows.map(({ address }) => address!))].sort();
    const expected = new Map(rows.map((row) => [`${row.address} ${row.year} ${row.denom}`, row.unclaimed]));
    for (const address of inRequests(wallets)) {
      interface Period extends Record<'address' | 'period' | 'denom' | 'unclaimed', string> {}
      const { periods } = await get<{ periods: Period[] }>('rewards', { address: address.join(), interval: 'year' });
      for (const period of periods) {
        const key = `${period.address} ${period.period} ${period.denom}`;
        assert.equal(micro(period.unclaimed), BigInt(expected.get(key) ?? 0), key);
        expected.delete(key);
      }
    }
    assert.deepEqual([expected.size, wallets.length > 100], [0, true]);
  });

  test('holdings of the hundred largest holders', async () => {
    const rows = await rowsOf("from hub.largest_holders where day = '2026-03-31' order by rank");
    assert.equal(rows.length, 100);
    for (const { address, day, rank, liquid, staked, unbonding, total } of rows) {
      const shown = await get<Record<'liquid' | 'staked', number>>('balances', { address: address!, date: day! });
      const said = [shown.liquid, shown.staked];
      const [inRows, bound] = [BigInt(liquid!), BigInt(staked!) + BigInt(unbonding!)];
      assert.deepEqual(
        said,
        [inRows, bound].map((amount) => Number(atom(amount))),
        `${rank} ${address}`,
      );
      assert.equal(BigInt(total!), inRows + bound);
    }
    const totals = rows.map(({ total }) => BigInt(total!));
    assert.ok(totals.every((total, i) => i === 0 || total <= totals[i - 1]!));
    const [others] = await rowsOf(
      `
      select max(liquid + staked + unbonding) as most from (select distinct address, date '2026-03-31' as day from hub.daily_holdings) as known
      asof join hub.daily_holdings as daily on daily.address = known.address and daily.day <= known.day
      where known.address not in (select address from hub.largest_holders where day = '2026-03-31')`.replace(
        'asof join',
        'asof join',
      ),
    );
    assert.ok(BigInt(others!.most!) <= totals.at(-1)!);
  });

  test('slashing losses, fees and IBC flows are the sums of all rows of /events', async () => {
    const events = await allEvents();
    const slashes = events.filter(({ category }) => category === 'slash');
    const [lost] = await rowsOf('select sum(lost) as lost, sum(market_usd) as usd from hub.slashing_losses');
    assert.equal(BigInt(lost!.lost!), sum(slashes.map(({ sentAmount }) => micro(sentAmount))));
    assert.equal(units(lost!.usd!), sum(slashes.map(({ valueUsd }) => micro(String(valueUsd)))));
    for (const fee of await rowsOf('from hub.fees_by_month')) {
      const paid = events.filter(
        ({ category, date, feeCurrency }) =>
          ['fee', 'fee_failed'].includes(category) && date.startsWith(fee.month!) && feeCurrency === fee.symbol,
      );
      const said = [paid.length, paid.filter(({ category }) => category === 'fee_failed').length];
      assert.deepEqual([Number(fee.transactions), Number(fee.failed)], said, fee.month!);
      assert.equal(BigInt(fee.fees!), sum(paid.map(({ feeAmount }) => micro(feeAmount))));
      assert.equal(units(fee.fees_usd!), sum(paid.map(({ valueUsd }) => micro(String(valueUsd)))));
    }
    const flows = await rowsOf(
      "select month, sum(arrived) as arrived, sum(departed) as departed, sum(refunded) as refunded from hub.ibc_flows where symbol = 'ATOM' group by month",
    );
    for (const { month, arrived, departed, refunded } of flows) {
      const of = (category: string) =>
        events.filter((event) => event.category === category && event.date.startsWith(month!));
      const received = (category: string) =>
        sum(
          of(category)
            .filter((one) => one.receivedCurrency === 'ATOM')
            .map((one) => micro(one.receivedAmount)),
        );
      const sent = sum(
        of('ibc_out')
          .filter((one) => one.sentCurrency === 'ATOM')
          .map((one) => micro(one.sentAmount)),
      );
      assert.deepEqual(
        [arrived, departed, refunded].map((text) => BigInt(text!)),
        [received('ibc_in'), sent, received('ibc_refund')],
      );
    }
    assert.ok(slashes.length > 200 && flows.length === 4);
  });

  test('flagged receipts and days with a price', async () => {
    const wallets = await rowsOf('select distinct address from hub.priced_events order by address');
    let records = 0;
    for (const address of inRequests(wallets.map((row) => row.address!))) {
      records += (await get<{ records: unknown[] }>('asset-review', { address: address.join() })).records.length;
    }
    const [spam] = await rowsOf('select sum(receipts) as receipts from hub.spam_senders');
    assert.equal(Number(spam!.receipts), records);
    const months = await rowsOf("from hub.price_coverage where symbol = 'ATOM' and month >= '2026-01' order by month");
    for (const { denom, month, days, priced_days } of months) {
      const [start, end] = [`${month}-01`, addDays(`${month}-01`, Number(days) - 1)];
      const { points } = await get<{ points: { found: boolean }[] }>('price-series', { denom: denom!, start, end });
      assert.deepEqual(
        [points.length, points.filter(({ found }) => found).length],
        [days, priced_days].map(Number),
        month!,
      );
    }
    assert.equal(months.length, 4);
  });
});
