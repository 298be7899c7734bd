/** Nights that publish to an object store: on each kind of store they give the bytes of a night without one. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readConfig } from '../../../pipeline/config.js';
import type { NightOptions } from '../../../pipeline/night/night.js';
import { fetchArchive, listArchive } from '../../../pipeline/publish/store/archive.js';
import { DatasetStore, OvertakenError } from '../../../pipeline/publish/store/dataset-store.js';
import { StoreAway } from '../../../pipeline/publish/store/object-store.js';
import { openObjectStore } from '../../../pipeline/publish/store/open-object-store.js';
import { runNight } from '../../../pipeline/run-night.js';
import { CUT, FOLDED, NightCase, silent, treeHashes } from '../../pipeline/night-case.js';
import { startFaultyProxy, startS3 } from './s3-server.js';

const chain = new NightCase();
const s3 = await startS3();
const proxy = s3 && (await startFaultyProxy(s3.endpoint, 15));
after(async () => {
  chain.remove();
  proxy?.stop();
  await s3?.stop();
});

let stores = 0;
const folderOf = (name: string) => pathToFileURL(chain.path('stores', name)).href;

/** Variables of a new store of each kind. */
const KINDS: Record<string, () => Record<string, string>> = {
  file: () => ({ HUBLEDGER_STORE_URL: folderOf(String(stores++)) }),
  ...(s3 && {
    'failing S3': () => ({
      HUBLEDGER_STORE_URL: `s3://${s3.bucket}/night/${stores++}`,
      HUBLEDGER_S3_ENDPOINT: proxy!.endpoint,
    }),
  }),
};
before(() => mkdirSync(chain.path('stores')));

/** In the second month. */
const MIDDLE = '2026-03-01';

/** Runs a night. @returns its outcome, the bytes of its generation, and the number of fetched blocks */
async function nightOn(
  on: NightCase,
  dataDir: string,
  variables: Record<string, string>,
  options: Partial<NightOptions> = {},
  onBegin: (step: string) => void = () => {},
  say: (line: string) => void = () => {},
) {
  let fetched = 0;
  const progress = {
    ...silent,
    begin: onBegin,
    say,
    update(step: string, _done: number, total: number) {
      if (step === 'index and fold' || step === 'index') fetched = total;
    },
  };
  const config = readConfig({ ...on.environment(dataDir), ...variables });
  const outcome = await runNight(config, { workers: 0, ...options }, progress);
  return { ...outcome, fetched, bytes: treeHashes(on.path(dataDir, 'generations', outcome.generation)) };
}

test('each kind of store gives the bytes of a night without one, also from an empty machine', async () => {
  const half = await nightOn(chain, 'none', {}, { until: MIDDLE });
  const whole = await nightOn(chain, 'none', {});
  for (const [kind, newStore] of Object.entries(KINDS)) {
    const variables = newStore();
    const first = await nightOn(chain, `${kind} a`, variables, { until: MIDDLE });
    assert.deepEqual(first.bytes, half.bytes);
    const second = await nightOn(chain, `${kind} b`, variables);
    assert.deepEqual(second.bytes, whole.bytes);
    assert.equal(second.fetched, CUT.last - half.height, 'old blocks come from the store');
    assert.ok(second.pieces.taken > 0);
    const again = await nightOn(chain, `${kind} a`, variables);
    assert.equal(again.isNew, false);
    assert.equal(again.fetched, 0);
    assert.equal(again.pieces.made, 0);
  }
});

test('holdings come from the store', async () => {
  const folded = new NightCase(FOLDED);
  after(() => folded.remove());
  const variables = { HUBLEDGER_STORE_URL: pathToFileURL(folded.path('store')).href };
  const first = await nightOn(folded, 'a', variables);
  const times = (dataDir: string) => treeHashes(folded.path(dataDir, 'holdings'));
  const second = await nightOn(folded, 'b', variables);
  assert.equal(second.generation, first.generation);
  assert.equal(second.pieces.made, 0);
  assert.deepEqual(Object.keys(times('b')), Object.keys(times('a')));
});

