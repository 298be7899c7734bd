import { setTimeout as wait } from 'node:timers/promises';
import { chooseWallets } from '../../bench/wallets.js';
import { fill, hash } from '../hostile/request.js';
import type { Attack } from '../suite.js';
import { posting, statusOf, strangeAddress } from '../visitor.js';

const QUOTA = 60;
const WALLETS = 50;
const ATTACK_MS = 62_000;
/** Milliseconds of the processor that one turn of the event loop may take. */
const TURN_MS_MAX = 100;

let many: readonly string[] = [];

export const dearRequests: Attack = {
  name: 'dear requests',
  what: 'for a minute one address uses up its quota at once: the largest bodies, journals, tables and PDFs',
  isShort: false,
  environment: { HUBLEDGER_RATE_LIMIT: String(QUOTA) },
  async prepare({ dataDir }) {
    const { all } = await chooseWallets(dataDir);
    many = all.slice(-WALLETS).map(({ address }) => address);
    return {};
  },
  async run(victim, { random }) {
    const api = `${victim.base}/api/tax/v1`;
    const userTags = Object.fromEntries(JSON.parse(`[${fill((i) => `["${hash(i)}","income"]`, 13_000)}]`));
    const dearest = [
      () => statusOf(`${api}/events`, posting({ address: strangeAddress(random), userTags })),
      () => statusOf(`${api}/summary`, posting({ address: many, userTags, ownWallets: 'carry' })),
      () => statusOf(`${api}/journal`, posting({ address: many, ownWallets: 'carry' })),
      () => statusOf(`${api}/journal`, posting({ address: many.at(-1), profile: 'form8949', format: 'pdf' })),
      () => statusOf(`${api}/events`, posting({ address: many, profile: 'koinly' })),
    ];
    const statuses: number[] = [];
    for (const began = performance.now(); performance.now() - began < ATTACK_MS; await wait(1000)) {
      const asked = Array.from({ length: QUOTA }, (_, i) => dearest[i % dearest.length]!());
      statuses.push(...(await Promise.all(asked)));
    }
    const { turnMs } = await victim.worstObserved();
    const answered = statuses.filter((status) => status === 200).length;
    const odd = statuses.filter((status) => ![200, 429, 503].includes(status)).length;
    const lost = `${answered} answered, ${odd} of ${statuses.length} broken`;
    return { lost, holds: odd === 0 && turnMs <= TURN_MS_MAX };
  },
};
