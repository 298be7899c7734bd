/** Profiles of /events, each against the template that its program publishes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Decisions, noDecisions } from '../../../../../pipeline/books/ledger/decisions.js';
import { loadReference } from '../../../../../pipeline/reference.js';
import type { EventList, PricedEvent } from '../../../../../schemas/types.generated.js';
import type { Importer } from '../../../../../server/tax/formats/profiles/importers/importer.js';
import { IMPORTERS, importAnswer } from '../../../../../server/tax/formats/profiles/importers/index.js';
import { PARAMETERS } from '../../../../../server/tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../../../../../server/tax/parameters/parameters.js';
import { ALL_TIME } from '../../../../../server/tax/parameters/time-range.js';
import { hash, makeEvent } from '../../../../books/ledger/wallets.js';
import { programs } from '../../../../requirements.js';
import { sharedServer, WALLETS } from '../../../harness.js';
import { memoryDataset } from '../../../memory-dataset.js';
import { ownTags, requireOwnSends, SEND_PROFILES, sendsOf } from './own-sends.js';
import { requireTemplate, template } from './templates.js';

const server = sharedServer();

const PROFILES = Object.keys(IMPORTERS) as (keyof typeof IMPORTERS)[];

async function exported(profile: string, query: Record<string, string> = {}): Promise<string> {
  const asked = new URLSearchParams({ address: WALLETS.light, format: 'csv', profile, ...query });
  const { status, text } = await server.ask(`/api/tax/v1/events?${asked}`);
  assert.equal(status, 200, text);
  return text;
}

test('the parameter offers the importers, and each has a template with its source', () => {
  assert.deepEqual(PARAMETERS.profile.schema.enum, PROFILES);
  for (const profile of PROFILES) assert.match(template(profile).description, /Source: .+ Read on \d{4}-\d\d-\d\d\./);
});

test('every tag has words, and only words of the template', () => {
  const { rules } = loadReference();
  for (const profile of PROFILES) {
    const { words } = IMPORTERS[profile];
    assert.deepEqual(
      rules.tags.filter(({ tag }) => !Object.hasOwn(words, tag)),
      [],
    );
    const lists = Object.values(template(profile).properties).flatMap((column) => column.enum ?? []);
    const used = new Set(Object.values(words).flat());
    const { unconfirmed = [] }: Importer = IMPORTERS[profile];
    assert.deepEqual(
      [...used].filter((word) => word !== null && word !== '' && !lists.includes(word)),
      [],
      profile,
    );
    assert.ok(unconfirmed.every((word) => used.has(word)));
  }
});

test('what goes to an own key has the word of an own transfer: neither is a disposal', () => {
  for (const profile of PROFILES) {
    const { own_key, own_transfer } = IMPORTERS[profile].words;
    assert.deepEqual(own_key, own_transfer, profile);
  }
});

/** What a file says about two payments of 4 ATOM in one transaction, which also pays its fee. */
const TWO_PAYMENTS = [
  ['koinly', 'Sent Amount', 'TxHash'],
  ['cointracker', 'Sent Quantity', 'Date'],
  ['coinledger', 'Amount Sent', 'TxHash (Optional)'],
  ['zenledger', 'Out Amount', 'Txid'],
  ['cointracking', 'Sell Amount', 'Tx-ID'],
  ['awaken', 'Sent Quantity', 'Transaction Hash'],
  ['turbotax', 'Sent Amount', 'Transaction ID'],
  ['taxbit', 'Sent Quantity', 'Exchange Transaction ID'],
  ['cryptio', 'outgoingVolume', 'txhash'],
  ['bittytax', 'Sell Quantity', 'Note'],
] as const;

test('two equal payments of one transaction differ in every file', () => {
  assert.deepEqual(
    TWO_PAYMENTS.map(([profile]) => profile),
    PROFILES,
  );
  const payment = { sent_amount: 4_000_000n, sent_denom: 'uatom', sent_price: 3_574_544n };
  const reward = { received_amount: 10_000_000n, received_denom: 'uatom', received_price: 3_574_544n };
  const wallet = [
    makeEvent(1, '2026-01-05', 'staking_reward', reward),
    ...['0', '1'].map((item) => makeEvent(2, '2026-01-06', 'transfer_out', { ...payment, id: `2-0-7-${item}-out` })),
    makeEvent(3, '2026-01-06', 'transfer_out', { ...payment, sent_amount: 1n }),
  ];
  for (const [profile, amount, id] of TWO_PAYMENTS) {
    const rows = requireTemplate(profile, fileOf(profile, wallet));
    const paid = rows.filter((row) => row[amount] === '4');
    assert.deepEqual([new Set(paid.map((row) => row[id])).size, rows.length], [2, 4], profile);
  }
  const hashes = requireTemplate('koinly', fileOf('koinly', wallet)).map((row) => row.TxHash);
  assert.deepEqual(hashes, [hash(1), hash(2), `${hash(2)}-1`, hash(3)]);
});

