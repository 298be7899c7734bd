import type { Attack } from '../suite.js';
import { statusOf } from '../visitor.js';

const REQUESTS = 30_000;
const AT_ONCE = 50;

export const unreadLog: Attack = {
  name: 'unread log',
  what: `${REQUESTS} paths of eight kilobytes while nobody reads the log`,
  isShort: false,
  log: 'unread',
  async run({ base }) {
    const url = `${base}/${'!'.repeat(8000)}`;
    let asked = 0;
    const ask = async () => {
      while (asked++ < REQUESTS) await statusOf(url);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    const status = await statusOf(`${base}/api/tax/v1/tags`);
    return { lost: status === 200 ? 'nothing' : `a read is answered ${status}`, holds: status === 200 };
  },
};
