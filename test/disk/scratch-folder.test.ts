import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { kernelId } from '../../pipeline/disk/lock.js';
import { removeDeadScratch, scratchFolder } from '../../pipeline/disk/scratch-folder.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-scratch-'));
after(() => rmSync(root, { recursive: true }));

const LONG_AGO = new Date(Date.now() - 7_200_000);

/** Makes a scratch folder of two hours ago, and gives its sign the name that another kernel would give it. */
async function ofAnotherKernel(): Promise<{ folder: string; sign: string }> {
  const folder = await scratchFolder(root, 'spill');
  const [name] = readdirSync(folder);
  const sign = join(folder, name!.replace(kernelId(), '00000000'));
  renameSync(join(folder, name!), sign);
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  return { folder, sign };
}

test('a scratch folder says while its command runs that it is in use', async () => {
  const folder = await scratchFolder(root, 'spill');
  const sign = join(folder, readdirSync(folder)[0]!);
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  await removeDeadScratch(root);
  assert.ok(existsSync(folder));
  for (let looks = 0; statSync(sign).mtimeMs === LONG_AGO.getTime(); looks++) {
    assert.ok(looks < 200, 'the time of its sign is not renewed');
    await wait(50);
  }
  rmSync(folder, { recursive: true });
});

test('of a scratch folder whose sign is another kernel’s, the time of that tells whether it is in use', async () => {
  const { folder, sign } = await ofAnotherKernel();
  utimesSync(sign, new Date(), new Date());
  await removeDeadScratch(root);
  assert.ok(existsSync(folder));
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  await removeDeadScratch(root);
  assert.ok(!existsSync(folder));
});