test('CoinTracker: of equal rows a send is earlier and a receipt later, on the same day', () => {
  const atoms = (side: 'sent' | 'received', height: number, time: string, item: number) => ({
    ...makeEvent(height, '2026-01-06', side === 'sent' ? 'transfer_out' : 'transfer_in', {
      [`${side}_amount`]: 4_000_000n,
      [`${side}_denom`]: 'uatom',
      id: `${height}-0-7-${item}-${side}`,
    }),
    time,
  });
  const receipts = [1, 2, 3].map((item) => atoms('received', 1, '2026-01-05 23:59:58', item));
  const sends = [1, 2, 3].map((item) => atoms('sent', 2, '2026-01-06 12:00:00', item));
  const rows = requireTemplate('cointracker', fileOf('cointracker', [...receipts, ...sends]));
  assert.deepEqual(
    rows.map((row) => row.Date!.replace('01/05/2026 ', '').replace('01/06/2026 ', '')),
    ['23:59:58', '23:59:59', '00:00:00', '12:00:00', '11:59:59', '11:59:58'],
  );
});

test('every send that is answered as own is in every file with its hash and receiver, as a move', async () => {
  assert.deepEqual(SEND_PROFILES, [...PROFILES].sort());
  let count = 0;
  for (const address of [WALLETS.light, WALLETS.busy, WALLETS.big, WALLETS.short]) {
    const { events } = (await server.ask(`/api/tax/v1/events?address=${address}`)).json<EventList>();
    const sends = sendsOf(events);
    count += sends.length;
    const tags = JSON.stringify(ownTags(sends));
    for (const profile of PROFILES) requireOwnSends(profile, await exported(profile, { address, tags }), sends);
  }
  assert.ok(count > 100);
});

function withTag({ id }: PricedEvent, name: string): Decisions {
  const tag = loadReference().rules.tag(name)!;
  return { ...noDecisions, tags: new Map([[id, { ...(tag.in && { in: tag }), ...(tag.out && { out: tag }) }]]) };
}

test('a sale differs from an own transfer in every file, and a purchase from an own receipt where a price is known', () => {
  const price = 3_574_544n;
  const receipt = makeEvent(1, '2026-01-05', 'transfer_in', {
    ...{ received_amount: 10_000_000n, received_denom: 'uatom', received_price: price },
  });
  const send = makeEvent(2, '2026-01-06', 'transfer_out', {
    ...{ sent_amount: 4_000_000n, sent_denom: 'uatom', sent_price: price },
  });
  const tagged = (profile: keyof typeof IMPORTERS, tag: string, row: PricedEvent) =>
    requireTemplate(profile, fileOf(profile, [receipt, send], withTag(row, tag)));
  for (const profile of PROFILES) {
    assert.notDeepEqual(tagged(profile, 'sale', send)[1], tagged(profile, 'own_transfer', send)[1], profile);
  }
  assert.equal(tagged('koinly', 'sale', send)[1]!.Description, 'Sent; tag sale');
  const sold = tagged('cointracker', 'sale', send)[1]!;
  assert.deepEqual([sold['Received Quantity'], sold['Received Currency']], ['14.3', 'USD']);
  const [bought] = tagged('zenledger', 'purchase', receipt);
  assert.deepEqual([bought!.Type, bought!['Out Amount'], bought!['Out Currency']], ['Buy', '35.75', 'USD']);
  for (const tag of ['gift', 'donation', 'lost']) assert.equal(tagged('awaken', tag, send)[1]!.Tag, '');
});