test('of two nights at once, the one that publishes last is refused', async () => {
  const variables = KINDS.file!();
  await nightOn(chain, 'first', variables, { until: MIDDLE });
  let other: Promise<unknown> | undefined;
  const store = await openObjectStore(variables.HUBLEDGER_STORE_URL!, undefined, { forMs: 0, say() {} });
  const slow = nightOn(chain, 'slow', variables, {}, (step) => {
    // The lease is lost, as after a pause of the process.
    if (step === 'audit')
      other ??= store.remove('locks/night').then(() => nightOn(chain, 'fast', variables, { until: CUT.last - 1 }));
  });
  // 'slow' waits for no other night, so the other one may be the one that is refused.
  const [a, b] = await Promise.allSettled([slow, slow.catch(() => {}).then(() => other)]);
  const refused = [a, b].filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.equal(refused.length, 1);
  assert.ok(refused[0]!.reason instanceof OvertakenError);
  assert.match(refused[0]!.reason.message, /^another nightly run has published h\d+-[0-9a-f]{12} in file:/);
});

test('a store that has lost what was published there is refused, and is not made anew', async () => {
  const variables = KINDS.file!();
  const folder = fileURLToPath(variables.HUBLEDGER_STORE_URL!);
  await nightOn(chain, 'lost', variables, { until: MIDDLE });
  for (const [lose, what] of [
    [() => renameSync(folder, `${folder}-away`), 'does not exist'],
    [() => mkdirSync(folder), 'is empty'],
  ] as const) {
    lose();
    chain.variables = variables;
    const { code, error } = await chain.command('lost', 'nightly');
    chain.variables = {};
    assert.equal(code, 3);
    assert.match(
      error,
      new RegExp(`^hubledger: HUBLEDGER_STORE_URL: ${folder} ${what}, [^\n]+; nothing is published\n$`),
    );
    if (what === 'does not exist') assert.equal(existsSync(folder), false);
  }
  rmdirSync(folder);
  renameSync(`${folder}-away`, folder);
  assert.equal((await nightOn(chain, 'lost', variables)).isNew, true);
});

