/** Nights whose fold stops: rows, lots and journal are published all the same, and holdings as far as they are proved. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { VariableError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { publishedFolder, verify } from '../../pipeline/publish/verify/verify.js';
import { verifyAgainstNode } from '../../pipeline/publish/verify/verify-against-node.js';
import type { Outcome } from '../../pipeline/run-night.js';
import type { Manifest } from '../../schemas/types.generated.js';
import { account } from '../holdings/small-chain.js';
import { openDatabase } from '../open-database.js';
import { CUT, FOLDED, NightCase } from './night-case.js';

/** The first block of the cut with a slash: the fold stops there when it believes in another fraction. */
const SLASH = 381;

/** The fraction that it burned: the sample's own parameter. */
const RIGHT_FRACTION = '0.000100000000000000';

const chain = new NightCase(FOLDED);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

/** The sample's genesis with a member of slashing's parameters changed, so that no rule explains a block of the chain. */
function wrongGenesis(fraction: string): string {
  const genesis = JSON.parse(gunzipSync(readFileSync(`${projectRoot()}/data/sample/genesis.json.gz`)).toString());
  genesis.app_state.slashing.params.slash_fraction_downtime = fraction;
  const path = chain.path('wrong-genesis.json.gz');
  writeFileSync(path, gzipSync(JSON.stringify(genesis)));
  return path;
}

const folderOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);

/** Rows of a table as text, sorted; of one condition. */
async function rowsOf(dataDir: string, outcome: Outcome, table: string, condition = 'true'): Promise<string[]> {
  const folder = folderOf(dataDir, outcome);
  const database = await openDatabase();
  try {
    await database.attach(table, tableFiles(folder, readManifest(folder), table));
    const rows = await database.all<{ row: string }>(`select t::varchar as row from ${table} as t where ${condition}`);
    return rows.map(({ row }) => row).sort();
  } finally {
    database.close();
  }
}

async function faultsOf(dataDir: string, outcome: Outcome): Promise<string[]> {
  const faults: string[] = [];
  for await (const { ok, text } of verify(folderOf(dataDir, outcome))) if (!ok) faults.push(text);
  return faults;
}

