/** Nights after other nights: several give the bytes of one, and none takes anything away unless it may. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { sealFolder } from '../../pipeline/base/disk/sealed-folder.js';
import { AuditError } from '../../pipeline/publish/run-audits.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { openDatabase } from '../open-database.js';
import { CUT, NightCase, treeHashes } from './night-case.js';

const chain = new NightCase();
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

const generationOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);
const current = (dataDir: string) => readFileSync(chain.path(dataDir, 'CURRENT'), 'utf8').trim();

function unseal(folder: string): void {
  rmSync(join(folder, 'sums.json'));
  rmSync(join(folder, 'compared.txt'), { force: true }); // small folders have none
}

test('several nights give the bytes of a single one, and share the files of past months', async () => {
  await chain.night('parts', { until: 490 });
  const half = await chain.night('parts', { until: '2026-03-01' });
  assert.ok(half.height > 500 && half.height < CUT.last);
  const all = await chain.night('parts');
  assert.equal(all.generation, whole.generation);
  assert.deepEqual(treeHashes(generationOf('parts', all)), treeHashes(generationOf('whole', whole)));
  const inode = (outcome: Outcome) =>
    statSync(join(generationOf('parts', outcome), 'priced_events/2026-02.parquet')).ino;
  assert.equal(inode(all), inode(half));
});

test('a damaged piece is made again, and a whole run compares all pieces', async () => {
  await chain.night('pieces', { until: '2026-03-01' });
  const [first, ...others] = readdirSync(chain.path('pieces', 'pieces', 'books')).map((key) =>
    chain.path('pieces', 'pieces', 'books', key),
  );
  appendFileSync(join(first!, 'tables.json'), ' ');
  rmSync(others[0]!, { recursive: true });
  const again = await chain.night('pieces');
  assert.equal(again.generation, whole.generation);
  assert.equal((await chain.command('pieces', 'nightly', '--full')).code, 0);
  const [replay] = readdirSync(chain.path('pieces', 'pieces', 'books'));
  const states = chain.path('pieces', 'pieces', 'books', replay!, 'tables.json');
  const sound = readFileSync(states, 'utf8');
  appendFileSync(states, ' ');
  assert.equal((await chain.command('pieces', 'nightly', '--full')).code, 0);
  assert.equal(readFileSync(states, 'utf8'), sound, 'a damaged piece is not what a whole run is compared with');
  const piece = readdirSync(chain.path('pieces', 'pieces', 'books')).map((key) =>
    chain.path('pieces', 'pieces', 'books', key),
  )[0]!;
  unseal(piece);
  appendFileSync(join(piece, 'tables.json'), ' ');
  renameSync(piece, `${piece}-aside`);
  await sealFolder(`${piece}-aside`, piece);
  const different = await chain.command('pieces', 'nightly', '--full');
  assert.equal(different.code, 4);
  assert.match(
    different.error,
    /tables\.json has other bytes under the same key: [0-9a-f]{64} before, [0-9a-f]{64} now/,
  );
  assert.equal(current('pieces'), whole.generation);
});

test('the heights asked for decide, not what else is on disk', async () => {
  const half = await chain.night('halves', { until: 500 });
  await chain.night('halves');
  const back = await chain.night('halves', { until: 500, allowLoss: true });
  assert.equal(back.generation, half.generation);
  const later = await chain.night('halves', { from: 490, until: 510, allowLoss: true });
  const alone = await chain.night('later', { from: 490, until: 510 });
  assert.equal(later.generation, alone.generation);
});

test('a night that would take something away publishes only when it may', async () => {
  const before = await chain.night('lost', { until: 510 });
  const refused = await chain.command('lost', 'nightly', '--until', '500');
  assert.equal(refused.code, 3);
  assert.match(
    refused.error,
    /^hubledger: this nightly run would remove blocks 501 to 510, from .*; nothing is published \(use --allow-loss to publish anyway\)\n$/,
  );
  assert.equal(current('lost'), before.generation);
  assert.equal((await chain.command('lost', 'nightly', '--until', '500', '--allow-loss')).code, 0);
  assert.match(current('lost')!, /^h500-/);
});

test('tables that contradict an audit are not published', async () => {
  const before = await chain.night('audited', { until: 500 });
  const database = await openDatabase();
  const [recipe] = readdirSync(chain.path('audited', 'classified'));
  const [range] = readdirSync(chain.path('audited', 'classified', recipe!));
  const path = chain.path('audited', 'classified', recipe!, range!, 'chain_events.parquet');
  await database.attach('chain_events', [path]);
  await database.execute('create table doubled as from chain_events union all (from chain_events limit 1)');
  await database.execute(`copy doubled to '${path}' (format parquet)`);
  database.close();
  const unsealed = chain.path('audited', 'unsealed');
  renameSync(dirname(path), unsealed);
  unseal(unsealed);
  await sealFolder(unsealed, dirname(path));
  rmSync(chain.path('audited', 'pieces'), { recursive: true });
  await assert.rejects(
    () => chain.night('audited', { until: 500 }),
    (error) => error instanceof AuditError && /unique_ids: Every row/.test(error.message),
  );
  const { code, error } = await chain.command('audited', 'nightly', '--until', '500');
  assert.equal(code, 3);
  assert.match(error, /unique_ids: .*\n {2}\{"id":".*an audit failed; nothing is published\n$/s);
  assert.equal(current('audited'), before.generation);
  assert.deepEqual(
    readdirSync(chain.path('audited', 'generations')).filter((name) => name.startsWith('.')),
    [],
  );
});
