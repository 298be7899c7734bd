/** Nights on what another version of the program has published. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import {
  currentFile,
  currentGeneration,
  generationDir,
  generationId,
  manifestFile,
  readManifest,
} from '../../pipeline/publish/generation.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { NightCase } from './night-case.js';

const chain = new NightCase();
let whole: Outcome;
before(async () => {
  await chain.night('earlier', { until: 510 });
  whole = await chain.night('whole');
});
after(() => chain.remove());

/** A copy of the data folder whose manifest another program has written. @returns the id of its generation */
function publishedBy(name: string, change: (manifest: Record<string, unknown>) => void): string {
  const dataDir = chain.path(name);
  cpSync(chain.path('earlier'), dataDir, { recursive: true });
  const folder = generationDir(dataDir, currentGeneration(dataDir)!);
  const manifest = readManifest(folder);
  change(manifest as unknown as Record<string, unknown>);
  const generation = generationId(manifest);
  writeFileSync(manifestFile(folder), JSON.stringify({ ...manifest, generation }));
  renameSync(folder, generationDir(dataDir, generation));
  writeFileSync(currentFile(dataDir), `${generation}\n`);
  return generation;
}

for (const [member, value, told] of [
  ['classifier_version', '999', 'classification 999, not \\d+'],
  ['methodology_version', '1.10.0', 'methodology 1\\.10\\.0, not 1\\.\\d\\.0'],
  ['schema_version', 20, 'form 20, not 1'],
] as const) {
  test(`what a program of a newer ${member} has published stays, unless it may go`, async () => {
    const newer = publishedBy(member, (manifest) => {
      manifest[member] = value;
    });
    const line = new RegExp(`^this nightly run would remove what a newer program has made under ${told}$`);
    await assert.rejects(() => chain.night(member), { message: line });
    assert.equal(currentGeneration(chain.path(member)), newer);
    assert.ok(readFileSync(manifestFile(generationDir(chain.path(member), newer))).length > 0);
    assert.equal((await chain.night(member, { allowLoss: true })).generation, whole.generation);
  });
}

test('a dataset of an earlier form is told as that, and the next night makes another', async () => {
  const earlier = publishedBy('form', (manifest) => {
    delete manifest.price_coverage;
    for (const { columns } of manifest.tables as { columns: { type: string }[] }[]) columns[0]!.type = 'TIMESTAMP';
  });
  const told = {
    code: 1,
    out: '',
    error: `hubledger: ${earlier} lacks price_coverage, because an older program made it: run ./hubledger nightly\n`,
  };
  assert.deepEqual(
    await chain.command(
      'form',
      'export',
      'cosmos1xmu6nmlq092xwzejfam55fj0apj5dvf2lpphxv',
      '--year',
      '2026',
      '--profile',
      'koinly',
      '--out',
      chain.path('out'),
    ),
    told,
  );
  assert.equal((await chain.night('form')).generation, whole.generation);
});
