import type { Attack } from '../suite.js';
import { posting, signedIn, statusOf } from '../visitor.js';

const KEYS = 300;
/** Keys of an account that a service may bear. */
const KEYS_MAX = 100;

export const noCaps: Attack = {
  name: 'no caps',
  what: `${KEYS} keys of one account`,
  isShort: false,
  async run(victim, { random }) {
    const headers = await signedIn(victim, random);
    const make = (i: number) =>
      statusOf(`${victim.base}/api/account/v1/keys`, posting({ name: `key ${i}`, scopes: ['tax:read'] }, headers));
    const statuses: number[] = [];
    for (let i = 0; i < KEYS; i++) statuses.push(await make(i));
    const made = statuses.filter((status) => status === 201).length;
    return { lost: `${made} keys`, holds: made <= KEYS_MAX && !statuses.includes(500) };
  },
};
