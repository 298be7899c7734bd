import type { Attack } from '../suite.js';
import { signIn, statusOf } from '../visitor.js';

const WALLETS = 29;
const QUOTA = 60;
/** Requests of one address that may be answered in a minute, and a half: accounts have a larger bucket of their address. */
const ANSWERS_MAX = 10 * QUOTA;

export const freeAccounts: Attack = {
  name: 'free accounts',
  what: `${WALLETS} throw-away wallets of one address, each of which brings a quota of its own`,
  isShort: false,
  environment: { HUBLEDGER_RATE_LIMIT: String(QUOTA) },
  async run(victim, { random }) {
    let answered = 0;
    for (let i = 0; i < WALLETS; i++) {
      const headers = await signIn(victim, random);
      if (!headers) continue;
      const asked = Array.from({ length: QUOTA }, () => statusOf(`${victim.base}/api/tax/v1/tags`, { headers }));
      answered += (await Promise.all(asked)).filter((status) => status === 200).length;
    }
    return { lost: `${answered} answers to one address`, holds: answered <= ANSWERS_MAX };
  },
};
