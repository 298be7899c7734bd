import type { Attack } from '../suite.js';
import { statusOf } from '../visitor.js';

export const fullLog: Attack = {
  name: 'full log',
  what: 'the log goes to a disk that is full',
  isShort: true,
  log: 'full',
  async run({ base }) {
    const asked = Array.from({ length: 20 }, () =>
      statusOf(`${base}/api/tax/v1/tags`, { signal: AbortSignal.timeout(30_000) }),
    );
    const refused = (await Promise.all(asked)).filter((status) => status !== 200).length;
    return { lost: `${refused} of 20 reads`, holds: refused === 0 };
  },
};
