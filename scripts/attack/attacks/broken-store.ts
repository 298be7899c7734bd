import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';
import { Victim } from '../victim.js';
import { signIn, statusOf } from '../visitor.js';

const WATCHED_S = 6;

export const brokenStore: Attack = {
  name: 'broken store',
  what: 'the embedded store has lost its control file',
  isShort: true,
  log: 'kept',
  // A store that is open is a third of a server's memory. This one is opened again and again meanwhile, and is not there before.
  bounds: { growth: 2 },
  async prepare(place) {
    const victim = await Victim.start(place, {});
    await signIn(victim, place.random);
    await victim.end();
    const folder = join(place.dataDir, 'store/global');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pg_control'), '');
    truncateSync(join(folder, 'pg_control'));
    return {};
  },
  async run(victim) {
    const { base } = victim;
    let refused = 0;
    for (let second = 0; second < WATCHED_S; second++) {
      if ((await statusOf(`${base}/api/tax/v1/tags`)) !== 200) refused++;
      await wait(1000);
    }
    const account = await statusOf(`${base}/api/account/v1/me`, {
      headers: { cookie: '__Secure-hubledger.session-token=a' },
    });
    const told = victim.linesWith('the store is unavailable: sign-in and keys').length;
    return {
      lost: `${refused} of ${WATCHED_S} public reads; accounts answer ${account}, ${told} line says why`,
      holds: refused === 0 && account === 503 && told === 1,
    };
  },
};
