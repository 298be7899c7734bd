import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { IMPORTERS } from '../../../server/tax/formats/profiles/importers/index.js';
import { OPERATORS, requireFaults, sharedServer, startServer, WALLETS } from '../harness.js';
import { asCell, parseCsv, parseTable } from '../parse-csv.js';
import { recordedEvents } from '../published.js';

interface Row {
  readonly [member: string]: string | number | boolean;
  readonly date: string;
  readonly category: string;
  readonly address: string;
  readonly id: string;
  readonly txHash: string;
}
interface List {
  readonly addresses: string[];
  readonly summary: Record<string, string | number>;
  readonly count: number;
  readonly events: Row[];
}

const PATH = '/api/tax/v1/events';
const { light, busy, short, big, flagged, silent } = WALLETS;
/** The receipt of the coins of `short`. */
const RECEIPT = recordedEvents(short)[0]!;
/** The same receipt in the wallet in which it is flagged. */
const FLAGGED = recordedEvents(flagged)[0]!;
const PAYMENT = recordedEvents(light).find((event) => event.category === 'transfer_out')!;

const server = sharedServer();

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);
async function list(query: Record<string, string>): Promise<List> {
  const answer = await get(query);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<List>();
}
const post = (body: object) =>
  server.ask(PATH, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

test('a recorded wallet, by hand: seven rows with what they were worth, and their sums', async () => {
  const { events, summary, count } = await list({ address: short });
  assert.equal(count, 7);
  assert.deepEqual(
    events.map((row) => [
      row.date,
      row.category,
      row.sentAmount,
      row.receivedAmount,
      row.feeAmount,
      row.priceUsd,
      row.valueUsd,
    ]),
    [
      ['2026-01-18 05:42:04', 'transfer_in', '', '50.000001', '', 2.5, 125],
      ['2026-01-18 21:06:29', 'fee', '', '', '0.005', 2.5, 0.01],
      ['2026-01-18 21:06:29', 'delegate', '10', '', '', 2.5, 25],
      ['2026-01-22 21:53:12', 'fee', '', '', '0.005', 2.4, 0.01],
      ['2026-01-22 21:53:12', 'staking_reward', '', '0.021078', '', 2.4, 0.05],
      ['2026-01-22 21:53:12', 'undelegate', '10', '10', '', 2.4, 24],
      ['2026-02-12 22:33:53', 'unbonding_complete', '', '10', '', 2, 20],
    ],
  );
  assert.deepEqual(summary, {
    taxableEvents: 4,
    stakingRewards: 0.021078,
    incomeUsd: 0.05,
    totalReceived: 50.021079,
    totalSent: 0,
    totalFees: 0.01,
    symbol: 'ATOM',
    firstDate: '2026-01-18 05:42:04',
    lastDate: '2026-02-12 22:33:53',
  });
});

test('rows name their validators as the generation knows them', async () => {
  const named = async (query: Record<string, string>) =>
    new Map((await list(query)).events.map((row) => [row.validatorAddress, row.validatorMoniker]));
  const unknown = 'cosmosvaloper147y2nvnha8vzt9qqrx43mq47l5t6uljpknn9s0';
  const names = [
    ['', ''],
    [unknown, ''],
    [OPERATORS.gone, "'Charlie'"],
    [OPERATORS.alpha, 'Alpha Node'],
  ];
  const sorted = (map: Map<unknown, unknown>) => [...map].sort();
  const address = `${light},${busy},${short}`;
  assert.deepEqual(sorted(await named({ address })), names.sort());
  const alone = [...(await named({ address: light })), ...(await named({ address: busy }))];
  assert.deepEqual(sorted(new Map([...alone, ...(await named({ address: short }))])), names.sort());
  assert.deepEqual(await named({ address: big }), await named({ address: busy }));
});

test('a wallet that was never seen has no rows', async () => {
  const { count, events, summary, addresses } = await list({ address: silent });
  assert.deepEqual([count, events, addresses], [0, [], [silent]]);
  assert.deepEqual([summary.firstDate, summary.lastDate, summary.totalReceived], ['', '', 0]);
});

test('a type selects rows, and sums are those of the rows shown', async () => {
  const all = await list({ address: busy });
  const categories = async (type: string) =>
    new Set((await list({ address: busy, type })).events.map((row) => row.category));
  assert.deepEqual(await categories('fees'), new Set(['fee']));
  assert.deepEqual(await categories('rewards'), new Set(['staking_reward']));
  assert.deepEqual(
    await categories('staking'),
    new Set(['delegate', 'redelegate', 'undelegate', 'unbonding_complete']),
  );
  assert.deepEqual(await categories('transfers'), new Set(['transfer_in', 'transfer_out']));
  assert.deepEqual(await categories('swaps'), new Set());
  const fees = await list({ address: busy, type: 'fees' });
  assert.deepEqual(
    fees.events,
    all.events.filter((row) => row.category === 'fee'),
  );
  assert.deepEqual([fees.summary.totalFees, fees.summary.totalReceived], [all.summary.totalFees, 0]);
});

test('a range includes both ends', async () => {
  const all = await list({ address: light });
  const dates = async (range: Record<string, string>) =>
    (await list({ address: light, ...range })).events.map((row) => row.date);
  const [from, to] = ['2026-01-25 06:41:27', '2026-03-06 17:36:15'];
  const between = all.events.map((row) => row.date).filter((date) => date >= from && date <= to);
  assert.equal(between.length, 8);
  assert.deepEqual(await dates({ start: '2026-01-25', end: '2026-03-05' }), between.slice(0, -1));
  assert.deepEqual(await dates({ start: '2026-01-25T06:41:27Z', end: '2026-03-06T17:36:15Z' }), between);
  assert.deepEqual(
    await dates({ start: '2026-01-25T07:41:28+01:00', end: '2026-03-06T17:36:14.999Z' }),
    between.slice(2, -1),
  );
  const echoed = await get({ address: light, start: '2026-01-25T06:41:27Z', end: '' });
  assert.deepEqual([echoed.json().start, echoed.json().end], ['2026-01-25T06:41:27Z', null]);
});

test('several wallets: each its own rows, one after the other as asked; sums of all', async () => {
  const [a, b] = [await list({ address: short }), await list({ address: busy })];
  const both = await list({ address: `${short},${busy},${short},${silent}` });
  assert.deepEqual(both.addresses, [short, busy, silent]);
  assert.deepEqual(both.events, [...a.events, ...b.events]);
  assert.equal(both.summary.taxableEvents, Number(a.summary.taxableEvents) + Number(b.summary.taxableEvents));
  assert.equal(both.summary.firstDate, '2026-01-15 11:43:25');
  assert.deepEqual((await list({ address: `${busy},${short}` })).events, [...b.events, ...a.events]);
});

test('a tag is echoed and changes what its row means, nothing else', async () => {
  const plain = await list({ address: short });
  const tagged = await list({ address: short, tags: JSON.stringify({ [RECEIPT.tx_hash.toLowerCase()]: 'income' }) });
  const description = `${plain.events[0]!.description} It is treated according to your tag income.`;
  assert.deepEqual(tagged.events[0], { ...plain.events[0], label: 'income', description, userTag: 'income' });
  assert.deepEqual(tagged.events.slice(1), plain.events.slice(1));
  assert.deepEqual(tagged.summary, { ...plain.summary, incomeUsd: 125.05 });
  const income = await list({
    address: short,
    type: 'income',
    tags: JSON.stringify({ [`${RECEIPT.tx_hash}:uatom`]: 'airdrop' }),
  });
  assert.deepEqual(
    income.events.map((row) => row.category),
    ['transfer_in', 'staking_reward'],
  );
  assert.equal(income.summary.incomeUsd, 125.05);
  const gift = await list({
    address: short,
    tags: JSON.stringify({ [RECEIPT.tx_hash]: 'gift', ['0'.repeat(64)]: 'sale' }),
  });
  assert.deepEqual([gift.events[0]!.taxable, gift.summary.taxableEvents], [false, 3]);
});

test('a hash tags the reward of a plain claim in JSON, CSV, journal, summary and every profile', async () => {
  const claim = recordedEvents(short).find((event) => event.category === 'staking_reward')!;
  for (const key of [claim.tx_hash, `${claim.tx_hash.toLowerCase()}:uatom`]) {
    const byHash = { address: short, tags: JSON.stringify({ [key]: 'airdrop' }) };
    const byId = { address: short, tags: JSON.stringify({ [claim.id]: 'airdrop' }) };
    const json = await get(byHash);
    assert.deepEqual(json.json().tagged, [{ key, tag: 'airdrop', rows: [claim.id] }]);
    assert.equal(json.json<List>().events.find(({ id }) => id === claim.id)!.userTag, 'airdrop');
    assert.equal(json.headers.get('x-tags-unused'), null);
    const paths = [
      'events?format=csv',
      'journal?',
      'journal?profile=form8949&start=2026-01-01&end=2026-12-31',
      'summary?year=2026',
    ];
    for (const profile of [...Object.keys(IMPORTERS)]) paths.push(`events?profile=${profile}`);
    for (const profile of ['quickbooks', 'xero', 'datev', 'hledger', 'beancount'])
      paths.push(`journal?start=2026-01-01&end=2026-12-31&profile=${profile}`);
    for (const path of paths) {
      const [own, plain, other] = await Promise.all(
        [byId, { address: short }, byHash].map((query) =>
          server.ask(`/api/tax/v1/${path}&${new URLSearchParams(query)}`),
        ),
      );
      const withoutKey = (text: string) => text.replaceAll(/"key":"[^"]*"/g, '');
      assert.equal(own!.status, 200, own!.text);
      assert.equal(withoutKey(other!.text), withoutKey(own!.text), path);
      if (!/form8949|taxbit|cryptio/.test(path)) assert.notEqual(own!.text, plain!.text, path);
    }
  }
});

test('a key that reached no row is reported in JSON and in CSV', async () => {
  const claim = recordedEvents(short).find((event) => event.category === 'staking_reward')!;
  const key = `${claim.tx_hash}:ATOM`;
  const tags = JSON.stringify({ [key]: 'income', ['0'.repeat(64)]: 'sale' });
  const reason = 'ATOM is a symbol: the key takes the denom uatom';
  const unknown = { key: '0'.repeat(64), tag: 'sale', rows: [] };
  assert.deepEqual((await get({ address: short, tags })).json().tagged, [
    { key, tag: 'income', rows: [], reason },
    unknown,
  ]);
  const plain = await get({ address: short, format: 'csv' });
  const csv = await get({ address: short, tags, format: 'csv' });
  assert.equal(csv.text, plain.text);
  assert.equal(csv.headers.get('x-tags-unused'), `${claim.tx_hash}%3AATOM`);
  assert.equal(plain.headers.get('x-tags-unused'), null);
});

test('a tag that fits no row of its transaction is refused, with a pointer to it', async () => {
  const refused = await get({ address: short, tags: JSON.stringify({ [RECEIPT.tx_hash]: 'sale' }) });
  requireFaults(refused, 400, [`tags/${RECEIPT.tx_hash}`]);
  const posted = await post({ address: light, userTags: { [`${PAYMENT.tx_hash}:uatom`]: 'income' } });
  requireFaults(posted, 422, [`userTags/${PAYMENT.tx_hash}:uatom`]);
  // A tag is refused also when its row lies outside the asked range: the rows before it decide the lots.
  const outside = await get({
    address: short,
    start: '2026-02-01',
    tags: JSON.stringify({ [RECEIPT.tx_hash]: 'sale' }),
  });
  assert.equal(outside.status, 400);
});

test('an excluded receipt is worth nothing, an overridden one what its owner says', async () => {
  const decided = async (decision: object) => {
    const { events, summary } = await list({
      address: flagged,
      asset_decisions: JSON.stringify({ [FLAGGED.id]: decision }),
    });
    const { receivedAmount, receivedCurrency, valueUsd, taxable } = events[0]!;
    return [receivedAmount, receivedCurrency, valueUsd, taxable, summary.taxableEvents];
  };
  assert.deepEqual(await decided({ mode: 'exclude' }), ['50.000001', 'ATOM', 0, false, 3]);
  assert.deepEqual(await decided({ mode: 'override', token: 'OSMO', quantity: '7', value_usd: '3.5' }), [
    '7',
    'OSMO',
    3.5,
    true,
    4,
  ]);
  const late = { [FLAGGED.id]: { mode: 'override', acquired_date: '2026-01-19' } };
  const refused = await get({ address: flagged, asset_decisions: JSON.stringify(late) });
  assert.equal(refused.status, 400);
  assert.equal(refused.json().errors[0].path, `asset_decisions/${FLAGGED.id}/acquired_date`);
});

test('tags and decisions are for the caller alone', async () => {
  const answer = await get({ address: short, tags: JSON.stringify({ [RECEIPT.tx_hash]: 'gift' }) });
  assert.equal(answer.headers.get('cache-control'), 'private, no-store');
});

test('the answer cites its methodology, in JSON as a member and in every format as a header', async () => {
  const { version } = (await server.ask('/api/tax/v1/methodology')).json();
  assert.equal((await get({ address: short })).json().methodology_version, version);
  for (const query of [{}, { format: 'csv' }, { profile: 'koinly' }])
    assert.equal((await get({ address: short, ...query })).headers.get('x-methodology-version'), version);
});

test('an answer says the same in every coding, whoever asked what before', async () => {
  const tagged = (tag: string) => ({ tags: JSON.stringify({ [PAYMENT.tx_hash]: tag }) });
  for (const own of [tagged('gift'), tagged('sale'), {}, tagged('gift')]) {
    for (const address of [light, `${short},${light},${busy}`]) {
      const path = `${PATH}?${new URLSearchParams({ address, ...own })}`;
      const [plain, ...compressed] = await Promise.all(
        ['identity', 'gzip', 'br', 'gzip'].map((coding) =>
          server.ask(path, { headers: { 'accept-encoding': coding } }),
        ),
      );
      assert.equal(plain!.status, 200);
      for (const answer of compressed)
        assert.equal(answer.text, plain!.text, `${path} ${answer.headers.get('content-encoding')}`);
    }
  }
});

test('CSV carries the same rows as JSON', async () => {
  for (const address of [light, busy, `${short},${light}`, big, silent]) {
    const { events } = await list({ address });
    const csv = await get({ address, format: 'csv' });
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    const rows = events.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asCell(value)])),
    );
    assert.deepEqual(parseTable(csv.text), rows);
  }
});

