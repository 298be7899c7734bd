/** The service's answers on the whole sample chain, against a second reading of the recorded blocks. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { loadReference } from '../../pipeline/reference.js';
import type {
  Catalog,
  DelegatorReport,
  EventList,
  Summary,
  ValidatorStatement,
} from '../../schemas/types.generated.js';
import { createWidgetKey } from '../../server/people/accounts/widget-keys.js';
import { IMPORTERS } from '../../server/tax/formats/profiles/importers/index.js';
import { openDatabase } from '../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';
import { programs } from '../requirements.js';
import { askByPost, EXCLUDED, heldBefore, inRequests, statementsOf } from './endpoints/summary/statements.js';
import { requireCarried, requireTies } from './endpoints/summary/ties.js';
import { OPERATORS, startServer, type TestServer } from './harness.js';
import { posting } from './people/accounts/signed-in.js';
import { payoutsOf } from './recorded-payouts.js';
import { atom, figures, micro, recordedCommission, withoutAccrued } from './recorded-statement.js';
import { requireTemplate } from './tax/formats/profiles/templates.js';

const chain = new NightCase(SAMPLE_CHAIN);
let server: TestServer;
let database: Database;
/** Prices as served: `<denom> <day>` → USD as text; none for a day without one. */
const prices = new Map<string, string>();
before(async () => {
  const { generation } = await chain.published('data');
  const folder = chain.path('data/generations', generation);
  const manifest = readManifest(folder);
  database = await openDatabase();
  for (const table of ['priced_events', 'daily_holdings', 'validator_days']) {
    await database.attach(table, tableFiles(folder, manifest, table));
  }
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  database.close();
  chain.remove();
});

const get = async <Body>(path: string, query: Record<string, string>): Promise<Body> => {
  const { status, text } = await server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

const DECIDED = { assetDecisions: { '*': { mode: 'exclude' } } };

test('the example has gains of both terms', async () => {
  const file = join(projectRoot(), 'data/sample/example.json');
  const { address, opening_lots } = JSON.parse(readFileSync(file, 'utf8'));
  const query = { address, year: '2026', opening_lots: JSON.stringify(opening_lots) };
  const { wallets } = await get<Summary>('summary', query);
  const [gains] = wallets.map(({ disposals }) => disposals);
  assert.ok(gains!.some(({ gain_short_usd }) => Number(gain_short_usd) !== 0));
  assert.ok(gains!.some(({ gain_long_usd }) => Number(gain_long_usd) !== 0));
  assert.ok(gains!.every(({ asset, basis_unknown_quantity }) => asset !== 'ATOM' || basis_unknown_quantity === '0'));
});

test('events has the rows of the table, wallet by wallet in order', async () => {
  const rows = await database.all<{ address: string; id: string }>(
    'select address, id from priced_events order by address, height, position',
  );
  const addresses = [...new Set(rows.map(({ address }) => address))];
  const shown: { address: string; id: string }[] = [];
  for (const group of inRequests(addresses)) {
    const answer = await server.ask('/api/tax/v1/events', posting({ address: group, ...DECIDED }));
    shown.push(...answer.json<EventList>().events.map(({ address, id }) => ({ address, id })));
  }
  assert.deepEqual(shown, rows);
});

test('no importer file has two equal rows, of any wallet', async () => {
  const rows = await database.all<{ address: string }>('select distinct address from priced_events order by address');
  for (const address of inRequests(rows.map((row) => row.address))) {
    for (const profile of Object.keys(IMPORTERS)) {
      const files = await server.texts('/api/tax/v1/events', posting({ ...DECIDED, address, profile }));
      assert.ok(files.flatMap((text) => requireTemplate(profile, text)).length > 0);
    }
  }
});

/** Categories and triggers that the sample has no case of: test/classify/{wasm,interchain-accounts,unrecorded}.test.ts make them. */
const MADE_ELSEWHERE = {
  categories: ['contract_income', 'liquidity_add', 'liquidity_remove', 'unclassified'],
  triggers: ['interchain_account', 'other'],
};

/** SQL of the rewards by wallet: native base units, cents, rows, rows without a price. */
const REWARDS = `
  with rows as (
    select *, received_amount::hugeint * (received_price * 1000000)::hugeint as worth
    from priced_events where category in ('staking_reward', 'liquid_stake_reward')
  ),
  denoms as (
    select address, received_denom, (2 * sum(worth) + 10000000000) // 20000000000 as cents from rows group by all
  )
  select
    address,
    coalesce(sum(received_amount) filter (received_denom = 'uatom'), 0)::varchar as amount,
    coalesce((select sum(cents) from denoms where denoms.address = rows.address), 0)::varchar as cents,
    count(*)::varchar as rows,
    (count(*) - count(worth))::varchar as unpriced
  from rows group by address`;

interface BalanceDay {
  readonly date: string;
  readonly liquid: number;
  readonly staked: number;
  readonly unbonding: number;
}

interface Line {
  readonly entry_id: string;
  readonly asset: string;
  readonly date_utc: string;
  readonly price_usd: string;
}

/** A wallet's journal, from which its flagged receipts are excluded. */
async function journalOf(address: string): Promise<Line[]> {
  const review = await fetch(`${server.base}/api/tax/v1/asset-review?address=${address}`);
  const { records } = (await review.json()) as { records: { record_id: string }[] };
  const assetDecisions = Object.fromEntries(records.map(({ record_id }) => [record_id, { mode: 'exclude' }]));
  const journal = await fetch(`${server.base}/api/tax/v1/journal`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, format: 'json', assetDecisions }),
  });
  assert.equal(journal.status, 200, address);
  return ((await journal.json()) as { lines: Line[] }).lines;
}

