import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';
import { statusOf } from '../visitor.js';

const WATCHED_S = 60;

export const cutIndex: Attack = {
  name: 'cut index',
  what: 'the wallet index was cut to half, as by a full disk or a copy that broke off',
  isShort: true,
  log: 'kept',
  async prepare({ dataDir }) {
    const stores = join(dataDir, 'stores');
    for (const id of readdirSync(stores)) {
      const file = join(stores, id, 'data.mdb');
      truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    }
    return {};
  },
  async run(victim) {
    let status = 0;
    for (let second = 0; second < WATCHED_S && status !== 200; second++) {
      status = await statusOf(`${victim.base}/readyz`);
      if (status !== 200) await wait(1000);
    }
    const told = victim.linesWith('the wallet index of').length; // damaged, or rebuilt
    return { lost: `/readyz answers ${status}, ${told} line says why`, holds: status === 200 && told === 1 };
  },
};
