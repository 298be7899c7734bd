import type { Attack } from '../suite.js';
import { posting, signedIn, strangeAddress } from '../visitor.js';

const WRITES = 10;
const ENTRIES = 7000;
/** Bytes that a service may keep of one address. */
const ENTRY_BYTES_MAX = 100_000;

export const savedFlood: Attack = {
  name: 'saved flood',
  what: `${WRITES} times 0.6 MB of decisions on receipts that do not exist, each for another address`,
  isShort: true,
  async run(victim, { random }) {
    const headers = await signedIn(victim, random);
    const decisions = Object.fromEntries(
      Array.from({ length: ENTRIES }, (_, i) => [`${i.toString(16).padStart(64, '0')}`, { mode: 'exclude' }]),
    );
    let stored = 0;
    for (let i = 0; i < WRITES; i++) {
      const url = `${victim.base}/api/tax/v1/saved-decisions?address=${strangeAddress(random)}`;
      const body = { ...posting({ decisions }, headers), method: 'PUT' };
      const answer = await fetch(url, body);
      // The answer has what is saved now.
      if (answer.ok && (await answer.text()).length > ENTRY_BYTES_MAX) stored++;
    }
    return { lost: `${stored} of ${WRITES} are stored`, holds: stored === 0 };
  },
};
