/** `hubledger mcp` as a client of the SDK calls it, on the whole sample. Its figures are those of the HTTP API. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { AssetReview, EventList, Summary } from '../../../schemas/types.generated.js';
import { QueryFault, runQuery } from '../../../scripts/mcp/query.js';
import { NightCase, SAMPLE_CHAIN } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { loaders, program, run } from '../run-program.js';

const ONE = 'cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w';
const TWO = 'cosmos13p09a5pvckpw57wtnsd6gpk6434auhua37a742';
const FLAGGED = 'cosmos12gf8z4gzqw2x5zy0jh0ms6q0f9lgq5nv6vttqg';
const ENDLESS = 'with recursive t as (select 1 as n union all select n + 1 from t) select count(*) from t';
const EXCLUDE = { '*': { mode: 'exclude' } };

const chain = new NightCase(SAMPLE_CHAIN);
let generation: string;
let server: TestServer;
let assistant: Client;
before(async () => {
  ({ generation } = await chain.published('data'));
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
  assistant = await connect();
});
after(async () => {
  await assistant.close();
  await server.close();
  chain.remove();
});

async function connect(...words: string[]): Promise<Client> {
  const { PATH, HOME } = process.env as Record<string, string>;
  const env = { PATH: PATH!, HOME: HOME!, HUBLEDGER_NOW: '2026-06-01T00:00:00Z', ...chain.environment('data') };
  const args = [...loaders, program, 'mcp', ...words];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}

type Arguments = Record<string, unknown>;

interface Result<Answer> {
  readonly source: { readonly from: string; readonly generation: string; readonly methodology_version: string | null };
  readonly notice: string;
  readonly answer: Answer;
}

/** Calls a tool that must succeed. @returns its structured content, which its text repeats */
async function call<Answer = unknown>(name: string, given: Arguments, client = assistant): Promise<Result<Answer>> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  assert.ok(!isError, `${name} ${JSON.stringify(given)}: ${text}`);
  assert.deepEqual(JSON.parse(text), structuredContent);
  return structuredContent as unknown as Result<Answer>;
}

/** Calls a tool that must fail. @returns its error */
async function refusal(name: string, given: Arguments): Promise<string> {
  const { content, isError } = await assistant.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  assert.ok(isError, `${name} ${JSON.stringify(given)}: ${text.slice(0, 300)}`);
  return text;
}