test('a CSV file has a telling name and the header of JSON, also without rows', async () => {
  const csv = await get({ address: silent, format: 'csv', start: '2026-01-01' });
  assert.equal(
    csv.headers.get('content-disposition'),
    'attachment; filename="events-jhhykys9-2026-01-01-2026-04-14.csv"',
  );
  const { events } = await list({ address: short });
  assert.deepEqual(parseCsv(csv.text), [Object.keys(events[0]!)]);
});

test('a large wallet is answered whole, filtered and tagged', async () => {
  const all = await list({ address: big });
  assert.equal(all.count, 2900);
  const rewards = await list({ address: big, type: 'rewards' });
  assert.equal(rewards.count, 600);
  const tagged = await list({ address: `${short},${big}`, tags: JSON.stringify({ [RECEIPT.tx_hash]: 'gift' }) });
  assert.equal(tagged.count, 2907);
  assert.deepEqual(tagged.events.slice(7), all.events);
});

test('a query, a body and empty statements give the same bytes', async () => {
  for (const address of [light, short, big]) {
    const plain = await get({ address });
    assert.equal(plain.json<List>().count, recordedEvents(address).length);
    assert.equal((await get({ address, tags: '{}' })).text, plain.text, address);
    assert.equal((await post({ address })).text, plain.text, address);
  }
});

