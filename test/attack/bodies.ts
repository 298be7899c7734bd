/** Attacks by the largest bodies, queries and headers. */
import { chooseWallets } from '../../scripts/bench/wallets.js';
import type { Attack } from './suite.js';
import type { Victim } from './victim.js';
import { posting, signedIn, statusOf, strangeAddress } from './visitor.js';

/** Hostile requests: what takes longest to read at each place that takes a body, a query or a header, whether right or wrong. */
/** A request that is expensive to read, valid or not. */
interface HostileRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With its query. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Wallets {
  /** The wallet with the most rows. */
  readonly largest: string;
  /** The largest wallets, as many as a request may name. */
  readonly many: readonly string[];
  /** Rows of the largest wallet that received coins. */
  readonly rows: readonly { readonly id: string; readonly txHash: string }[];
}

const EVENTS = '/api/tax/v1/events';

/** Maximum characters of a body, with some room for an address. */
const BODY_CHARACTERS = 1024 * 1024 - 8192;

/** Returns up to `max` items, as many as fit into a body, separated by commas. */
export function fill(item: (i: number) => string, max = Number.POSITIVE_INFINITY): string {
  const items: string[] = [];
  for (let i = 0, left = BODY_CHARACTERS; i < max; i++) {
    const text = item(i);
    left -= text.length + 1;
    if (left < 0) break;
    items.push(text);
  }
  return items.join(',');
}

/** Returns a hash that no transaction has. */
export const hash = (i: number): string => i.toString(16).padStart(64, '0');

interface Statements {
  readonly name: string;
  readonly member: 'userTags' | 'assetDecisions' | 'openingLots';
  readonly value: string;
}

const TAGS_MAX = 14_000;
const DECISIONS_MAX = 12_000;
const LOTS_MAX = 5000;
const NINES = '9'.repeat(40);
const OVERRIDE = `{"mode":"override","value_usd":"${NINES}.${NINES}","cost_basis_usd":"${NINES}","acquired_date":"2020-02-29"}`;
const LOT = '"denom":"uatom","quantity":"0.000001","acquired_date":"2024-03-01","cost_basis_usd":"1"';

function tags({ rows }: Wallets): Statements[] {
  const row = (i: number) => rows[i % rows.length]!;
  const most = Math.min(rows.length, TAGS_MAX);
  const said = (name: string, item: (i: number) => string, count = TAGS_MAX) =>
    ({ name, member: 'userTags', value: `{${fill(item, count)}}` }) as const;
  return [
    said('tags of no row', (i) => `"${hash(i)}":"income"`),
    said('tags of rows', (i) => `"${row(i).txHash}":"income"`, most),
    said('tags of row ids', (i) => `"${row(i).id}":"income"`, most),
    said('tags of denoms', (i) => `"${row(i).txHash}:uatom":"income"`, most),
    said('tags that fit no row', (i) => `"${row(i).txHash}":"sale"`, most),
    said('wrong tags', (i) => `"${hash(i)}":"x"`),
    said('tags twice', (i) => `"${i % 2 ? 'AB' : 'ab'}${hash(i >> 1).slice(2)}":"income"`),
    said('equal keys', () => `"${hash(1)}":"income"`, Number.POSITIVE_INFINITY),
  ];
}

function decisions({ rows }: Wallets): Statements[] {
  const row = (i: number) => rows[i % rows.length]!;
  const said = (name: string, item: (i: number) => string, count = DECISIONS_MAX) =>
    ({ name, member: 'assetDecisions', value: `{${fill(item, count)}}` }) as const;
  return [
    said('exclusions', (i) => `"${i}-a":{"mode":"exclude"}`, 15_000),
    said('overrides', (i) => `"${row(i).id}":${OVERRIDE}`, rows.length),
    said('overrides of no row', (i) => `"${i}-a":{"mode":"override","value_usd":"1"}`),
    said('wrong overrides', (i) => `"${i}-a":{"mode":"override","quantity":1}`),
    said('one wide decision', () => `"1-a":{"mode":"override",${fill((i) => `"${i}":1`, 39_000)}}`, 1),
    said('decisions for many', (i) => `"*:${i}":{"mode":"exclude"}`, 15_000),
  ];
}

function lots(): Statements[] {
  const said = (name: string, item: () => string) =>
    ({ name, member: 'openingLots', value: `[${fill(item, LOTS_MAX)}]` }) as const;
  return [
    said('lots', () => `{${LOT}}`),
    said('wrong lots', () => '{"denom":1}'),
    said('lots of strangers', () => `{${LOT},"address":"${NINES}"}`),
  ];
}

const OTHER_PATHS = ['/api/tax/v1/positions', '/api/tax/v1/journal', '/api/tax/v1/summary'];

