import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NightCase } from '../../pipeline/night-case.js';

const chain = new NightCase();
before(() => chain.night('data', { until: 510 }));
after(() => chain.remove());

/** Stops a process, and on Linux waits until all its threads have stopped. A thread that waits for a disk stops late. */
async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  const tasks = `/proc/${child.pid}/task`;
  const works = (task: string) => !/\) [TZ] /.test(readFileSync(join(tasks, task, 'stat'), 'latin1'));
  do await wait(100);
  while (existsSync(tasks) && readdirSync(tasks).some(works));
}

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
      await stop(child);
      before = scratch(); // its folder may be gone by then
      if (before.length === 0) child.kill('SIGCONT');
    }
    await chain.night('data', { until: 511 });
    assert.deepEqual(scratch(), before);
    child.kill('SIGCONT');
    assert.deepEqual([await ended, out.match(/^(FAIL|hubledger:).*/gm)], [0, null], out);
    assert.deepEqual(scratch(), []);
  });
}
