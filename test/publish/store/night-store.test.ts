/** Nights that publish to an object store: on each kind of store they give the bytes of a night without one. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../../pipeline/config.js';
import type { NightOptions } from '../../../pipeline/night/night.js';
import { OvertakenError } from '../../../pipeline/publish/store/dataset-store.js';
import { openObjectStore, StoreAway } from '../../../pipeline/publish/store/object-store.js';
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
) {
  let fetched = 0;
  const progress = {
    ...silent,
    begin: onBegin,
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

test('a wrong byte in an object ends a night on an empty machine, and fails verify', async () => {
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
