/** The parameter `timezone`: days of answers and files, against the runtime's calendar asked for each instant. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS } from '../../../pipeline/base/values/day.js';
import { NightCase, SAMPLE_CHAIN } from '../../pipeline/night-case.js';
import { startServer, type TestServer, WALLETS } from '../harness.js';
import { parseTable } from '../parse-csv.js';
import { posting } from '../people/accounts/signed-in.js';

const ZONES = ['America/Los_Angeles', 'Asia/Seoul', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];

type Row = Readonly<Record<string, string>>;

const chain = new NightCase(SAMPLE_CHAIN);
let server: TestServer;
const wallets = [WALLETS.busy, WALLETS.short, 'cosmos1xmu6nmlq092xwzejfam55fj0apj5dvf2lpphxv'] as const;
/** Half past eleven: two zones are in the days after and before. */
const NOW = '2026-06-01T11:30:00Z';
let index: { index_start: string; index_end: string };
before(async () => {
  await chain.published('data');
  server = await startServer({
    published: false,
    environment: { HUBLEDGER_DATA_DIR: chain.path('data'), HUBLEDGER_NOW: NOW },
  });
  await server.datasets.refresh();
  const { coverage } = await get<{ coverage: typeof index }>('journal', { address: wallets[0]!, format: 'json' });
  index = coverage;
});
after(async () => {
  await server.close();
  chain.remove();
});

/** No receipt of a wallet waits for a decision. */
const DECIDED = { asset_decisions: JSON.stringify({ '*': { mode: 'exclude' } }) };
const REPLAYED = ['events', 'journal', 'positions', 'summary'];

const ask = (path: string, query: Record<string, string>) =>
  server.ask(`/api/tax/v1/${path}?${new URLSearchParams({ ...query, ...(REPLAYED.includes(path) && DECIDED) })}`);

