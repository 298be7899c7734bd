/** Attacks through accounts: sign-in, keys and what they save. */
import { execFileSync } from 'node:child_process';
import type { Attack } from './suite.js';
import { environmentOf } from './victim.js';
import { posting, signedIn, signIn, statusOf, strangeAddress } from './visitor.js';

/** As many texts as fit into a mebibyte. */
const TEXTS = 156_000;

const longLists: Attack = {
  name: 'long lists',
  what: 'a mebibyte of distinct scopes and events, which must not be compared pair by pair',
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

const WRITES = 10;
const FLOOD_ENTRIES = 7000;
/** Bytes that the server may store for one address. */
const ENTRY_BYTES_MAX = 100_000;

const savedFlood: Attack = {
  name: 'saved flood',
  what: `${WRITES} times 0.6 MB of decisions about unknown receipts, each for another address`,
  isShort: true,
  async run(victim, { random }) {
    const headers = await signedIn(victim, random);
    const decisions = Object.fromEntries(
      Array.from({ length: FLOOD_ENTRIES }, (_, i) => [`${i.toString(16).padStart(64, '0')}`, { mode: 'exclude' }]),
    );
    let stored = 0;
    for (let i = 0; i < WRITES; i++) {
      const url = `${victim.base}/api/tax/v1/saved-decisions?address=${strangeAddress(random)}`;
      const body = { ...posting({ decisions }, headers), method: 'PUT' };
      const answer = await fetch(url, body);
      // The answer contains the saved state.
      if (answer.ok && (await answer.text()).length > ENTRY_BYTES_MAX) stored++;
    }
    return { lost: `${stored} of ${WRITES} are stored`, holds: stored === 0 };
  },
};

const KEYS = 300;
/** Keys that an account may have. */
const KEYS_MAX = 100;

const noCaps: Attack = {
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

let path = '';

const linkPreviews: Attack = {
  name: 'link previews',
  what: 'a link preview opens a sign-in link by HEAD and GET before the user does',
  isShort: true,
  async prepare({ program, dataDir }) {
    const env = environmentOf({ dataDir });
    const said = execFileSync(process.execPath, [program, 'accounts', 'invite'], { env, encoding: 'utf8' });
    path = /\/api\/account\/v1\/link\/[\w-]+/.exec(said)?.[0] ?? '';
    return {};
  },
  async run({ base, origin }) {
    for (const method of ['HEAD', 'GET']) await statusOf(base + path, { method });
    const status = await statusOf(base + path, { method: 'POST', headers: { origin } });
    return { lost: status === 303 ? 'nothing' : `the user gets ${status}`, holds: status === 303 };
  },
};

const WALLETS = 29;
const QUOTA = 60;
/** Answers to one address in a minute, with a margin: accounts share a larger bucket of their address. */
const ANSWERS_MAX = 10 * QUOTA;

const freeAccounts: Attack = {
  name: 'free accounts',
  what: `${WALLETS} throw-away wallets from one address, each with its own quota`,
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

const ADDRESSES = 50;
const ENTRIES = 9000;

const ownDecisions: Attack = {
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

const CHALLENGES = 4000;
const SAMPLE = 400;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1]!;

const challenges: Attack = {
  name: 'challenges',
  what: `${CHALLENGES} challenges without an answer; the last must cost no more than the first`,
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

export const accountAttacks: readonly Attack[] = [
  longLists,
  linkPreviews,
  savedFlood,
  noCaps,
  freeAccounts,
  ownDecisions,
  challenges,
];
