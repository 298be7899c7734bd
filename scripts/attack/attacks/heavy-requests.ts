import { chooseWallets } from '../../bench/wallets.js';
import type { Attack } from '../suite.js';
import { posting, statusOf } from '../visitor.js';

const AT_ONCE = 20;
const WALLETS = 50;

let addresses: string[] = [];

export const heavyRequests: Attack = {
  name: 'heavy requests',
  what: `${AT_ONCE} journals of the ${WALLETS} largest wallets at once`,
  isShort: false,
  async prepare({ dataDir }) {
    const { all } = await chooseWallets(dataDir);
    addresses = all.slice(-WALLETS).map(({ address }) => address);
    return {};
  },
  async run({ base }) {
    const asked = Array.from({ length: AT_ONCE }, () =>
      statusOf(`${base}/api/tax/v1/journal`, posting({ address: addresses })),
    );
    const statuses = await Promise.all(asked);
    const odd = statuses.filter((status) => status !== 200 && status !== 503);
    const full = statuses.filter((status) => status === 200).length;
    return { lost: `${full} of ${AT_ONCE} answered, ${odd.length} broken`, holds: odd.length === 0 };
  },
};