test('CoinTracker and ZenLedger: a sale without a price is a plain send', () => {
  const reward = makeEvent(1, '2026-01-05', 'staking_reward', { received_amount: 10n, received_denom: 'uatom' });
  const send = makeEvent(2, '2026-01-06', 'transfer_out', { sent_amount: 4n, sent_denom: 'uatom' });
  const [, zenledger] = requireTemplate('zenledger', fileOf('zenledger', [reward, send], withTag(send, 'sale')));
  const [, cointracker] = requireTemplate('cointracker', fileOf('cointracker', [reward, send], withTag(send, 'sale')));
  assert.deepEqual([zenledger!.Type, zenledger!['IN Amount']], ['Send', '']);
  assert.deepEqual([cointracker!.Tag, cointracker!['Received Quantity']], ['', '']);
});

test('a value below half a cent is empty, and coins that are declared worthless have 0.00', () => {
  const dust = (height: number) =>
    makeEvent(height, '2026-01-05', 'transfer_in', {
      ...{ received_amount: 100n, received_denom: 'uatom', received_price: 3_574_544n },
    });
  const [tiny, worthless] = [dust(1), dust(2)];
  const assets = new Map([[worthless.id, { mode: 'override', value: 0n, keepsTreatment: true } as const]]);
  const decisions = { ...noDecisions, assets };
  for (const [profile, value, currency] of [
    ['koinly', 'Net Worth Amount', 'Net Worth Currency'],
    ['turbotax', 'Market Value', 'Market Value Currency'],
  ] as const) {
    const rows = requireTemplate(profile, fileOf(profile, [tiny, worthless], decisions));
    assert.deepEqual(
      rows.map((row) => [row[value], row[currency]]),
      [
        ['', ''],
        ['0.00', 'USD'],
      ],
    );
  }
});

test('CoinTracker: amounts have at most eight decimals, and an amount that rounds to zero has no row', () => {
  const { denom } = loadReference().assets.find(({ decimals }) => decimals === 18)!;
  const received = (height: number, units: bigint) =>
    makeEvent(height, '2026-01-05', 'transfer_in', { received_amount: units, received_denom: denom });
  const wallet = [received(1, 1_234_567_895_000_000_000n), received(2, 4_000_000_000n)];
  const rows = requireTemplate('cointracker', fileOf('cointracker', wallet));
  assert.deepEqual(
    rows.map((row) => row['Received Quantity']),
    ['1.2345679'],
  );
});

/** Makes a program's file of a wallet. */
function fileOf(
  profile: keyof typeof IMPORTERS,
  wallet: readonly PricedEvent[],
  decisions: Decisions = noDecisions,
): string {
  const parameters = { profile, addresses: ['A'], range: ALL_TIME, type: 'all', decisions, openingLots: [] };
  const answer = importAnswer(parameters as unknown as ValidParameters, memoryDataset({ A: wallet }));
  return [...(answer as { chunks: Iterable<string> }).chunks].join('').replace(/^\ufeff/, ''); // as text() of a response
}

test('TurboTax: a swap of which eight decimals leave one side is a sale or a purchase', () => {
  const { denom } = loadReference().assets.find(({ decimals }) => decimals === 18)!;
  const words = ([sent, received]: readonly [bigint, bigint]) => {
    const swap = makeEvent(1, '2026-01-05', 'swap', {
      ...{ sent_amount: sent, sent_denom: 'uatom', received_amount: received, received_denom: denom },
    });
    return requireTemplate('turbotax', fileOf('turbotax', [swap])).map((row) => row.Type);
  };
  assert.deepEqual(words([1n, 10n ** 18n]), ['Convert']);
  assert.deepEqual(words([1n, 4n * 10n ** 9n]), ['Sale']);
});

test('files of all wallets fit their templates', async () => {
  for (const profile of PROFILES) {
    for (const address of [WALLETS.light, WALLETS.busy, WALLETS.big, WALLETS.short, WALLETS.silent]) {
      const rows = requireTemplate(profile, await exported(profile, { address }));
      assert.equal(rows.length === 0, address === WALLETS.silent);
    }
  }
});

const SEVERAL = [WALLETS.light, WALLETS.big, WALLETS.silent];
const YEAR = { start: '2026-01-01', end: '2026-12-31' };

const pathOf = (profile: string, query: Record<string, string>) =>
  `/api/tax/v1/events?${new URLSearchParams({ address: SEVERAL.join(), profile, ...query })}`;

