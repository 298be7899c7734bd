import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { parseDecimal, powerOfTen } from '../../../pipeline/base/values/amount.js';
import { requireFaults, sharedServer, startServer, WALLETS } from '../harness.js';
import { parseCsv } from '../parse-csv.js';

interface Holdings {
  readonly address: string;
  readonly date: string;
  readonly liquid: number;
  readonly staked: number;
  readonly reward: number;
  readonly total: number;
  readonly symbol: string;
  readonly unbonding: number;
}

/** Holdings by the recorded chain's own node at the close of some days, in base units; one reward a validator. */
interface NodeHoldings {
  readonly address: string;
  readonly day: string;
  readonly liquid: string;
  readonly delegations: readonly string[];
  readonly unbonding: readonly string[];
  readonly rewards: readonly string[];
}

const PATH = '/api/tax/v1/balances';
const told: NodeHoldings[] = JSON.parse(readFileSync(join(projectRoot(), 'test/server/node-holdings.json'), 'utf8'));

const server = sharedServer({ manifest: { index_start: '2025-12-28' } });

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);

test('two wallets are told that one is asked for', async () => {
  const { errors } = (await get({ address: `${WALLETS.light},${WALLETS.short}` })).json<{ errors: unknown }>();
  assert.deepEqual(errors, [{ path: 'address', message: 'must be one address' }]);
});

const historyOf = async (address: string) =>
  (await get({ address, history: 'true' })).json<{ address: string; symbol: string; history: Holdings[] }>();

const inAtoms = (uatom: bigint) => Number(uatom) / 1e6; // small enough to be exact

/** The expected answer: delegations are cut off one by one, rewards when all validators' are added. */
function expected({ address, day, liquid, delegations, unbonding, rewards }: NodeHoldings): Holdings {
  const sum = (amounts: readonly string[]) => amounts.reduce((total, text) => total + BigInt(text.split('.')[0]!), 0n);
  const staked = sum(delegations) + sum(unbonding);
  const reward = rewards.reduce((total, text) => total + parseDecimal(text, 18), 0n) / powerOfTen(18);
  return {
    address,
    date: day,
    liquid: inAtoms(BigInt(liquid)),
    staked: inAtoms(staked),
    reward: inAtoms(reward),
    total: inAtoms(BigInt(liquid) + staked + reward),
    symbol: 'ATOM',
    unbonding: inAtoms(sum(unbonding)),
  };
}

test('the close of a day is what the node said, to the last base unit: slashes, unbonding and fractions of rewards', async () => {
  assert.equal(told.length, 12);
  for (const day of told) {
    assert.deepEqual((await get({ address: day.address, date: day.day })).json<Holdings>(), expected(day));
  }
});

test('the reward of several validators is their sum cut off, not the sum of each cut off', async () => {
  // The rewards are 0, 8.99… and 121.95…, together 130.94….
  assert.equal((await get({ address: WALLETS.busy, date: '2026-03-09' })).json<Holdings>().reward, 0.00013);
});

