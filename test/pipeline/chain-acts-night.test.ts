/** Nights on a chain whose own program moves a wallet's coins away and back: lots come back as they went, and holdings go on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { verify } from '../../pipeline/publish/verify/verify.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { account, event, send } from '../classify/events.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from './night-case.js';

const WALLET = 'cosmos1ynej8vy2xqlnmsd75jt60gpjfx7aa3z27eqq53';
const MULTISIG = account('multisig');
const [AWAY, BACK] = [300, 400];
const COINS = '5000000uatom';

const chain = new NightCase(FOLDED);
after(() => chain.remove());

/** A recorded block with a payment before its first event, as a fork's PreBlock leaves it. */
function withPayment(line: string, from: string, to: string): string {
  const record = JSON.parse(line);
  record.block_results.finalize_block_events.unshift(
    ...send(from, to, COINS),
    event('transfer', { sender: from, recipient: to, amount: COINS }),
  );
  return JSON.stringify(record);
}

before(() => {
  const lines = chain.lines();
  lines[AWAY - FOLDED.from] = withPayment(lines[AWAY - FOLDED.from]!, WALLET, MULTISIG);
  lines[BACK - FOLDED.from] = withPayment(lines[BACK - FOLDED.from]!, MULTISIG, WALLET);
  chain.record(lines);
});

const folderOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);

/** Rows and entries of the two blocks; slices without proceeds are days, units and basis of lots. */
async function actsOf(dataDir: string, outcome: Outcome) {
  const folder = folderOf(dataDir, outcome);
  const database = await openDatabase();
  try {
    const manifest = readManifest(folder);
    for (const table of ['priced_events', 'ledger_entries'])
      await database.attach(table, tableFiles(folder, manifest, table));
    const moved = `tx_hash in ('block:${AWAY}', 'block:${BACK}') and detail like 'Moved by the chain itself%'`;
    const rows = await database.all<Record<string, string>>(
      `select address, category, detail from priced_events where ${moved} order by height, position`,
    );
    const entries = await database.all<Record<string, string>>(`
      select e.address, act, debit_account, amount_usd::varchar as amount, slices::varchar as slices
      from ledger_entries e join priced_events r on r.id = e.event_id and r.address = e.address
      where r.${moved} order by e.height, e.position, leg`);
    return { manifest, rows, entries };
  } finally {
    database.close();
  }
}

test('moves that nobody reviewed are no disposals: the lots come back, holdings go on, and the manifest counts them', async () => {
  const outcome = await chain.night('unreviewed');
  const { manifest, rows, entries } = await actsOf('unreviewed', outcome);
  const { unclassified, unreviewed_moves, holdings_until, holdings_stop } = manifest;
  assert.deepEqual([unclassified, unreviewed_moves], [{}, { [AWAY]: 2, [BACK]: 2 }]);
  assert.deepEqual([holdings_until, holdings_stop], [FOLDED.last, null]);
  const detail = 'Moved by the chain itself; not reviewed';
  assert.deepEqual(rows, [
    { address: WALLET, category: 'contract_deposit', detail },
    { address: MULTISIG, category: 'contract_withdrawal', detail },
    { address: MULTISIG, category: 'contract_deposit', detail },
    { address: WALLET, category: 'contract_withdrawal', detail },
  ]);
  const [away, back] = entries.filter(({ address }) => address === WALLET);
  assert.deepEqual([away!.act, back!.act, entries.length], ['deposit', 'withdraw', 4]);
  assert.equal(away!.debit_account, 'Digital Assets: Deposits');
  assert.deepEqual([back!.amount, back!.slices], [away!.amount, away!.slices]);
  for await (const { ok, text } of verify(folderOf('unreviewed', outcome))) assert.ok(ok, text);
});

test("an operator's correction names the moves: the rows have its source, and none is left to review", async () => {
  const path = chain.path('corrections.json');
  const move = (height: number, from: string, to: string) => ({
    ...{ height, source: 'app/forks/some.go' },
    what: [{ kind: 'move_coins', from, to }],
  });
  writeFileSync(path, JSON.stringify([move(AWAY, WALLET, MULTISIG), move(BACK, MULTISIG, WALLET)]));
  chain.variables = { HUBLEDGER_CORRECTIONS: path };
  const { manifest, rows } = await actsOf('corrected', await chain.night('corrected'));
  assert.deepEqual([manifest.unreviewed_moves, manifest.holdings_until], [{}, FOLDED.last]);
  const details = new Set(rows.map(({ detail }) => detail));
  assert.deepEqual([...details], ['Moved by the chain itself: named by a correction (app/forks/some.go)']);
});