test('several wallets are an archive: one file each, with the bytes that the wallet alone has', async () => {
  const separate = PROFILES.filter((profile) => (IMPORTERS[profile] as Importer).joint === undefined);
  assert.deepEqual(
    PROFILES.filter((profile) => !separate.includes(profile)),
    ['bittytax'],
  );
  for (const profile of separate) {
    for (const query of [{}, { ...YEAR, bom: '1', type: 'rewards' }]) {
      const { files } = await server.archive(pathOf(profile, query));
      assert.deepEqual(
        files.map(([, text]) => text.replace(/^\ufeff/, '')), // as text() of a response
        await Promise.all(SEVERAL.map((address) => exported(profile, { ...query, address }))),
        profile,
      );
    }
  }
});

test('an archive names its wallets and days, and is the same each time', async () => {
  const { files, headers } = await server.archive(pathOf('koinly', YEAR));
  assert.deepEqual(
    files.map(([name]) => name),
    SEVERAL.map((address) => `koinly-${address.slice(0, 13)}...${address.slice(-6)}-2026.csv`),
  );
  const some = await server.archive(pathOf('koinly', { start: '2026-01-01', end: '2026-03-31' }));
  assert.match(some.files[0]![0], /-2026-01-01-2026-03-31\.csv$/);
  const name = `events-koinly-${WALLETS.light.slice(7, 15)}-and-2-more-2026-01-01-2026-12-31.zip`;
  assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"`);
  assert.deepEqual([headers.get('content-encoding'), headers.has('x-coverage')], [null, true]);
  const bytes = async (init: RequestInit = {}) =>
    Buffer.from(await (await fetch(server.base + pathOf('koinly', YEAR), init)).arrayBuffer());
  const [first, second] = [await bytes(), await bytes({ headers: { 'accept-encoding': 'identity' } })];
  assert.ok(first.equals(second));
  const unchanged = { headers: { 'if-none-match': headers.get('etag')! } };
  assert.equal((await fetch(server.base + pathOf('koinly', YEAR), unchanged)).status, 304);
  const head = await server.ask(pathOf('koinly', YEAR), { method: 'HEAD' });
  assert.deepEqual(
    ['content-type', 'content-length', 'x-parts'].map((header) => head.headers.get(header)),
    ['application/zip', String(first.length), '3'],
  );
});

test('a program that names the wallet in each row reads several wallets from one file, in order of time', async () => {
  const rows = requireTemplate('bittytax', await exported('bittytax', { address: `${WALLETS.light},${WALLETS.busy}` }));
  const times = rows.map((row) => row.Timestamp!);
  assert.deepEqual(times, [...times].sort());
  const each = await Promise.all(
    [WALLETS.light, WALLETS.busy].map(async (address) =>
      requireTemplate('bittytax', await exported('bittytax', { address })),
    ),
  );
  const sorted = (cells: readonly object[]) => cells.map((row) => JSON.stringify(row)).sort();
  assert.deepEqual(sorted(rows), sorted(each.flat()));
  assert.equal(new Set(rows.map((row) => row.Wallet)).size, 2);
});

test('a transfer between two of the wallets leaves one file and arrives in the other, with one hash', () => {
  const coins = { sent_amount: 4_000_000n, sent_denom: 'uatom', sent_price: 1_000_000n };
  const got = { received_amount: 4_000_000n, received_denom: 'uatom', received_price: 1_000_000n };
  const [paid, arrived] = [
    makeEvent(2, '2026-01-06', 'transfer_out', { ...coins, counterparty: 'B' }),
    makeEvent(2, '2026-01-06', 'transfer_in', { ...got, address: 'B', counterparty: 'A' }),
  ];
  const sides = [[makeEvent(1, '2026-01-05', 'staking_reward', got), paid], [arrived]].map((wallet) =>
    requireTemplate('koinly', fileOf('koinly', wallet)).filter((row) => row.TxHash === hash(2)),
  );
  assert.deepEqual(
    sides.map((rows) => rows.map((row) => [row['Sent Amount'], row['Received Amount'], row.Label])),
    [[['4', '', '']], [['', '4', '']]],
  );
});

test('a range and a type choose rows as they do without a profile', async () => {
  const rows = requireTemplate('koinly', await exported('koinly', { type: 'rewards', start: '2026-01-01' }));
  assert.ok(rows.every((row) => row.Label === 'reward' && row.Date! >= '2026-01-01'));
  const plain = await server.ask(`/api/tax/v1/events?address=${WALLETS.light}&type=rewards&start=2026-01-01`);
  assert.equal(rows.length, plain.json<{ count: number }>().count);
});