/** Types of a recorded block's messages, those within others too. */
function messageTypes(line: string): string[] {
  const { txs }: { txs: string[] } = JSON.parse(line).block.block.data;
  const within = ({ typeUrl, value }: Any): string[] => [
    typeUrl,
    ...(typeUrl === MsgExec.typeUrl ? MsgExec.decode(value).msgs.flatMap(within) : []),
  ];
  return txs.flatMap((tx) => TxBody.decode(TxRaw.decode(Buffer.from(tx, 'base64')).bodyBytes).messages.flatMap(within));
}

/** Keeps the price series of a denom. */
async function readPrices(denom: string): Promise<void> {
  const { points } = await get<{ points: { date: string; usd: number; found: boolean }[] }>('price-series', {
    denom,
    start: '2025-12-28',
    end: '2026-04-14',
  });
  for (const { date, usd, found } of points) if (found) prices.set(`${denom} ${date}`, String(usd));
}

/** SQL of the holdings at every close of an account's days, from its rows on the days when they changed. */
const HOLDINGS = `
  select
    account.address,
    closes.day::varchar as day,
    coalesce(liquid, 0)::varchar as liquid,
    coalesce(staked + unbonding, 0)::varchar as staked,
    coalesce(unbonding, 0)::varchar as unbonding
  from (select distinct address from daily_holdings) as account
  cross join (select distinct day from validator_days) as closes
  asof left join daily_holdings as daily on daily.address = account.address and daily.day <= closes.day
  order by account.address, closes.day`;

/** An operator whose validator was removed in February 2026. */
const LEAVING = 'cosmosvaloper192tv7car903nrrsyh54dxzzw2gseenp720wmxl';

