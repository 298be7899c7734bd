/** Bodies with as many statements about wallets as fit. */
import { EVENTS, fill, type HostileRequest, hash, type Wallets } from './request.js';

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

/** Statements about wallets of all kinds, and those about the dataset's to each endpoint that takes some. @param strangers addresses that nobody has */
export function statingRequests(wallets: Wallets, strangers: readonly string[]): HostileRequest[] {
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

/** Statements that are to be saved. */
export function savingRequests(wallets: Wallets): HostileRequest[] {
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
