import type { Attack } from '../suite.js';
import { posting, signedIn, statusOf } from '../visitor.js';

/** Texts, as many as a mebibyte holds. */
const TEXTS = 156_000;

export const longLists: Attack = {
  name: 'long lists',
  what: 'a mebibyte of distinct scopes and events, which must not be compared with each other',
  isShort: true,
  bounds: { turnMs: 100 },
  async run(victim, { random }) {
    const headers = await signedIn(victim, random);
    const texts = Array.from({ length: TEXTS }, (_, i) => i.toString(36));
    const statuses = [
      await statusOf(`${victim.base}/api/account/v1/keys`, posting({ name: 'x', scopes: texts }, headers)),
      await statusOf(
        `${victim.base}/api/upgrades/v1/webhooks`,
        posting({ url: 'https://a.example', events: texts }, headers),
      ),
    ];
    return { lost: `answers ${statuses.join(', ')}`, holds: statuses.every((status) => status >= 400 && status < 500) };
  },
};