describe('the sample chain', () => {
  before(async () => {
    for (const { denom } of loadReference().assets) await readPrices(denom);
  });

  test('the statement of every validator is the sum of its recorded events, month by month', async () => {
    const lease = server.datasets.lease()!;
    const all = [...lease.dataset.validators().keys()];
    lease.release();
    const account = (operator: string) =>
      bech32.encode('cosmos', bech32.decode(operator as `${string}1${string}`).words);
    const byAccount = new Map(all.map((operator) => [account(operator), operator]));
    const recorded = chain
      .lines()
      .slice(SAMPLE_CHAIN.first - 1)
      .flatMap((line) => payoutsOf(line, byAccount));
    assert.deepEqual([...new Set(recorded.map(({ validator }) => validator))].sort(), all, 'all of them paid');
    for (const validator of all) {
      const own = recorded.filter((payout) => payout.validator === validator);
      const { months, total: sum } = await get<ValidatorStatement>('validator-statement', { validator });
      const expected = ['2026-01', '2026-02', '2026-03', '2026-04'].map((month) => ({
        month,
        ...figures(
          prices,
          own.filter(({ day }) => day.startsWith(month)),
          account(validator),
        ),
        incomplete: month === '2026-04', // its days after the index are over
      }));
      assert.deepEqual(months.map(withoutAccrued), expected, validator);
      assert.deepEqual(sum, figures(prices, own, account(validator)), validator);
    }
    // A removed validator's commission, and share records among the delegators.
    assert.ok(recorded.some(({ day, amount }) => day === '2026-02-10' && amount === 13_213_905_314n));
    assert.ok(recorded.some(({ delegator = '' }) => delegator.length > 50));
    assert.ok(recorded.some(({ delegator, others }) => delegator === undefined && others.length > 0));
    assert.ok(recorded.some(({ validator, delegator }) => delegator === account(validator)));
  });

  test('commission that was not withdrawn by the end of April is what the node says of its last block', async () => {
    const recorded = recordedCommission('test/holdings/hub-short/state/1000/chain.json.gz');
    for (const [validator, expected] of recorded) {
      const { months } = await get<ValidatorStatement>('validator-statement', { validator });
      const { commission_accrued_on, commission_accrued_amount, other_commission_accrued } = months.at(-1)!;
      const said = { native: commission_accrued_amount, others: other_commission_accrued };
      assert.deepEqual([commission_accrued_on, said], ['2026-04-15', expected], validator);
    }
    assert.ok(recorded.size > 3 && [...recorded.values()].some(({ native }) => native !== '0'));
    // Nobody delegated to this one any more, but it was not removed yet.
    const [{ months }, paid] = [
      await get<ValidatorStatement>('validator-statement', { validator: LEAVING }),
      '13213.905314',
    ];
    const said = months.map((month) => [month.commission_accrued_on, month.commission_accrued_amount]);
    assert.deepEqual([...said[0]!, ...new Set(said.slice(1).flat())], ['2026-01-31', paid, '']);
  });

  test('the report of every wallet is the sum of its reward rows, as SQL adds them up', async () => {
    const { key } = await createWidgetKey(server.store, { validator: OPERATORS.alpha, origins: [] }, new Date());
    const wallets = await database.all<Record<'address' | 'amount' | 'cents' | 'rows' | 'unpriced', string>>(REWARDS);
    for (const { address, ...expected } of wallets) {
      const report = await get<DelegatorReport>('delegator-report', { address, api_key: key });
      const { rewards_amount, rewards_usd, taxable_events, price_missing_rows } = report;
      const said = [micro(rewards_amount), micro(rewards_usd) / 10_000n, taxable_events, price_missing_rows].map(
        String,
      );
      assert.deepEqual(said, [expected.amount, expected.cents, expected.rows, expected.unpriced], address);
    }
    assert.deepEqual([wallets.length, wallets.filter(({ unpriced }) => unpriced !== '0').length], [107, 57]);
  });

  test('the price of every journal line of every wallet is the point of that day in the price series', async () => {
    const { assets } = loadReference();
    const denoms = new Map(assets.map(({ symbol, denom }) => [symbol, denom]));
    for (const denom of denoms.values()) await readPrices(denom);
    const wallets = await database.all<{ address: string }>('select distinct address from priced_events');
    let lines = 0;
    for (const { address } of wallets) {
      for (const { entry_id, asset, date_utc, price_usd } of await journalOf(address)) {
        const denom = denoms.get(asset);
        // Shares and assets that no registry knows have no series.
        if (denom === undefined) assert.match(asset, /^(cosmosvaloper1|factory\/|ibc\/)/);
        else assert.equal(price_usd, prices.get(`${denom} ${date_utc.slice(0, 10)}`) ?? '', `${entry_id} ${asset}`);
        lines++;
      }
    }
    assert.ok(lines > 10_000);
  });

  test('daily_holdings is what /balances answers for every account and day, without a row that changes nothing', async () => {
    const rows = await database.all<Record<'address' | 'day' | 'liquid' | 'staked' | 'unbonding', string>>(HOLDINGS);
    const accounts = [...new Set(rows.map(({ address }) => address))];
    const answered = new Map<string, BalanceDay>();
    for (const address of accounts) {
      const { history } = await get<{ history: BalanceDay[] }>('balances', { address, history: 'true' });
      for (const point of history) answered.set(`${address} ${point.date}`, point);
    }
    const shown = (units: string) => Number(atom(BigInt(units)));
    for (const { address, day, ...expected } of rows) {
      const point = answered.get(`${address} ${day}`)!;
      const said = [point.liquid, point.staked, point.unbonding];
      assert.deepEqual(said, [expected.liquid, expected.staked, expected.unbonding].map(shown), `${address} ${day}`);
    }
    const [{ idle } = { idle: -1 }] = await database.all<{ idle: number }>(
      `select count(*) as idle from (
         select (liquid, staked, unbonding) = lag((liquid, staked, unbonding)) over (partition by address order by day) as same
         from daily_holdings) where same`,
    );
    assert.deepEqual([idle, accounts.length > 200], [0, true]);
  });

  test('every category, trigger and message type of the chain is in the catalog, which lists nothing that is never made', async () => {
    const catalog = await get<Catalog>('catalog', {});
    const lists = [
      ['category', catalog.categories.map(({ category }) => category), MADE_ELSEWHERE.categories],
      ['reward_trigger', catalog.triggers.map(({ trigger }) => trigger), MADE_ELSEWHERE.triggers],
    ] as const;
    for (const [column, listed, elsewhere] of lists) {
      const query = `select distinct ${column} as name from priced_events where ${column} is not null`;
      const seen = (await database.all<{ name: string }>(query)).map(({ name }) => name);
      const wrong = [...new Set([...seen, ...listed, ...elsewhere])].filter(
        (name) => !listed.includes(name) || seen.includes(name) === elsewhere.includes(name),
      );
      assert.deepEqual(wrong, [], `${column}: listed, and either seen here or in MADE_ELSEWHERE`);
    }
    const types = new Set(chain.lines().flatMap(messageTypes));
    assert.deepEqual(
      [...types].filter((type) => !catalog.message_types.includes(type)),
      [],
    );
    assert.ok(types.size > 30);
  });
});