test('damaged objects and lists are made again on an empty machine, except prices and generations', async () => {
  const variables = KINDS.file!();
  const folder = fileURLToPath(variables.HUBLEDGER_STORE_URL!);
  const half = await nightOn(chain, 'keeper', variables, { until: MIDDLE });
  const archive: { files: { path: string; sha256: string }[] } = JSON.parse(
    readFileSync(join(folder, 'archive.json'), 'utf8'),
  );
  const raw = archive.files.filter(({ path }) => path.startsWith('raw/'));
  const pieces = readdirSync(join(folder, 'pieces'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  const piece = JSON.parse(readFileSync(join(folder, 'pieces', pieces[0]!), 'utf8')).files[0].sha256;
  const spoiled = [`objects/${raw[0]!.sha256}`, `objects/${piece}`, `pieces/${pieces[1]}`];
  const right = new Map(spoiled.map((name) => [name, readFileSync(join(folder, name))]));
  for (const [name, bytes] of right) {
    const wrong = Buffer.from(bytes);
    wrong[bytes.length >> 1]! ^= 1;
    writeFileSync(join(folder, name), name.startsWith('pieces/') ? '{' : wrong);
  }
  const lines: string[] = [];
  const healed = await nightOn(chain, 'healer', variables, { until: MIDDLE }, undefined, (line) => lines.push(line));
  assert.equal(healed.generation, half.generation);
  assert.deepEqual(healed.bytes, half.bytes);
  assert.ok(healed.fetched > 0, 'the blocks come from the node');
  for (const [name, bytes] of right) {
    assert.ok(
      lines.some((line) => line.startsWith(`${name} in file:`) && line.includes('is damaged')),
      name,
    );
    assert.deepEqual(readFileSync(join(folder, name)), bytes, `${name} is mended`);
  }
  const list = join(folder, `generations/${half.generation}/files.json`);
  const text = readFileSync(list);
  writeFileSync(list, '{');
  await assert.rejects(
    nightOn(chain, 'without list', variables),
    /files\.json in .* is damaged: .* by \.\/hubledger pull$/,
  );
  assert.equal((await nightOn(chain, 'healer', variables, { until: MIDDLE })).isNew, false);
  assert.deepEqual(readFileSync(list), text);
});

test('damaged prices of the archive end a night on an empty machine, unless a loss is allowed', async () => {
  const store = await DatasetStore.open(KINDS.file!().HUBLEDGER_STORE_URL!, undefined, { forMs: 0, say() {} });
  const [source, empty] = ['priced', 'unpriced'].map((name) => chain.path(name));
  await store.objects.put('CURRENT', Buffer.from(''));
  mkdirSync(join(source!, 'prices/1/000001'), { recursive: true });
  writeFileSync(join(source!, 'prices/1/000001/quotes.json'), '{}');
  const files = await listArchive(source!);
  await store.putObject(join(source!, files[0]!.path));
  await store.objects.put(`objects/${files[0]!.sha256}`, Buffer.from('{ '));
  const lines: string[] = [];
  const options = { say: (line: string) => void lines.push(line), onProgress() {} };
  await assert.rejects(
    fetchArchive(store, files, empty!, { ...options, allowLoss: false }),
    /^Error: objects\/\w+ in \S+ is damaged: .*belongs to prices\/1\/000001: run nightly where .* --allow-loss/,
  );
  await fetchArchive(store, files, empty!, { ...options, allowLoss: true });
  assert.equal(lines.length, 1);
  assert.equal(existsSync(join(empty!, 'prices/1/000001')), false);
});

test('a wrong byte in a generation ends a night on an empty machine, and fails verify', async () => {
  const variables = KINDS.file!();
  const sound = await nightOn(chain, 'sound', variables, { until: MIDDLE });
  const folder = `${new URL(variables.HUBLEDGER_STORE_URL!).pathname}/objects`;
  const priced = sound.bytes['priced_events/2026-02.parquet']!;
  const verify = () => chain.command('empty', 'verify', '--dataset', variables.HUBLEDGER_STORE_URL!);
  const verified = await verify();
  assert.equal(verified.code, 0, verified.error);
  assert.match(verified.out, /^ok {3}unique_ids: /m);
  appendFileSync(`${folder}/${priced}`, ' ');
  assert.match((await verify()).out, new RegExp(`^FAIL objects/${priced} in .* is damaged`));
  await assert.rejects(nightOn(chain, 'empty', variables), new RegExp(`objects/${priced} in .* is damaged`));
});

test('a night fails with one line if the store stays away, and CURRENT stays', { skip: !s3 }, async () => {
  const own = await startFaultyProxy(s3!.endpoint, 1000);
  const variables = { HUBLEDGER_STORE_URL: `s3://${s3!.bucket}/away`, HUBLEDGER_S3_ENDPOINT: own.endpoint };
  const before = await nightOn(chain, 'away', variables, { until: MIDDLE });
  const stopped = nightOn(chain, 'away', variables, { storePatienceMs: 500 }, (step) => {
    if (step === 'publish') own.stop();
  });
  await assert.rejects(stopped, (error: Error) => {
    assert.ok(error instanceof StoreAway);
    assert.match(error.message, /^http:.* does not answer \([^\n]*\)$/);
    return true;
  });
  assert.equal(readFileSync(chain.path('away', 'CURRENT'), 'utf8').trim(), before.generation);
  const again = await nightOn(chain, 'away', { ...variables, HUBLEDGER_S3_ENDPOINT: proxy!.endpoint });
  assert.equal(again.isNew, true);
});
