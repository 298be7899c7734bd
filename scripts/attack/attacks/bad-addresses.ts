import type { Attack } from '../suite.js';
import { posting, statusOf } from '../visitor.js';

export const badAddresses: Attack = {
  name: 'bad addresses',
  what: 'lists of hundreds of thousands of addresses that are none, in a body and in a URL',
  isShort: true,
  bounds: { turnMs: 100 },
  async run({ base }) {
    const path = `${base}/api/tax/v1/events`;
    const statuses = [
      await statusOf(path, posting({ address: `${'a,'.repeat(520_000)}a` })),
      await statusOf(path, posting({ address: Array.from({ length: 260_000 }, () => 'a') })),
      await statusOf(`${path}?address=${'a,'.repeat(32_000)}a`),
    ];
    return { lost: `answers ${statuses.join(', ')}`, holds: statuses.every((status) => status >= 400 && status < 500) };
  },
};