/** @param strangers addresses without rows */
function statingRequests(wallets: Wallets, strangers: readonly string[]): HostileRequest[] {
  const known = { 'largest wallet': wallets.largest, 'many wallets': wallets.many };
  const post = (path: string, who: string, address: unknown, { name, member, value }: Statements): HostileRequest => ({
    name: `${path}: ${name}, ${who}`,
    method: 'POST',
    path,
    body: `{"address":${JSON.stringify(address)},"ownWallets":"carry","${member}":${value}}`,
  });
  return [...tags(wallets), ...decisions(wallets), ...lots()].flatMap((stated) => [
    post(EVENTS, 'nobody', strangers[0], stated),
    post(EVENTS, 'strangers', strangers, stated),
    ...[EVENTS, ...OTHER_PATHS].flatMap((path) =>
      Object.entries(known).map(([who, address]) => post(path, who, address, stated)),
    ),
  ]);
}

function savingRequests(wallets: Wallets): HostileRequest[] {
  const put = (path: string, member: string, { name, value }: Statements): HostileRequest => ({
    name: `${path}: ${name}`,
    method: 'PUT',
    path: `/api/tax/v1/${path}?address=${wallets.largest}`,
    body: `{"${member}":${value}}`,
  });
  return [
    ...decisions(wallets).map((stated) => put('saved-decisions', 'decisions', stated)),
    ...lots().map((stated) => put('saved-opening-lots', 'opening_lots', stated)),
  ];
}

const KNOWN_CONTRACT = 'cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs2zhgh2';
const LONG = 'x'.repeat(15_000);

/** Bodies of up to 16 KiB for other endpoints, by name. */
const SHORT: Readonly<Record<string, string>> = {
  'long texts': JSON.stringify({ name: LONG, address: LONG, url: `https://${LONG}`, note: LONG }),
  'many items': `{"scopes":[${'1,'.repeat(3500)}1],"events":[${'1,'.repeat(3500)}1]}`,
  'many members': `{${fill((i) => `"${i}":1`, 1500)}}`,
};

const SHORT_PATHS = [
  '/api/account/v1/keys',
  '/api/account/v1/sign-in/challenge',
  '/api/account/v1/sign-in',
  '/api/upgrades/v1/webhooks',
  '/api/tax/v1/submissions',
];

/** Messages to contracts, by name. */
const MESSAGES: Readonly<Record<string, string>> = {
  'deep message': `${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}`,
  'wide message': `{${fill((i) => `"${i}":1`, 7000)}}`,
};

/** Queries after an address, by name. */
const QUERIES: Readonly<Record<string, string>> = {
  'a parameter again and again': 'a=&'.repeat(20_000),
  'many parameters': fill((i) => `${i.toString(36)}=`, 12_000).replaceAll(',', '&'),
  'percent signs': `a=${'%41'.repeat(21_000)}`,
  tags: `tags=${encodeURIComponent(`{${fill((i) => `"${hash(i)}":"income"`, 700)}}`)}`,
  'deep tags': `tags=${'['.repeat(64_000)}`,
};

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['accept', 'a/b;q=0.1,'.repeat(10_000)],
  ['accept-encoding', 'gzip;q=0.1,'.repeat(9000)],
  ['cookie', 'a=b; '.repeat(20_000)],
  ['authorization', `Bearer ${'a'.repeat(100_000)}`],
  ['if-none-match', 'W/"a",'.repeat(17_000)],
  ['x-forwarded-for', '1.2.3.4,'.repeat(13_000)],
  ['origin', `https://${'a.'.repeat(50_000)}example`],
  ['range', `bytes=${'0-1,'.repeat(20_000)}0-1`],
];

function requestsElsewhere(address: string): HostileRequest[] {
  const post = (path: string, name: string, body: string): HostileRequest => ({
    name: `${path}: ${name}`,
    method: 'POST',
    path,
    body,
  });
  const get = (name: string, query: string, headers: Readonly<Record<string, string>> = {}): HostileRequest => ({
    name,
    method: 'GET',
    path: `${EVENTS}?address=${address}&${query}`,
    headers,
  });
  return [
    ...SHORT_PATHS.flatMap((path) => Object.entries(SHORT).map(([name, body]) => post(path, name, body))),
    ...Object.entries(MESSAGES).map(([name, message]) =>
      post('/api/v1/query', name, `{"network":"mainnet","contract":"${KNOWN_CONTRACT}","query":${message}}`),
    ),
    ...Object.entries(QUERIES).map(([name, query]) => get(`query: ${name}`, query)),
    ...HEADERS.map(([name, value]) => get(`header ${name}`, '', { [name]: value })),
  ];
}

const VALUES_MAX = 39_990;