test('a range answers alike with and without statements', async () => {
  for (const address of [light, short]) {
    const [{ time: first }, ...rest] = recordedEvents(address) as [PricedEvent, ...PricedEvent[]];
    const last = rest.at(-1)!.time;
    const instant = (time: string, ms = 0) => new Date(Date.parse(`${time.replace(' ', 'T')}Z`) + ms).toISOString();
    for (const start of ['2025-12-31', instant(first), instant(first, 1000)]) {
      for (const end of ['2027-01-01', instant(last), instant(last, -1000)]) {
        const plain = await get({ address, start, end });
        assert.equal(plain.text, (await get({ address, start, end, tags: '{}' })).text, `${start} ${end}`);
      }
    }
  }
});

test("a wallet's coverage names tokens with too many digits for a row, for the wallets that moved them", async (t) => {
  const oversized = [{ height: 5, tx_hash: 'AB'.repeat(32), denom: 'factory/x/huge', addresses: [light] }];
  const own = await startServer({ manifest: { oversized } });
  t.after(() => own.close());
  const noteOf = async (address: string) =>
    (await own.ask(`/api/tax/v1/events?address=${address}`)).json<{ coverage: { note: string } }>().coverage.note;
  assert.match(await noteOf(light), /more than 38 digits: factory\/x\/huge \(ABAB/);
  assert.doesNotMatch(await noteOf(short), /38 digits/);
});
