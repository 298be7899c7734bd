import assert from 'node:assert/strict';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileSha256 } from '../../../pipeline/base/disk/atomic-files.js';
import {
  currentGeneration,
  generationId,
  makeCurrent,
  manifestFile,
  readableGenerations,
  readManifest,
  removeOldGenerations,
} from '../../../pipeline/publish/generation.js';
import { NightCase } from '../../pipeline/night-case.js';

const chain = new NightCase();
after(() => chain.remove());

test('the three newest generations are kept with their stores, and the one in force always', async () => {
  const made: string[] = [];
  for (const until of [486, 487, 488, 489, 490]) {
    const { generation } = await chain.night('data', { until });
    made.push(generation);
  }
  assert.deepEqual(readdirSync(chain.path('data/generations')).sort(), made.slice(-3).sort());
  assert.deepEqual(readdirSync(chain.path('data/stores')).sort(), made.slice(-3).sort()); // a single month has no base layer
  makeCurrent(chain.path('data'), made[2]!);
  removeOldGenerations(chain.path('data'), 3);
  assert.equal(currentGeneration(chain.path('data')), made[2]);
  assert.equal(readdirSync(chain.path('data/generations')).length, 3);
});

test('a clock that was set back does not make the generation before the oldest', async () => {
  const made: string[] = [];
  for (const until of [486, 487, 488, 489]) {
    const { generation } = await chain.night('back', { until });
    made.push(generation);
    const file = manifestFile(chain.path('back/generations', generation));
    const seconds = statSync(file).mtimeMs / 1000 + (made.length === 2 ? 86_400 : 0); // a day ahead, then right again
    utimesSync(file, seconds, seconds);
  }
  assert.deepEqual(readdirSync(chain.path('back/generations')).sort(), made.slice(-3).sort());
  const { manifest } = readableGenerations(chain.path('back'))[0]!;
  assert.equal(manifest.generation, made[3]);
});

test('a damaged file of the generation before is not handed on', async () => {
  const before = await chain.night('damaged', { until: 539 });
  const old = chain.path('damaged/generations', before.generation, 'priced_events/2026-02.parquet');
  writeFileSync(old, 'damaged');
  const { generation } = await chain.night('damaged');
  const manifest = readManifest(chain.path('damaged/generations', generation));
  const [file] = manifest.tables.find(({ name }) => name === 'priced_events')!.files;
  assert.equal(await fileSha256(chain.path('damaged/generations', generation, file!.path)), file!.sha256);
});

test('the id follows from what the manifest says, and from nothing else', async () => {
  const { generation } = await chain.night('data', { until: 490 });
  const manifest = readManifest(chain.path('data/generations', generation));
  assert.equal(generationId(manifest), generation);
  assert.equal(generationId({ ...manifest, generation: 'h1-000000000000' }), generation);
  assert.notEqual(generationId({ ...manifest, methodology_version: '9' }), generation);
  const text = JSON.stringify(manifest);
  assert.ok(!text.includes(chain.root), 'a path of this machine');
  assert.ok(!text.includes(new Date().toISOString().slice(0, 10)), 'the day of the build');
});

test('no dataset is in force before the first night', () => {
  assert.equal(currentGeneration(chain.path('nothing')), undefined);
  writeFileSync(chain.path('CURRENT'), 'h1-000000000000\n');
  assert.equal(currentGeneration(chain.root), 'h1-000000000000');
});
