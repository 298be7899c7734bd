import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NightCase } from '../../pipeline/night-case.js';

const chain = new NightCase();
before(() => chain.night('data', { until: 510 }));
after(() => chain.remove());

for (const folder of ['generations', 'stores']) {
  test(`a night that begins while ${folder} are verified leaves that command what it works with`, async (t) => {
    const child = chain.start('data', 'verify');
    t.after(() => child.kill('SIGKILL'));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    let out = '';
    child.stdout!.on('data', (text) => {
      out += text;
    });
    child.stderr!.on('data', (text) => {
      out += text;
    });
    const scratch = () => readdirSync(chain.path('data', folder)).filter((name) => name.startsWith('.unfinished'));
    let before: string[] = [];
    while (before.length === 0 && child.exitCode === null) {
      await wait(1);
      if (scratch().length === 0) continue;
      child.kill('SIGSTOP');
      await wait(100); // the process stops a little later: its folder may be gone by then
      before = scratch();
      if (before.length === 0) child.kill('SIGCONT');
    }
    await chain.night('data', { until: 511 });
    assert.deepEqual(scratch(), before);
    child.kill('SIGCONT');
    assert.deepEqual([await ended, out.match(/^(FAIL|hubledger:).*/gm)], [0, null], out);
    assert.deepEqual(scratch(), []);
  });
}
