import type { Attack } from '../suite.js';
import { posting, signedIn, statusOf, strangeAddress } from '../visitor.js';

const ADDRESSES = 50;
const ENTRIES = 9000;

export const ownDecisions: Attack = {
  name: 'own decisions',
  what: `one read of ${ADDRESSES} addresses with a megabyte of saved decisions each`,
  isShort: false,
  bounds: { turnMs: 100 },
  async run(victim, { random }) {
    const headers = await signedIn(victim, random);
    const decisions = Object.fromEntries(
      Array.from({ length: ENTRIES }, (_, i) => [i.toString(16).padStart(64, '0'), { mode: 'exclude' }]),
    );
    const addresses = Array.from({ length: ADDRESSES }, () => strangeAddress(random));
    for (const address of addresses) {
      const body = { ...posting({ decisions }, headers), method: 'PUT' };
      await statusOf(`${victim.base}/api/tax/v1/saved-decisions?address=${address}`, body);
    }
    const began = performance.now();
    const status = await statusOf(`${victim.base}/api/tax/v1/events?address=${addresses.join(',')}`, { headers });
    const ms = performance.now() - began;
    return { lost: `${status} after ${Math.round(ms)} ms`, holds: ms < 10_000 };
  },
};
