/** Nights, servers and verification on data folders whose files a disk, a copy or a person has damaged. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { damagedFile } from '../../pipeline/base/disk/sealed-folder.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { readConfig } from '../../pipeline/config.js';
import { currentGeneration } from '../../pipeline/publish/generation.js';
import { type Check, publishedFolder, verify } from '../../pipeline/publish/verify/verify.js';
import { verifyWalletIndex } from '../../pipeline/publish/verify/verify-wallet-index.js';
import { loadReference } from '../../pipeline/reference.js';
import { type Outcome, runNight } from '../../pipeline/run-night.js';
import { openDataset } from '../../server/tax/dataset/dataset.js';
import { DAMAGES, dataFiles } from '../damage.js';
import { IS_NIGHT } from '../requirements.js';
import { FOLDED, NightCase, silent, treeHashes } from './night-case.js';

const chain = new NightCase(FOLDED);
let clean: Outcome;
let files: string[];
before(async () => {
  clean = await chain.published('clean');
  files = dataFiles(chain.path('clean'));
});
after(() => chain.remove());

/** A copy of the clean data folder, some files of which are damaged. */
function damaged(name: string, kind: string, which: readonly string[]): string {
  cpSync(chain.path('clean'), chain.path(name), { recursive: true, preserveTimestamps: true });
  for (const file of which) DAMAGES[kind]!(chain.path(name, file));
  return chain.path(name);
}

/** A night, with what it says. */
async function night(dataDir: string): Promise<{ generation: string; said: string[] }> {
  const said: string[] = [];
  const say = (text: string, facts = {}) => void said.push(`${text} ${JSON.stringify(facts)}`);
  const config = readConfig(chain.environment(dataDir));
  const { generation } = await runNight(config, { workers: 0 }, { ...silent, say });
  return { generation, said };
}

async function failures(checks: AsyncIterable<Check>): Promise<string[]> {
  const failed: string[] = [];
  for await (const { ok, text } of checks) if (!ok) failed.push(text);
  return failed;
}

/** The first check that fails, or what a check threw: what is found needs no further look. */
async function firstFailure(checks: AsyncIterable<Check>): Promise<unknown> {
  try {
    for await (const { ok, text } of checks) if (!ok) return text;
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Files that a night leaves behind, but raw files set aside and what only tells of this folder's past. */
const contents = (dataDir: string) =>
  Object.fromEntries(
    Object.entries(treeHashes(dataDir)).filter(
      ([file]) =>
        !/\.damaged$|compared\.txt$|lock\.mdb$|^locks\/|^rate-sources\.json$|data\.mdb$|stores\/.*sums\.json$/.test(
          file,
        ),
    ),
  );

async function assertSound(name: string): Promise<void> {
  const dataDir = chain.path(name);
  assert.equal(currentGeneration(dataDir), clean.generation);
  assert.deepEqual(contents(dataDir), contents(chain.path('clean')));
  assert.deepEqual(await failures(verify(publishedFolder(dataDir))), []);
  assert.deepEqual(await failures(verifyWalletIndex(dataDir, clean.generation)), []);
  await openDataset(dataDir, clean.generation, loadReference()).close();
}

test('the data folder has files of every kind', () => {
  const folders = new Set(files.map((file) => file.split('/')[0]));
  assert.deepEqual(
    [...folders],
    [...['CURRENT', 'classified', 'generations', 'holdings', 'pieces', 'rate-sources.json', 'raw', 'stores']],
  );
  assert.ok(files.length > 80);
});

test('every damage to any file that can be made again is found before it is read', async () => {
  const sealed = files.filter((file) => /^(classified|holdings|pieces|stores)\//.test(file));
  const folderOf = (file: string) =>
    file.startsWith('pieces/') ? file.split('/').slice(0, 3).join('/') : join(file, '..');
  assert.ok(sealed.length > 40);
  const dataDir = damaged('each', 'cut', []);
  for (const file of sealed) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      damage(join(dataDir, file));
      assert.notEqual(await damagedFile(join(dataDir, folderOf(file))), undefined, `${file} ${kind}`);
      cpSync(chain.path('clean', file), join(dataDir, file), { preserveTimestamps: true });
    }
  }
  rmSync(dataDir, { recursive: true });
});

test('every damage to any file of a published generation is found by its verification', async () => {
  const dataDir = damaged('published', 'cut', []);
  for (const file of files.filter((name) => name.startsWith('generations/'))) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      damage(join(dataDir, file));
      assert.ok(await firstFailure(verify(publishedFolder(dataDir))), `${file} ${kind}`);
      cpSync(chain.path('clean', file), join(dataDir, file));
    }
  }
  rmSync(dataDir, { recursive: true });
});