test('tags change words, ignored and excluded receipts go where the program has no such rows', async () => {
  const json = await server.ask(`/api/tax/v1/events?address=${WALLETS.light}&type=transfers`);
  const events = json.json<{ events: { txHash: string; sentAmount: string; id: string }[] }>().events;
  const payment = events.find(({ sentAmount }) => sentAmount !== '')!;
  const words = async (profile: string, column: string, tag: string) => {
    const text = await exported(profile, { tags: JSON.stringify({ [payment.id]: tag }) });
    return requireTemplate(profile, text).map((row) => row[column]);
  };
  assert.ok((await words('koinly', 'Label', 'donation')).includes('donation'));
  assert.ok((await words('bittytax', 'Type', 'gift')).includes('Gift-Sent'));
  const all = await words('coinledger', 'Type', 'ignore');
  assert.ok(all.includes('Ignored'));
  assert.equal((await words('zenledger', 'Type', 'ignore')).length, all.length - 1);
});

test('a flagged receipt waits for a decision here, too', async () => {
  const { status } = await server.ask(`/api/tax/v1/events?address=${WALLETS.flagged}&profile=koinly`);
  assert.equal(status, 409);
  const excluded = JSON.stringify({ '*': { mode: 'exclude' } });
  requireTemplate('koinly', await exported('koinly', { address: WALLETS.flagged, asset_decisions: excluded }));
});

test('a profile implies CSV, has its own file name and is no JSON', async () => {
  const plain = await server.ask(
    `/api/tax/v1/events?address=${WALLETS.light}&profile=taxbit&start=2026-01-01&end=2026-12-31`,
  );
  assert.equal(plain.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  const name = `events-taxbit-${WALLETS.light.slice(7, 15)}-2026-01-01-2026-12-31.csv`;
  assert.equal(plain.headers.get('content-disposition'), `attachment; filename="${name}"`);
  for (const [query, message] of [
    ['profile=gnucash', /must be koinly, .* or \w+, not "gnucash"/],
    ['profile=koinly&format=json', /needs format=csv/],
  ] as const) {
    const { status, json } = await server.ask(`/api/tax/v1/events?address=${WALLETS.light}&${query}`);
    const { errors } = (json as () => { errors: { path: string; message: string }[] })();
    assert.deepEqual([status, errors[0]!.path], [400, 'profile']);
    assert.match(errors[0]!.message, message);
  }
});

test('a body names the profile, too', async () => {
  const { status, text } = await server.ask('/api/tax/v1/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: WALLETS.light, profile: 'koinly' }),
  });
  assert.equal(status, 200);
  assert.equal(text, await exported('koinly'));
});

/** Reads a file as the program does, and prints what it understood. */
const READ_BITTYTAX = `
import json, sys
from bittytax.import_records import ImportRecords
records = ImportRecords()
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    records.import_csv(file)
quantity = lambda part: str(part.quantity) if part else None
print(json.dumps([records.failure_cnt, [
    [record.t_type.value, record.timestamp.isoformat(), quantity(record.buy), quantity(record.sell), quantity(record.fee)]
    for record in records.get_records()
]]))`;

type Understood = [failures: number, records: [type: string, time: string, ...quantities: (string | null)[]][]];

for (const python of programs('readers')) {
  test('BittyTax reads its file row by row', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hubledger-bittytax-'));
    try {
      for (const address of [WALLETS.light, WALLETS.busy]) {
        const text = await exported('bittytax', { address });
        const rows = requireTemplate('bittytax', text);
        writeFileSync(join(folder, 'events.csv'), text);
        const words = ['-c', READ_BITTYTAX, join(folder, 'events.csv')];
        const { stdout } = await promisify(execFile)(python, words);
        const [failures, records]: Understood = JSON.parse(stdout.trim().split('\n').at(-1)!);
        assert.equal(failures, 0);
        const quantity = (text: string | undefined) => (text === '' ? null : Number(text));
        assert.deepEqual(
          records
            .map(([type, time, ...quantities]) => [type, time, ...quantities.map((text) => text && Number(text))])
            .sort(),
          rows
            .map((row) => [
              row.Type!,
              `${row.Timestamp!.replace(' ', 'T')}+00:00`,
              ...[row['Buy Quantity'], row['Sell Quantity'], row['Fee Quantity']].map(quantity),
            ])
            .sort(),
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