test('the fold stops in the index: rows as ever, holdings up to the block before, and the manifest says why', async () => {
  chain.variables = { HUBLEDGER_GENESIS: wrongGenesis('0.020000000000000000') };
  const partial = await chain.night('partial');
  const manifest: Manifest = readManifest(folderOf('partial', partial));
  assert.equal(manifest.height, FOLDED.last);
  assert.equal(manifest.holdings_until, SLASH - 1);
  const { height, day, reason } = manifest.holdings_stop!;
  assert.deepEqual([height, day], [SLASH, '2026-02-13']);
  assert.match(
    reason,
    new RegExp(`^block ${SLASH}, BeginBlock: slashed tokens of cosmosvaloper\\w+: expected \\d+, found \\d+`),
  );

  const own = "category <> 'slash'";
  for (const [table, condition] of [
    ['priced_events', `height < ${SLASH}`],
    ['coin_movements', 'true'],
    ['validator_payouts', 'true'],
    ['opening_balances', 'true'],
    ['delegation_intervals', `to_height < ${SLASH}`],
    ['validator_days', `day < '${day}'`],
  ] as const) {
    const expected = await rowsOf('whole', whole, table, condition);
    assert.ok(expected.length > 0, table);
    assert.deepEqual(await rowsOf('partial', partial, table, condition), expected, table);
  }
  // The coins that a slash took are the fold's to tell; everything else is read from blocks. Positions count the rows of a block.
  const without = (rows: readonly string[]) => rows.map((row) => row.replace(/'position': \d+, /, ''));
  const unpriced = (rows: readonly string[]) => rows.map((row) => row.replace(/_price': [\d.]+/g, "_price': NULL"));
  const ofShares = "coalesce(sent_denom, '') || coalesce(received_denom, '') like '%valoper%'";
  assert.deepEqual(
    without(await rowsOf('partial', partial, 'priced_events', `not (${ofShares})`)).sort(),
    without(await rowsOf('whole', whole, 'priced_events', `${own} and not (${ofShares})`)).sort(),
  );
  // The stop is a slash, so that nobody knows what shares are worth from its day on.
  assert.deepEqual(
    unpriced(without(await rowsOf('partial', partial, 'priced_events', ofShares))).sort(),
    unpriced(without(await rowsOf('whole', whole, 'priced_events', ofShares))).sort(),
  );
  const later = `denom like '%valoper%' and found and day >= '${day}'`;
  assert.deepEqual(await rowsOf('partial', partial, 'prices', later), []);
  assert.ok((await rowsOf('whole', whole, 'prices', later)).length > 0);
  assert.deepEqual(await rowsOf('partial', partial, 'validator_days', `day >= '${day}'`), []);
  assert.deepEqual(await faultsOf('partial', partial), []);
});

test('a node is asked for states of published days alone, although holdings end between two of them', async () => {
  const asked = new Set<number>();
  const refusal = { code: 2, message: 'codespace sdk code 18: invalid request: failed to load state at height' };
  const node = createServer((request, response) => {
    asked.add(Number(request.headers['x-cosmos-block-height']));
    response.writeHead(500).end(JSON.stringify(refusal));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  for await (const _ of verifyAgainstNode(publishedFolder(chain.path('partial')), [url], 1));
  node.close();
  assert.ok(asked.size > 0);
  assert.ok(!asked.has(SLASH - 1));
});

test('the night after it changes nothing, and folds nothing', async () => {
  const first = readdirSync(chain.path('partial/holdings'), { recursive: true, encoding: 'utf8' }).sort();
  const { isNew } = await chain.night('partial');
  assert.equal(isNew, false);
  assert.deepEqual(readdirSync(chain.path('partial/holdings'), { recursive: true, encoding: 'utf8' }).sort(), first);
});

test('a night up to the block before the stop has whole holdings', async () => {
  const until = await chain.night('partial', { until: SLASH - 1, allowLoss: true });
  const { holdings_until, holdings_stop } = readManifest(folderOf('partial', until));
  assert.deepEqual([holdings_until, holdings_stop], [SLASH - 1, null]);
  assert.deepEqual(await faultsOf('partial', until), []);
});

/** A file of one correction: that many are burned for downtime from the slash on. */
function corrections(height: number, value: string): string {
  const path = chain.path(`corrections-${height}.json`);
  const what = [{ kind: 'set_parameter', parameter: 'slash_fraction_downtime', value }];
  writeFileSync(path, JSON.stringify([{ height, what, source: 'the parameters of a node at that height' }]));
  return path;
}

test('a correction that says what the chain did makes holdings whole, and the fold goes on from where it stood', async () => {
  const genesis = chain.variables.HUBLEDGER_GENESIS!;
  const partial = await chain.night('partial');
  const [cache] = readdirSync(chain.path('partial/holdings'));
  const parts = () => readdirSync(chain.path('partial/holdings', cache!)).filter((name) => /^\d/.test(name));
  const [january] = parts();
  const made = statSync(chain.path('partial/holdings', cache!, january!)).mtimeMs;

  chain.variables = { HUBLEDGER_GENESIS: genesis, HUBLEDGER_CORRECTIONS: corrections(SLASH, RIGHT_FRACTION) };
  const mended = await chain.night('partial');
  const manifest = readManifest(folderOf('partial', mended));
  assert.deepEqual([manifest.holdings_until, manifest.holdings_stop], [FOLDED.last, null]);
  assert.deepEqual(manifest.tables, readManifest(folderOf('whole', whole)).tables);
  assert.deepEqual(manifest.corrections!.list, JSON.parse(readFileSync(corrections(SLASH, RIGHT_FRACTION), 'utf8')));
  assert.equal(statSync(chain.path('partial/holdings', cache!, january!)).mtimeMs, made);
  assert.notEqual(mended.generation, whole.generation);

  chain.variables = { HUBLEDGER_GENESIS: genesis };
  assert.equal((await chain.night('partial', { allowLoss: true })).generation, partial.generation);
  chain.variables = {};
});

/** A file that takes coins of a wallet that has none. */
function overdraft(height: number): string {
  const path = chain.path(`overdraft-${height}.json`);
  const what = [{ kind: 'adjust_balance', account: account(9), denom: 'uatom', amount: '-17' }];
  writeFileSync(path, JSON.stringify([{ height, what, source: 'nobody' }]));
  return path;
}

test('corrections that leave a wallet less than nothing stop the night as what they are', async () => {
  for (const [height, after] of [
    [SLASH - 1, SLASH - 1],
    [FOLDED.first - 10, FOLDED.first - 1],
  ] as const) {
    const path = overdraft(height);
    chain.variables = { HUBLEDGER_CORRECTIONS: path };
    await assert.rejects(
      () => chain.night('overdraft'),
      (error) =>
        error instanceof VariableError &&
        error.message ===
          `HUBLEDGER_CORRECTIONS: ${path}: with its adjust_balance ${account(9)} has -17 uatom after block ${after}`,
    );
  }
  chain.variables = {};
});

test('corrections that are never made are told in the log', async () => {
  const plain = new NightCase(CUT);
  try {
    plain.variables = { HUBLEDGER_CORRECTIONS: overdraft(SLASH) };
    const { code, out, error } = await plain.command('data', 'nightly');
    assert.equal(code, 0, error);
    assert.match(
      out,
      new RegExp(`"heights":\\[${SLASH}\\],"msg":"corrections have no effect: there is no starting state"`),
    );
  } finally {
    plain.remove();
  }
});

test('the fold stops before the index begins: no holdings of the index, and everything else', async () => {
  const broken = new NightCase(FOLDED);
  try {
    broken.record(broken.lines().map((line, i) => (i === 149 ? withWrongUpdate(line) : line)));
    const { generation } = await broken.night('data');
    const folder = broken.path('data/generations', generation);
    const { holdings_until, holdings_stop, tables } = readManifest(folder);
    assert.deepEqual([holdings_until, holdings_stop!.height], [149, 150]);
    const rows = new Map(tables.map((table) => [table.name, table.rows]));
    for (const table of ['delegation_intervals', 'unbonding_intervals', 'validator_days', 'native_holdings']) {
      assert.equal(rows.get(table), 0, table);
    }
    assert.ok(rows.get('opening_balances')! > 0 && rows.get('priced_events')! > 0);
    for await (const { ok, text } of verify(folder)) assert.ok(ok, text);
  } finally {
    broken.remove();
  }
});

/** The block with a change of the validator set that its staking module did not make. */
const withWrongUpdate = (line: string) =>
  line.replace(
    /"validator_updates":(null|\[\])/,
    '"validator_updates":[{"pub_key":{"Sum":{"type":"tendermint.crypto.PublicKey_Ed25519","value":{"ed25519":"AAAA"}}},"power":"1"}]',
  );