async function get<Body>(path: string, query: Record<string, string>): Promise<Body> {
  const { status, text } = await ask(path, query);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const linesOf = async (query: Record<string, string>) =>
  (await get<{ lines: Row[] }>('journal', { format: 'json', ...query })).lines;

/** YYYY-MM-DD HH:MM:SS in a zone. @param time the same in UTC */
const localTime = (zone: string, time: string) =>
  new Date(`${time.replace(' ', 'T')}Z`).toLocaleString('sv-SE', { timeZone: zone });
const localDay = (zone: string, time: string) => localTime(zone, time).slice(0, 10);

/** The days around the index, more than there are in any zone. */
const daysAround = () => {
  const days: string[] = [];
  for (let ms = Date.parse(index.index_start) - DAY_MS; ms <= Date.parse(index.index_end) + DAY_MS; ms += DAY_MS)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
};

const without = (row: Row, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

test('only names of the database are zones, in its letters', async () => {
  const statusOf = async (timezone: string) => (await ask('journal', { address: wallets[0]!, timezone })).status;
  for (const name of ['UTC', 'Asia/Calcutta', 'Asia/Kathmandu', 'Etc/GMT+5', 'US/Pacific', 'Europe/Kyiv'])
    assert.equal(await statusOf(name), 200, name);
  for (const name of ['', 'utc', 'europe/berlin', '+01:00', 'UTC+1', 'Mars/Olympus', 'toString', 'Factory'])
    assert.equal(await statusOf(name), 400, name);
  const body = posting({ address: wallets[0], timezone: 'europe/berlin' });
  const { status, text } = await server.ask('/api/tax/v1/summary', body);
  assert.equal(status, 422);
  assert.equal(JSON.parse(text).errors[0].path, 'timezone');
  const { timezone_database: version } = await get<{ timezone_database: string }>('catalog', {});
  assert.equal(version, process.versions.tz);
});

test('timezone=UTC adds days and changes nothing else', async () => {
  for (const address of wallets) {
    const [usual, named] = [await linesOf({ address }), await linesOf({ address, timezone: 'UTC' })];
    assert.deepEqual(
      named.map((line) => without(line, 'date')),
      usual,
    );
    for (const line of named) assert.equal(line.date, line.date_utc!.slice(0, 10));
    for (const path of ['summary', 'positions']) {
      const [plain, inUtc] = [await ask(path, { address }), await ask(path, { address, timezone: 'UTC' })];
      assert.equal(inUtc.text.replaceAll('&timezone=UTC', ''), plain.text);
    }
  }
});

for (const zone of ZONES) {
  describe(zone, () => {
    test('events and journal lines keep their values and get the local time', async () => {
      for (const address of wallets) {
        const eventsOf = async (more: Record<string, string>) =>
          (await get<{ events: Row[] }>('events', { address, ...more })).events;
        const [plain, events] = [await eventsOf({}), await eventsOf({ timezone: zone })];
        assert.deepEqual(
          events.map((event) => without(event, 'localDate')),
          plain,
        );
        for (const { date, localDate } of events) {
          assert.equal(localDate!.slice(0, 19).replace('T', ' '), localTime(zone, date!));
          assert.equal(Date.parse(localDate!), Date.parse(`${date!.replace(' ', 'T')}Z`));
        }
        const [usual, lines] = [await linesOf({ address }), await linesOf({ address, timezone: zone })];
        const same = (line: Row) => without(line, 'date', 'acquired', 'term');
        assert.deepEqual(lines.map(same), usual.map(same));
        for (const { date, date_utc } of lines) assert.equal(date, localDay(zone, date_utc!));
      }
    });

    test('the days of the zone contain every line once', async () => {
      const [address] = wallets;
      const all = await linesOf({ address, timezone: zone });
      const found: Row[] = [];
      for (const day of daysAround()) {
        const lines = await linesOf({ address, timezone: zone, start: day, end: day });
        for (const { date } of lines) assert.equal(date, day);
        found.push(...lines);
      }
      assert.deepEqual(found, all);
      const csv = await ask('journal', { address, timezone: zone });
      const rows = parseTable(csv.text);
      assert.equal(Object.keys(rows[0]!).at(-1), 'date');
      assert.deepEqual(
        rows.map(({ date }) => date),
        all.map(({ date }) => date),
      );
    });

    test('summary, Form 8949 and ledgers use the days of the journal', async () => {
      for (const address of wallets) {
        const lines = await linesOf({ address, timezone: zone });
        const [first, last] = [lines[0]!.date!, lines.at(-1)!.date!];
        for (const [start, end] of [
          [first, first],
          [first, last],
        ] as const) {
          const period = { address, timezone: zone, start, end };
          const { total } = await get<{ total: { accounts: Row[] } }>('summary', period);
          assert.deepEqual(total.accounts, accountsOf(lines.filter(({ date }) => date! >= start && date! <= end)));
        }
        const dayOf = new Map(lines.map(({ entry_id, date }) => [entry_id!, date!]));
        const form = parseTable((await ask('journal', { address, timezone: zone, profile: 'form8949' })).text.slice(1));
        for (const row of form) {
          const [month, day, year] = row['Date sold or disposed of']!.split('/');
          assert.equal(`${year}-${month}-${day}`, dayOf.get(row.Entry!));
        }
        const books = parseTable((await ask('journal', { address, timezone: zone, profile: 'xero' })).text);
        for (const { Narration, Date: day } of books)
          assert.equal(new Date(`${day} UTC`).toISOString().slice(0, 10), dayOf.get(Narration!));
        const text = (await ask('journal', { address, timezone: zone, profile: 'hledger' })).text;
        for (const [, day, id] of text.matchAll(/^(\S+) \* .*; row:(\S+),/gm)) assert.equal(day, dayOf.get(`${id}-0`));
      }
    });

    test('positions and balances are those of the end of the local day', async () => {
      for (const address of wallets) {
        const lines = await linesOf({ address, timezone: zone });
        for (const date of daysAround()
          .slice(2, -2)
          .filter((_, i) => i % 9 === 0)) {
          const { positions } = await get<{ positions: Row[] }>('positions', { address, timezone: zone, date });
          const held = positions.reduce((sum, { cost_basis_usd: cost }) => sum + cents(cost!), 0n);
          assert.equal(held, costOf(lines.filter((line) => line.date! <= date)), date);
          await requireBalances(address, zone, date);
        }
      }
    });
  });
}

const cents = (text: string) => (text === '' ? 0n : BigInt(text.replace('.', '')));

const costOf = (lines: readonly Row[]) =>
  lines
    .filter(({ account }) => account!.startsWith('Digital Assets') && account !== 'Digital Assets: Deposits')
    .reduce((sum, line) => sum + cents(line.debit_usd!) - cents(line.credit_usd!), 0n);

const shownCents = (sum: bigint) => `${sum / 100n}.${String(sum % 100n).padStart(2, '0')}`;

function accountsOf(lines: readonly Row[]): Row[] {
  const names = [...new Set(lines.map(({ account }) => account!))].sort();
  const sumOf = (account: string, side: string) =>
    shownCents(lines.reduce((sum, line) => (line.account === account ? sum + cents(line[side]!) : sum), 0n));
  return names.map((account) => ({
    account,
    debit_usd: sumOf(account, 'debit_usd'),
    credit_usd: sumOf(account, 'credit_usd'),
  }));
}

interface Asset {
  readonly denom: string;
  readonly liquid: string;
  readonly staked: string;
  readonly unbonding: string;
  readonly unclaimed: string | null;
}

/** Requires that /balances agrees with /holdings, which another test compares with the chain. */
async function requireBalances(address: string, timezone: string, date: string): Promise<void> {
  const { wallets: held } = await get<{ wallets: { assets: Asset[] }[] }>('holdings', { address, timezone, date });
  const atom = held[0]!.assets.find(({ denom }) => denom === 'uatom');
  const balances = await get<Record<string, number | null>>('balances', { address, timezone, date });
  assert.equal(balances.date, date);
  const { liquid, staked, unbonding, unclaimed } = atom ?? { liquid: '0', staked: '0', unbonding: '0', unclaimed: '0' };
  assert.equal(balances.liquid, Number(liquid));
  assert.equal(balances.unbonding, Number(unbonding));
  assert.equal(balances.staked, Number((Number(staked) + Number(unbonding)).toFixed(6)));
  assert.deepEqual([balances.reward === null, balances.total === null], [unclaimed === null, unclaimed === null]);
  assert.equal('total_without_reward' in balances, false);
}

test('a history has UTC days, so a zone is refused', async () => {
  const { status } = await ask('balances', { address: wallets[0]!, history: 'true', timezone: 'UTC' });
  assert.equal(status, 400);
});

test('at the end of a UTC day, balances in UTC are those without a zone', async () => {
  for (const address of wallets) {
    for (const date of daysAround()
      .slice(1, -1)
      .filter((_, i) => i % 9 === 0)) {
      const [plain, named] = [
        await ask('balances', { address, date }),
        await ask('balances', { address, date, timezone: 'UTC' }),
      ];
      assert.equal(named.text, plain.text);
    }
  }
});

test('before the index and after today are judged by the zone', async () => {
  const [address] = wallets;
  const status = async (date: string, timezone: string) => (await ask('positions', { address, date, timezone })).status;
  const dayBefore = daysAround()[0]!;
  assert.equal(await status(dayBefore, 'America/Los_Angeles'), 200);
  assert.equal(await status(dayBefore, 'Asia/Seoul'), 400);
  assert.equal(await status('2026-06-02', 'Pacific/Kiritimati'), 200);
  assert.equal(await status('2026-06-02', 'Pacific/Pago_Pago'), 400);
});