describe('the summary ties to events, journal and positions', () => {
  const period = { start: '2026-01-15', end: '2026-03-31' };
  const post = askByPost(() => server.base);
  const groups = async () => {
    const rows = await database.all<{ address: string }>('select distinct address from priced_events order by address');
    return inRequests(rows.map(({ address }) => address));
  };

  test('for every wallet by itself', async () => {
    for (const address of (await groups()).flat()) {
      await requireTies(post, { address, ...EXCLUDED, ...period }, '2026-01-14');
    }
  });

  test('for all of them together, with tags, opening lots and carried lots', async () => {
    let carried = 0;
    for (const group of await groups()) {
      const query = {
        address: group.join(','),
        ...(await statementsOf(post, group, heldBefore(server, { address: group.join(',') }))),
      };
      await requireTies(post, { ...query, ...period }, '2026-01-14');
      const held = heldBefore(server, query);
      const apart = await requireTies(post, { ...query, tags: '{}' }, held);
      const together = await requireTies(post, { ...query, tags: '{}', own_wallets: 'carry' }, held);
      carried += requireCarried(apart, together);
    }
    assert.ok(carried > 0);
  });
});

describe('what every wallet prints', () => {
  /** Names that the chain gives coins, in full. */
  const LONG_NAME = /(?:factory|ibc|cosmosvaloper\w*)\/[^\s…]{6,}/;
  const print = async (path: string, body: object): Promise<Buffer> => {
    const answer = await fetch(`${server.base}/api/tax/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'pdf', assetDecisions: { '*': { mode: 'exclude' } }, ...body }),
    });
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf']);
    return Buffer.from(await answer.arrayBuffer());
  };
  const year = { start: '2026-01-01', end: '2026-12-31' };

  /** Requires that both PDFs count the sales of the summary, and that no term without a known sale is zero. */
  const requireSales = async (address: string, summary: string, form: string) => {
    const { total } = await askByPost(() => server.base)<Summary>('summary', { address, ...EXCLUDED, ...year });
    const { sales, sales_short, sales_long, gain_known } = total.disposed;
    if (sales === 0) {
      assert.doesNotMatch(summary, /(?:Short|Long)-term: /);
      assert.match(form, /There are no sales/);
      return;
    }
    for (const [name, known] of [
      ['Short-term', sales_short],
      ['Long-term', sales_long],
    ] as const) {
      const [, figure] = new RegExp(`${name}: (.+?)  `).exec(summary)!;
      if (known === 0) assert.equal(figure, gain_known === 'all' ? 'None' : 'Not known yet', address);
      else assert.match(figure!, gain_known === 'all' ? /^-?\$[\d,.]+$/ : /^-?\$[\d,.]+ so far$/, address);
    }
    const count = `${sales.toLocaleString('en-US')} ${sales === 1 ? 'sale' : 'sales'}`;
    assert.ok(summary.includes(`Proceeds of all ${count} `), `${address}: ${count}`);
    assert.ok(new RegExp(`^${count}, `, 'm').test(form), `${address}: ${count}`);
  };

  for (const pdftotext of programs('pdftotext')) {
    test('one page of summary, no empty page of Form 8949, the same sales, and no whole name of an unregistered coin', async () => {
      const wallets = await database.all<{ address: string }>('select distinct address from priced_events');
      const textOf = async (path: string, body: object) => {
        const input = await print(path, body);
        const text = execFileSync(pdftotext, ['-layout', '-', '-'], { input, encoding: 'utf8' });
        assert.doesNotMatch(text, LONG_NAME);
        return text.split('\f').slice(0, -1);
      };
      let rows = 0;
      for (const { address } of [
        ...wallets,
        ...inRequests(wallets.map(({ address }) => address)).map((address) => ({ address })),
      ]) {
        const summary = await textOf('summary', { address, ...year });
        assert.equal(summary.length, 1, String(address));
        assert.match(summary[0]!, /not tax advice/);
        const pages = await textOf('journal', { address, ...year, profile: 'form8949' });
        await requireSales(String(address), summary[0]!, pages[0]!);
        for (const page of pages) {
          const lines = page.trim().split(/\n+/);
          assert.ok(lines.length > 4, `${address}: ${page}`);
          rows += lines.length;
        }
      }
      assert.ok(rows > 1000);
    });
  }
});