/** Members besides the address, by name: as deep, wide and long as allowed, and more. */
const MEMBERS: Readonly<Record<string, string>> = {
  'many members': fill((i) => `"${i.toString(36)}":1`, VALUES_MAX),
  'many numbered members': fill((i) => `"${i * 2 ** 24}":1`, VALUES_MAX),
  'many numbers': `"a":[${fill((i) => `${i}.123456789012`, VALUES_MAX)}]`,
  'equal members': fill(() => '"a":1', VALUES_MAX),
  'deep values': fill((i) => `"${i}":${'{"a":'.repeat(13)}1${'}'.repeat(13)}`, 2800),
  'too deep a value': `"a":${'['.repeat(500_000)}${']'.repeat(500_000)}`,
  'too many values': `"a":[${'1,'.repeat(500_000)}1]`,
  'long name': `"${'n'.repeat(BODY_CHARACTERS)}":1`,
  'long text': `"a":"${'x'.repeat(BODY_CHARACTERS)}"`,
  'text of escapes': `"a":"${'\\u0041'.repeat(BODY_CHARACTERS / 6)}"`,
  'text of quotes': `"a":"${'\\"'.repeat(BODY_CHARACTERS / 2)}"`,
  'text of three bytes a character': `"a":"${'丁'.repeat(BODY_CHARACTERS / 3)}"`,
  'text of four bytes a character': `"a":"${'🂡'.repeat(BODY_CHARACTERS / 4)}"`,
  'long number': `"a":${'9'.repeat(BODY_CHARACTERS)}`,
  'long fraction': `"a":0.${'9'.repeat(BODY_CHARACTERS)}`,
  'ten long numbers': `"a":[${Array(10).fill('7'.repeat(100_000)).join(',')}]`,
  'huge exponents': `"a":[${fill(() => '1e99999', VALUES_MAX)}]`,
  'long exponents': `"a":[${fill(() => `1e-${'9'.repeat(20)}`, VALUES_MAX)}]`,
  blanks: `"a":${' '.repeat(BODY_CHARACTERS)}1`,
  'no end': `"a":"${'x'.repeat(BODY_CHARACTERS)}`,
};

function oddBodies(address: string): HostileRequest[] {
  const post = (name: string, body: string | Uint8Array): HostileRequest => ({
    name,
    method: 'POST',
    path: EVENTS,
    body,
  });
  return [
    ...Object.entries(MEMBERS).map(([name, members]) => post(name, `{"address":"${address}",${members}}`)),
    post('bytes that are no UTF-8', Buffer.from(`{"a":"${'x'.repeat(BODY_CHARACTERS)}\xff"}`, 'latin1')),
    post('an address of a megabyte', `{"address":"${'a,'.repeat(BODY_CHARACTERS / 2)}"}`),
    post('many addresses', `{"address":[${fill(() => '"a"', VALUES_MAX)}]}`),
  ];
}

/** CPU time that one request may take in one turn of the event loop. */
const TURN_MS_MAX = 50;
const WALLETS = 50;
const ATTEMPTS = 3;

let largest = '';
let many: readonly string[] = [];

/** Returns the rows of the largest wallet with received coins. */
async function receivingRows({ base }: Victim): Promise<Wallets['rows']> {
  const answer = await fetch(`${base}${EVENTS}?address=${largest}`);
  const { events } = (await answer.json()) as { events: (Wallets['rows'][number] & { receivedDenom: string })[] };
  return events.filter(({ receivedDenom }) => receivedDenom !== '');
}

async function allRequests(victim: Victim, stranger: () => string): Promise<HostileRequest[]> {
  const wallets = { largest, many, rows: await receivingRows(victim) };
  return [
    ...statingRequests(wallets, Array.from({ length: WALLETS }, stranger)),
    ...savingRequests(wallets),
    ...oddBodies(stranger()),
    ...requestsElsewhere(stranger()),
  ];
}

/** Sends a request, and repeats it after a long turn, which other load on the machine may have caused. */
async function longestTurn(victim: Victim, request: HostileRequest, session: Readonly<Record<string, string>>) {
  const { path, headers, ...rest } = request;
  const sent = { ...rest, headers: { 'content-type': 'application/json', ...session, ...headers } };
  let status = 0;
  let ms = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ATTEMPTS && ms > TURN_MS_MAX; i++) {
    await victim.longestTurn();
    status = await statusOf(victim.base + path, sent);
    ms = Math.min(ms, await victim.longestTurn());
  }
  return { status, ms };
}

const largeRequests: Attack = {
  name: 'large requests',
  what: 'the largest bodies, queries and headers of every kind, valid or not, one by one',
  isShort: false,
  async prepare({ dataDir }) {
    const { all } = await chooseWallets(dataDir);
    many = all.slice(-WALLETS).map(({ address }) => address);
    largest = many.at(-1)!;
    return {};
  },
  async run(victim, { random }) {
    const session = await signedIn(victim, random);
    let worst = { name: '', ms: 0 };
    const broken: string[] = [];
    for (const request of await allRequests(victim, () => strangeAddress(random))) {
      const { status, ms } = await longestTurn(victim, request, session);
      if (status === 0 || status === 500) broken.push(request.name);
      if (ms > worst.ms) worst = { name: request.name, ms };
    }
    const lost = `a turn of ${Math.round(worst.ms)} ms (${worst.name}), ${broken.length} broken ${broken[0] ?? ''}`;
    return { lost, holds: worst.ms <= TURN_MS_MAX && broken.length === 0 };
  },
};

const badAddresses: Attack = {
  name: 'bad addresses',
  what: 'hundreds of thousands of invalid addresses, in a body and in a URL',
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

export const bodyAttacks: readonly Attack[] = [largeRequests, badAddresses];
