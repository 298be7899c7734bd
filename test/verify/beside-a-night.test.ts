import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NightCase } from '../pipeline/night-case.js';

const chain = new NightCase();
before(() => chain.night('data', { until: 510 }));
after(() => chain.remove());

for (const folder of ['generations', 'stores']) {
  test(`a night that begins while ${folder} are verified leaves that command what it works with`, async () => {
    const child = chain.start('data', 'verify');
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    let out = '';
    child.stdout!.on('data', (text) => {
      out += text;
    });
    child.stderr!.on('data', (text) => {
      out += text;
    });
    const scratch = () => readdirSync(chain.path('data', folder)).filter((name) => name.startsWith('.unfinished'));
    while (scratch().length === 0 && child.exitCode === null) await wait(1);
    child.kill('SIGSTOP');
    const before = scratch();
    await chain.night('data', { until: 511 });
    assert.deepEqual(scratch(), before);
    child.kill('SIGCONT');
    assert.deepEqual([await ended, out.match(/^(FAIL|hubledger:).*/gm)], [0, null], out);
    assert.deepEqual(scratch(), []);
  });
}
