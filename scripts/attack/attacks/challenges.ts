import type { Attack } from '../suite.js';
import { posting, statusOf, strangeAddress } from '../visitor.js';

const CHALLENGES = 4000;
const SAMPLE = 400;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1]!;

export const challenges: Attack = {
  name: 'challenges',
  what: `${CHALLENGES} challenges that nobody answers, of which each must cost no more than the first`,
  isShort: false,
  async run({ base }, { random }) {
    const times: number[] = [];
    let refused = 0;
    for (let i = 0; i < CHALLENGES; i++) {
      const began = performance.now();
      const status = await statusOf(
        `${base}/api/account/v1/sign-in/challenge`,
        posting({ address: strangeAddress(random) }),
      );
      if (status !== 200) refused++;
      times.push(performance.now() - began);
    }
    const [first, last] = [median(times.slice(0, SAMPLE)), median(times.slice(-SAMPLE))];
    const lost = `the median goes from ${first.toFixed(1)} to ${last.toFixed(1)} ms, ${refused} refused`;
    return { lost, holds: refused === 0 && last < 3 * first };
  },
};
