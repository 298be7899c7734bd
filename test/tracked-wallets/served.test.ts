import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { programs } from '../requirements.js';
import { startServer, type TestServer } from '../server/harness.js';
import { KNOWN, type SearchNode, startSearchNode } from './search-node.js';
import { WalletCase, type WalletNight } from './wallet-night.js';

const own = new WalletCase({ HUBLEDGER_INDEX_START: '2026-01-06' });
const servers: TestServer[] = [];
let node: SearchNode;
let night: WalletNight;
let server: TestServer;
const { sharer, small } = KNOWN;
const API = '/api/tax/v1';

async function serve(dataDir: string): Promise<TestServer> {
  const environment = { HUBLEDGER_DATA_DIR: join(own.root, dataDir), HUBLEDGER_LOG_LEVEL: 'silent' };
  const started = await startServer({ published: false, environment });
  servers.push(started);
  return started;
}

before(async () => {
  node = await startSearchNode();
  night = await own.night('served', [sharer], [node]);
  server = await serve('served');
});

after(async () => {
  for (const one of servers) await one.close();
  await node.close();
  own.remove();
});

test('the latest holdings are the node’s, and earlier ones lack a reward', async () => {
  const latest = (await server.ask(`${API}/balances?address=${sharer}`)).json();
  const exact = night.wallets[0]!.balances.find(({ denom }) => denom === 'uatom')!.node!;
  assert.equal(Math.round(latest.liquid * 1e6), Number(exact));
  assert.equal(Math.floor(latest.reward * 1e6 + 0.5), Number(night.wallets[0]!.reward));
  const earlier = (await server.ask(`${API}/balances?address=${sharer}&date=2026-02-01`)).json();
  assert.deepEqual([earlier.reward, earlier.total_without_reward], [null, true]);
  assert.ok(earlier.staked > 0);
  assert.equal(Math.round(earlier.total * 1e6), Math.round(earlier.liquid * 1e6) + Math.round(earlier.staked * 1e6));
  assert.equal('total_without_reward' in latest, false);
  const { history } = (await server.ask(`${API}/balances?address=${sharer}&history=true`)).json();
  assert.deepEqual([history.at(-1), history[0].date], [latest, '2026-01-06']);
  const lines = (await server.ask(`${API}/balances?address=${sharer}&history=true&format=csv`)).text
    .trimEnd()
    .split('\r\n');
  assert.equal(lines[0], 'address,date,liquid,staked,reward,total,symbol,unbonding,total_without_reward');
  assert.deepEqual([lines[1]!.split(',')[4], lines[1]!.split(',')[8]], ['', 'true']);
  assert.deepEqual([lines.at(-1)!.split(',')[4], lines.at(-1)!.split(',')[8]], [String(latest.reward), 'false']);
});

test('another wallet gets 404 with the wallets that there are, never an empty answer', async () => {
  const paths = [
    `events?address=${small}`,
    `events?address=${sharer},${small}`,
    `journal?address=${small}`,
    `positions?address=${small}`,
    `balances?address=${small}`,
    `summary?address=${small}&year=2026`,
    `asset-review?address=${small}`,
  ];
  for (const path of paths) {
    const answer = await server.ask(`${API}/${path}`);
    assert.deepEqual([answer.status, answer.json().code], [404, 'not_found'], path);
    assert.match(answer.json().detail, new RegExp(sharer));
  }
});

test('what needs the whole chain answers 503 with this reason', async () => {
  const validator = 'cosmosvaloper1l64h4yr73pf8pdgj4rh9v7rdcerugkmalj7v4v';
  const answer = await server.ask(`${API}/validator-statement?validator=${validator}`);
  assert.equal(answer.status, 503);
  assert.match(answer.json().detail, /whole chain/);
  const { validators_on_chain, jurisdictions } = (await server.ask(`${API}/validators/jurisdictions`)).json();
  assert.deepEqual([validators_on_chain, jurisdictions[0].on_chain], [null, null]);
});

test('readiness and the report page name the state of each wallet', async () => {
  const { wallets } = (await server.ask('/readyz')).json();
  const proofs = { opening: 'node', balances: true, transactions: true, stakes: true };
  const { unconfirmed } = night.wallets[0]!;
  assert.ok(unconfirmed.length > 0);
  assert.deepEqual(wallets, [{ address: sharer, state: 'complete', proofs, missing: [], unconfirmed }]);
  const page = (await (await fetch(`${server.base}/report/dataset.json`)).json()) as { wallets: unknown };
  assert.deepEqual(page.wallets, [{ address: sharer, state: 'complete', missing: [], unconfirmed }]);
});

test('an incomplete wallet answers, and says so', async () => {
  await own.night('incomplete', [small], [node], { lcd: [] });
  const other = await serve('incomplete');
  const { events, coverage } = (await other.ask(`${API}/events?address=${small}`)).json();
  assert.ok(events.length > 0);
  assert.equal(coverage.complete, false);
  assert.match(coverage.note, /Something is missing/);
  const csv = await other.ask(`${API}/events?address=${small}&format=csv`);
  assert.equal(JSON.parse(csv.headers.get('x-coverage')!).complete, false);
  const query = `address=${small}&start=2026-01-10&end=2026-02-28&format=pdf`;
  for (const pdftotext of programs('pdftotext')) {
    for (const path of ['summary?', 'journal?profile=form8949&']) {
      const pdf = Buffer.from(await (await fetch(`${other.base}${API}/${path}${query}`)).arrayBuffer());
      const text = execFileSync(pdftotext, ['-', '-'], { input: pdf, encoding: 'utf8' }).replace(/\s+/g, ' ');
      assert.match(text, new RegExp(`all transactions of ${small} are here: some may be missing`), path);
      assert.doesNotMatch(text, /Not every day/, path);
    }
  }
  const balances = await other.ask(`${API}/balances?address=${small}`);
  assert.deepEqual([balances.status, balances.json().code], [503, 'holdings_incomplete']);
});