test('CSV has the members of the JSON, a day a line', async () => {
  const { history } = await historyOf(WALLETS.busy);
  const { text, headers } = await get({ address: WALLETS.busy, history: 'true', format: 'csv' });
  const name = `balances-${WALLETS.busy.slice(7, 15)}-2025-12-28-2026-04-14.csv`;
  assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"`);
  const [header, ...lines] = parseCsv(text);
  assert.deepEqual(header, Object.keys(history[0]!));
  assert.deepEqual(
    lines,
    history.map((point) => Object.values(point).map(String)),
  );
  const day = await get({ address: WALLETS.busy, date: '2026-02-01', format: 'csv' });
  assert.deepEqual(
    parseCsv(day.text)[1],
    lines.find(([, date]) => date === '2026-02-01'),
  );
  assert.match(day.headers.get('content-disposition')!, /-2026-02-01\.csv"$/);
});

test('the history has every UTC day of the index, each as its date gives it', async () => {
  const { address, symbol, history } = await historyOf(WALLETS.busy);
  assert.deepEqual([address, symbol, history.length], [WALLETS.busy, 'ATOM', 108]);
  assert.deepEqual([history[0]!.date, history.at(-1)!.date], ['2025-12-28', '2026-04-14']);
  assert.equal(new Set(history.map(({ date }) => date)).size, 108);
  for (const point of history.filter((_, i) => i % 13 === 0)) {
    assert.deepEqual((await get({ address, date: point.date })).json<Holdings>(), point);
  }
  assert.deepEqual((await get({ address, date: '2026-02-01', history: 'true' })).json().history, history);
  assert.deepEqual((await get({ address, history: 'false' })).json<Holdings>(), history.at(-1));
});

test('without a date: the last indexed block, and its day', async () => {
  const { address } = told.at(-1)!;
  assert.deepEqual((await get({ address })).json<Holdings>(), expected(told.at(-1)!));
});

test('a day without blocks is as the day before it', async () => {
  const { history } = await historyOf(WALLETS.busy);
  const { days } = JSON.parse(readFileSync(join(projectRoot(), 'test/server/holdings.json'), 'utf8'));
  const withBlocks = new Set(days.map(([day]: [string]) => day));
  const silent = history
    .map((point, i) => ({ point, before: history[i - 1] }))
    .filter(({ point }) => !withBlocks.has(point.date));
  assert.equal(silent.length, 3);
  for (const { point, before } of silent) assert.deepEqual(point, { ...before!, date: point.date });
});

test('a wallet that the chain does not know holds nothing, on any day', async () => {
  const nothing = { liquid: 0, staked: 0, reward: 0, total: 0, symbol: 'ATOM', unbonding: 0 };
  const address = WALLETS.silent;
  assert.deepEqual((await get({ address })).json<Holdings>(), { address, date: '2026-04-14', ...nothing });
  const { history } = await historyOf(address);
  assert.deepEqual(history[7], { address, date: '2026-01-04', ...nothing });
});

test('amounts above 2^53 base units keep every digit', async (t) => {
  const address = WALLETS.short;
  const holdings = {
    days: [['2026-01-01', 7]] as const,
    wallets: { [address]: [[['2026-01-01', '100000000000000001']], [], []] },
    validators: {},
  };
  const rich = await startServer({ content: { wallets: {}, flagged: [], prices: {}, holdings } });
  t.after(() => rich.close());
  const { text } = await rich.ask(`${PATH}?address=${address}`);
  assert.ok(text.includes('"liquid":100000000000.000001,"staked":0,"reward":0,"total":100000000000.000001,'), text);
});

test('a date outside the index is refused with what it covers, also where an ETag would match', async () => {
  for (const date of ['2025-12-27', '2026-04-15', '0001-01-01']) {
    const refused = await server.ask(`${PATH}?address=${WALLETS.light}&date=${date}`, {
      headers: { 'if-none-match': '*' },
    });
    requireFaults(refused, 400, ['date']);
    assert.match(refused.json().detail, /covers 2025-12-28 to 2026-04-14/);
  }
});

test('an answer has an ETag of its own for each date and for the history', async () => {
  const address = WALLETS.light;
  const queries = [
    { address },
    { address, date: '2026-01-20' },
    { address, date: '2026-01-21' },
    { address, history: 'true' },
  ];
  const etags = await Promise.all(queries.map(async (query) => (await get(query)).headers.get('etag')!));
  assert.equal(new Set(etags).size, 4);
  const again = await server.ask(`${PATH}?address=${address}&history=true`, {
    headers: { 'if-none-match': etags[3]! },
  });
  assert.equal(again.status, 304);
});

test('a dataset without a starting state has no balances, and says so', async (t) => {
  const bare = await startServer({ content: { wallets: {}, flagged: [], prices: {} } });
  t.after(() => bare.close());
  const refused = await bare.ask(`${PATH}?address=${WALLETS.light}`);
  const { code, retry_after } = refused.json();
  assert.deepEqual(
    [refused.status, code, retry_after, refused.headers.get('retry-after')],
    [503, 'unavailable', undefined, '3600'],
  );
  assert.match(refused.json().detail, /starting state/);
});

test('holdings that are proved up to an earlier day: later ones and the last block are refused with it', async (t) => {
  const address = WALLETS.light;
  const holdings_stop = { height: 700, day: '2026-03-02', reason: 'block 700, EndBlock: bonded pool' };
  const days = [
    ['2026-02-27', 640],
    ['2026-03-01', 699],
  ] as const; // the first of March closes with the last proved block
  const content = {
    ...{ wallets: {}, flagged: [], prices: {} },
    holdings: { days, wallets: { [address]: [[['2026-02-27', '5000000']], [], []] as const }, validators: {} },
  };
  const more = { holdings_until: 699, holdings_stop };
  const partial = await startServer({ content, manifest: more });
  t.after(() => partial.close());
  const ask = (query: string) => partial.ask(`${PATH}?address=${address}${query}`);
  for (const query of ['', '&date=2026-03-02', '&date=2026-04-14']) {
    const refused = await ask(query);
    const { code, last_proved_day, retry_after } = refused.json();
    assert.deepEqual(
      [refused.status, code, last_proved_day, retry_after],
      [503, 'holdings_incomplete', '2026-03-01', undefined],
    );
  }
  for (const date of ['2026-02-28', '2026-03-01'])
    assert.equal((await ask(`&date=${date}`)).json<Holdings>().liquid, 5);
  const { history } = (await ask('&history=true')).json<{ history: Holdings[] }>();
  assert.deepEqual(
    history.map(({ date }) => date),
    ['2026-02-27', '2026-02-28', '2026-03-01'],
  );
  assert.equal((await partial.ask('/readyz')).json().holdings_until, 699);
});

test('where holdings begin later than the index, days before are refused with the first that has them', async (t) => {
  const address = WALLETS.light;
  const days = [
    ['2026-02-28', 640],
    ['2026-04-14', 1000],
  ] as const;
  const content = {
    ...{ wallets: {}, flagged: [], prices: {} },
    holdings: { days, wallets: { [address]: [[['2026-02-28', '5000000']], [], []] as const }, validators: {} },
  };
  const later = await startServer({ content, manifest: { holdings_from: 640 } });
  t.after(() => later.close());
  const ask = (query: string) => later.ask(`${PATH}?address=${address}${query}`);
  for (const date of ['2025-12-31', '2026-02-27']) {
    const refused = await ask(`&date=${date}`);
    const { code, detail, first_proved_day, last_proved_day } = refused.json();
    assert.deepEqual(
      [refused.status, code, first_proved_day, last_proved_day],
      [503, 'holdings_incomplete', '2026-02-28', '2026-04-14'],
    );
    assert.match(detail, /^holdings are known from block 640 on .* earlier days need an earlier starting state$/);
  }
  assert.equal((await ask('&date=2025-12-30')).status, 400);
  for (const query of ['', '&date=2026-02-28']) assert.equal((await ask(query)).json<Holdings>().liquid, 5);
  const { history } = (await ask('&history=true')).json<{ history: Holdings[] }>();
  assert.deepEqual([history[0]!.date, history.at(-1)!.date], ['2026-02-28', '2026-04-14']);
  assert.equal((await later.ask('/readyz')).json().holdings_from, 640);
});

test('where no day of the index is proved, every day is refused', async (t) => {
  const holdings_stop = { height: 11, day: '2025-12-29', reason: 'block 11, EndBlock: validator updates' };
  const content = { wallets: {}, flagged: [], prices: {}, holdings: { days: [], wallets: {}, validators: {} } };
  const partial = await startServer({ content, manifest: { holdings_until: 10, holdings_stop } });
  t.after(() => partial.close());
  for (const query of ['', '&date=2026-03-02', '&history=true']) {
    const refused = await partial.ask(`${PATH}?address=${WALLETS.light}${query}`);
    assert.deepEqual(
      [refused.status, refused.json().code, refused.json().last_proved_day],
      [503, 'holdings_incomplete', null],
    );
  }
});