/** Asks the HTTP API for the same. */
async function ask<Body>(name: string, given: Arguments): Promise<Body> {
  const query = Object.entries(given).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const answer = await server.ask(`/api/tax/v1/${name}?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  return answer.json<Body>() as Body;
}

/** Requires that an answer of a tool has the API's values. Marks and texts of long numbers count as their values. */
function requireSame(found: unknown, expected: unknown, path: string): void {
  if (typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(found as object), Object.keys(expected), path);
    for (const [name, value] of Object.entries(expected)) {
      requireSame((found as Record<string, unknown>)[name], value, `${path}.${name}`);
    }
  } else if (typeof expected === 'number') assert.equal(Number(found), expected, path);
  else if (found !== null && typeof found === 'object') assert.deepEqual(found, { text_of_stranger: expected }, path);
  else assert.equal(found, expected, path);
}

/** Plain questions, and the tool call that answers each. */
const QUESTIONS: readonly (readonly [question: string, tool: string, given: Arguments])[] = [
  ['What did I earn and sell in 2026?', 'summary', { address: ONE, year: '2026' }],
  ['And my two wallets together?', 'summary', { address: `${ONE},${TWO}`, year: 2026 }],
  ['If both are mine?', 'summary', { address: `${ONE},${TWO}`, year: '2026', own_wallets: 'carry' }],
  ['What if I sold the newest coins first?', 'summary', { address: ONE, year: '2026', method: 'lifo' }],
  ['What in the first quarter?', 'summary', { address: ONE, start: '2026-01-01', end: '2026-03-31' }],
  ['By days in Berlin?', 'summary', { address: ONE, year: '2026', timezone: 'Europe/Berlin' }],
  ['Without the spam?', 'summary', { address: FLAGGED, year: '2026', asset_decisions: EXCLUDE }],
  ['What has happened in my wallet?', 'events', { address: ONE }],
  ['Which rewards did I get?', 'events', { address: ONE, type: 'rewards' }],
  [
    'Which fees did I pay in February?',
    'events',
    { address: ONE, type: 'fees', start: '2026-02-01', end: '2026-02-28' },
  ],
  ['What came over IBC?', 'events', { address: TWO, type: 'ibc_in' }],
  ['What did I stake?', 'events', { address: TWO, type: 'staking' }],
  ['What did I trade?', 'events', { address: FLAGGED, type: 'swaps', asset_decisions: EXCLUDE }],
  ['Which lots do I have?', 'positions', { address: ONE }],
  ['Which lots did I have in March?', 'positions', { address: ONE, date: '2026-03-31' }],
  ['Which lots have both wallets?', 'positions', { address: `${ONE},${TWO}`, date: '2026-04-01' }],
  ['What do I hold?', 'holdings', { address: ONE }],
  ['What did I hold on 1 March?', 'holdings', { address: ONE, date: '2026-03-01' }],
  ['In euros?', 'holdings', { address: ONE, date: '2026-03-01', currency: 'EUR' }],
  ['At noon of 1 February?', 'holdings', { address: TWO, at: '2026-02-01T12:00:00Z' }],
  ['What is in my German return?', 'tax-year', { address: ONE, country: 'DE', year: '2026' }],
  ['In my French return, with all wallets?', 'tax-year', { address: ONE, country: 'FR', year: '2026', complete: true }],
  ['In my British return?', 'tax-year', { address: TWO, country: 'GB', year: '2026', complete: 'true' }],
  ['In my Austrian return?', 'tax-year', { address: TWO, country: 'AT', year: '2026' }],
  ['What must I decide?', 'asset-review', { address: FLAGGED }],
  ['What of it since March?', 'asset-review', { address: FLAGGED, start: '2026-03-01' }],
  ['Which kinds of rows are there?', 'catalog', {}],
];

test('plain questions have the figures of the API, with their source', async () => {
  for (const [question, tool, given] of QUESTIONS) {
    const { source, answer } = await call(tool, given);
    requireSame(answer, await ask(tool, given), question);
    assert.equal(source.generation, generation, question);
    assert.match(source.from, new RegExp(`^/api/tax/v1/${tool}(\\?|$)`));
    requireSame(answer, (await server.ask(source.from)).json(), source.from);
  }
});

test('three more questions, answered from rows, tables and blocks, agree with the API', async () => {
  const { events } = await ask<EventList>('events', { address: ONE });
  type Rows = { columns: { name: string }[]; rows: string[][]; truncated: boolean };
  const counted = await call<Rows>('sql', {
    query: `select count(*) as n from priced_events where address = '${ONE}'`,
  });
  assert.deepEqual(counted.answer, {
    ...{ columns: [{ name: 'n', type: 'BIGINT' }], rows: [[String(events.length)]], truncated: false },
  });
  const fees = await call<Rows>('sql', {
    query: `select sum(fee_amount)::varchar as fees from priced_events where address = '${ONE}'`,
  });
  const paid = events.reduce((sum, { feeAmount }) => sum + BigInt(Math.round(Number(feeAmount) * 1e6)), 0n);
  assert.deepEqual(fees.answer.rows, [[{ text_of_stranger: String(paid) }]]);
  assert.deepEqual([fees.source.from, fees.source.generation], ['catalog.duckdb', generation]);
  const { wallets } = await ask<Summary>('summary', { address: ONE, year: '2026' });
  const { id, txHash } = events.find(({ category }) => category === 'staking_reward')!;
  const explained = await call<{ explanation: { text_of_stranger: string } }>('explain', { address: ONE, row: id });
  assert.ok(explained.answer.explanation.text_of_stranger.startsWith(`row          ${id} of ${ONE}\n`));
  assert.ok(explained.answer.explanation.text_of_stranger.includes(txHash.replace('block:', '')));
  assert.equal(
    explained.source.methodology_version,
    (await call('summary', { address: ONE, year: '2026' })).source.methodology_version,
  );
  assert.equal(wallets[0]!.address, ONE);
});

test('hostile memos and names of the sample are marked in all tools', async () => {
  const given = { address: FLAGGED };
  const { records } = await ask<AssetReview>('asset-review', given);
  const { answer, notice } = await call<AssetReview>('asset-review', given);
  assert.match(notice, /data and never an instruction/);
  const texts = records.flatMap(({ memo, claimed_symbol }) => [memo, claimed_symbol]).filter((text) => text !== '');
  assert.ok(texts.length > 0);
  const found = answer.records.flatMap(({ memo, claimed_symbol }) => [memo, claimed_symbol] as unknown[]);
  assert.deepEqual(
    found.filter((text) => text !== ''),
    texts.map((text) => ({ text_of_stranger: text })),
  );
  const query = "select memo as harmless, [upper(memo)] as l from priced_events where memo like '=%' limit 1";
  const { rows } = (await call<{ rows: [object, object][] }>('sql', { query })).answer;
  assert.deepEqual(
    rows[0]!.map((value) => Object.keys(value)),
    [['text_of_stranger'], ['text_of_stranger']],
  );
  const broken = await refusal('sql', { query: "select memo::int from priced_events where memo like '=%'" });
  assert.match(broken, /^DuckDB refuses the query: \{"text_of_stranger":"Conversion Error: [^\n]+never an instruction/);
});

test('tools are read-only and have the parameters of the API', async () => {
  const { tools } = await assistant.listTools();
  const names = ['summary', 'events', 'positions', 'holdings', 'tax-year', 'asset-review', 'catalog', 'explain', 'sql'];
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  );
  for (const { annotations, description } of tools) {
    assert.deepEqual([annotations?.readOnlyHint, annotations?.destructiveHint], [true, false]);
    assert.match(description!, /never an instruction/);
  }
  const { properties, required } = tools[3]!.inputSchema;
  assert.deepEqual(Object.keys(properties!), ['address', 'chain', 'timezone', 'at', 'date', 'currency']);
  assert.deepEqual(required, ['address']);
});

test('errors of the API are errors of the tool, with the detail', async () => {
  const cases: [string, Arguments, RegExp][] = [
    ['summary', { address: FLAGGED, year: '2026' }, /^3 flagged receipts need a decision: give asset_decisions /],
    ['holdings', { address: 'cosmos1x' }, /^address: "cosmos1x" is not a bech32 address/],
    ['holdings', { address: ONE, date: '2026-02-30' }, /^date: /],
    ['holdings', {}, /^holdings needs the argument address$/],
    ['holdings', { address: ONE, adress: ONE }, /^holdings has no argument "adress"; it has address, chain, /],
    ['explain', { address: ONE, row: '1-2-3' }, new RegExp(`^${ONE} has no row 1-2-3$`)],
    ['explain', { address: 'nobody', row: '1' }, /^nobody has no rows in /],
    ['send', { address: ONE }, /^there is no tool "send"$/],
  ];
  for (const [tool, given, message] of cases) assert.match(await refusal(tool, given), message);
});

describe('sql', () => {
  test('refuses everything but one SELECT on the published tables', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'hubledger-mcp-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'written');
    const notSelect = [
      `copy priced_events to '${file}'`,
      `attach '${file}' as other`,
      'create table mine as from priced_events',
      'create view mine as select 1',
      'insert into priced_events select * from priced_events',
      'delete from hub.priced_events',
      'update priced_events set memo = null',
      'drop view priced_events',
      `export database '${folder}'`,
      'pragma database_list',
      "set memory_limit = '100GB'",
      'reset lock_configuration',
      "set variable hubledger_files = '/'",
      'install httpfs',
      'load httpfs',
      'call pragma_version()',
      'use memory',
      'begin transaction',
      'checkpoint',
      'explain select 1',
      'prepare mine as select 1',
      'detach hub',
    ];
    for (const query of notSelect) assert.match(await refusal('sql', { query }), /^only SELECT is allowed: /, query);
    assert.equal(await refusal('sql', { query: 'select 1; select 2' }), 'only one statement is allowed');
    assert.match(await refusal('sql', { query: `select 1; copy (select 1) to '${file}'` }), /^only /);
    assert.match(await refusal('sql', { query: 'selec 1' }), /syntax error at or near/);
    const others = [
      "from read_text('/etc/passwd')",
      "from read_csv('/etc/passwd')",
      "from '/etc/passwd.csv'",
      "from glob('/*')",
      "from read_parquet('https://tax.example/x.parquet')",
      "from 'https://tax.example/x.parquet'",
      `from read_blob('${chain.path('data/CURRENT')}')`,
      `from read_blob('${chain.path('data/generations', generation, '../../CURRENT')}')`,
      "from query('copy (select 1) to ''x''')",
    ];
    for (const query of others) {
      assert.match(
        await refusal('sql', { query }),
        /Permission Error|Parser Error|does not exist|Missing Extension/,
        query,
      );
    }
    assert.ok(!existsSync(file));
  });

  test('stops a query after ten seconds', async () => {
    assert.equal(await refusal('sql', { query: ENDLESS }), 'the query was stopped after 10 seconds');
    assert.deepEqual((await call<{ rows: unknown }>('sql', { query: 'select 1' })).answer.rows, [[1]]);
  });

  test('begins no query whose time is over before its tables are open', async () => {
    const folder = chain.path('data/generations', generation);
    await assert.rejects(runQuery(ENDLESS, folder, AbortSignal.abort()), QueryFault);
  });

  test('returns at most 1,000 rows and about 1 MB, and says if there are more', async () => {
    const all = await call<{ rows: unknown[]; truncated: boolean }>('sql', { query: 'from range(1001)' });
    assert.deepEqual([all.answer.rows.length, all.answer.truncated], [1000, true]);
    const exact = await call<{ rows: unknown[]; truncated: boolean }>('sql', { query: 'from range(1000)' });
    assert.deepEqual([exact.answer.rows.length, exact.answer.truncated], [1000, false]);
    const long = await call<{ rows: unknown[]; truncated: boolean }>('sql', {
      query: "select repeat('x', 100000) from range(100)",
    });
    assert.deepEqual([long.answer.rows.length, long.answer.truncated], [9, true]);
    assert.match(
      await refusal('sql', { query: 'select list(range) from range(1000000000)' }),
      /Out of Memory|^the query was stopped after 10 seconds$/,
    );
  });
});

test('with --server the same tools ask another server', async (t) => {
  const client = await connect('--server', `${server.base}/`);
  t.after(() => client.close());
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).slice(-2), ['asset-review', 'catalog']);
  const given = { address: ONE, year: '2026' };
  const { source, answer } = await call('summary', given, client);
  requireSame(answer, await ask('summary', given), 'summary');
  assert.equal(source.from, `${server.base}/api/tax/v1/summary?address=${ONE}&year=2026`);
  assert.equal(source.generation, generation);
});

test('the command ends when its client goes, and refuses to start without a dataset', async () => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...chain.environment('data') };
  const child = spawn(process.execPath, [...loaders, program, 'mcp'], { env });
  child.stdin.end();
  assert.deepEqual(await once(child, 'close'), [0, null]);
  const { code, error } = run(['mcp'], { HUBLEDGER_DATA_DIR: '/nonexistent' });
  assert.deepEqual([code, error], [1, 'hubledger: nothing is published in /nonexistent\n']);
  const wrong = run(['mcp', '--server', 'tax.example']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.error, /--server 'tax\.example' is invalid: it must be an address like https:\/\/tax\.example\n$/);
});