/** A night that may end once in a line which names the raw file that it has set aside. */
const nightAfterAll = (name: string) =>
  night(name).catch(async (error) => {
    assert.ok(error instanceof BlockError || error instanceof ConfigError, error);
    assert.match(
      error.message,
      /\.parquet is damaged: it is set aside, and the next nightly run fetches its blocks again$/,
    );
    return night(name);
  });

for (const kind of IS_NIGHT ? Object.keys(DAMAGES) : ['flipped']) {
  test(`all derived files are made anew, and blocks are fetched again, when every one of them is ${kind}`, async () => {
    const name = `all-${kind}`;
    damaged(name, kind, files);
    await nightAfterAll(name);
    await assertSound(name);
    assert.deepEqual(
      readdirSync(chain.path(name, 'generations')).concat(readdirSync(chain.path(name, 'stores'))),
      [clean.generation, ...readdirSync(chain.path('clean', 'stores'))],
      'nothing is left behind',
    );
    rmSync(chain.path(name), { recursive: true });
  });
}

/** One file of each kind, and the damage to it alone. */
const ALONE: readonly (readonly [file: RegExp, kind: string, said: RegExp])[] = [
  [/^generations\/.*manifest\.json/, 'cut', /this generation was damaged and is made again .*manifest\.json/],
  [
    /^generations\/.*prices\/all\.parquet/,
    'flipped',
    /this generation was damaged and is made again .*prices\/all\.parquet/,
  ],
  [
    /^holdings\/.*\/start\/checkpoint/,
    'flipped',
    /the starting state is damaged and is loaded again .*checkpoint\.jsonl/,
  ],
  [
    /^holdings\/.*0000000002-.*part\.json/,
    'cut',
    /holdings are damaged and are folded again from that block .*part\.json/,
  ],
  [/^holdings\/.*open-.*\/delegation_spans/, 'flipped', /holdings are damaged.*delegation_spans\.parquet/],
  [/^classified\/.*notes\.json/, 'flipped', /classified rows are damaged and are made again .*notes\.json/],
];
for (const [pattern, kind, expected] of ALONE) {
  test(`a night says what it makes anew: ${pattern.source} ${kind}`, async () => {
    const name = 'alone';
    const [file] = files.filter((one) => pattern.test(one));
    assert.ok(file);
    damaged(name, kind, [file]);
    const { said } = await night(name);
    assert.match(said.join('\n'), expected);
    await assertSound(name);
    rmSync(chain.path(name), { recursive: true });
  });
}

test('folders that are gone, and a CURRENT that names nothing, are made anew', async () => {
  for (const [folders, current] of [
    [['generations', 'stores'], 'h1-000000000000'],
    [['holdings', 'classified'], '../../etc'],
  ] as const) {
    damaged('gone', 'cut', []);
    for (const folder of folders) rmSync(chain.path('gone', folder), { recursive: true });
    writeFileSync(chain.path('gone', 'CURRENT'), current);
    await night('gone');
    await assertSound('gone');
    rmSync(chain.path('gone'), { recursive: true });
  }
});

test('a bit that a disk lost without a trace in the index is found by verification, and by the next start of the machine', async () => {
  const dataDir = damaged('silent', 'cut', []);
  const file = join(dataDir, 'stores', clean.generation, 'data.mdb');
  const seconds = 1_700_000_000;
  utimesSync(file, seconds, seconds);
  assert.equal(await damagedFile(join(file, '..')), undefined);
  DAMAGES.flipped!(file);
  utimesSync(file, seconds, seconds);
  const [found] = await failures(verifyWalletIndex(dataDir, clean.generation));
  assert.match(found!, /data\.mdb is damaged/);
  await night('silent');
  await assertSound('silent');
});
