/** Sends to own accounts: their sum is the sum of their rows in the files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import type { Event, OwnSends, PricedEvent } from '../../../schemas/types.generated.js';
import { ownSends } from '../../../server/endpoints/own-sends.js';
import { IMPORTERS } from '../../../server/tax/formats/profiles/importers/index.js';
import { PARAMETERS } from '../../../server/tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../../../server/tax/parameters/parameters.js';
import { ALL_TIME } from '../../../server/tax/parameters/time-range.js';
import { makeEvent, tagsOf } from '../../books/ledger/wallets.js';
import { sharedServer, WALLETS } from '../harness.js';
import { memoryDataset } from '../memory-dataset.js';
import { parseTable } from '../parse-csv.js';
import { posting } from '../people/accounts/signed-in.js';

const server = sharedServer();

/** Importers with a column for values: its name, and the names of the columns of the hash and the sent amount. */
const VALUED = {
  koinly: ['Net Worth Amount', 'TxHash', 'Sent Amount'],
  awaken: ['Sent Fiat Amount', 'Transaction Hash', 'Sent Quantity'],
  turbotax: ['Market Value', 'Transaction Hash', 'Sent Amount'],
} as const;

const cents = (usd: string) => (usd === '' ? 0n : parseDecimal(usd, 2));
const total = (values: readonly string[]) => values.reduce((sum, usd) => sum + cents(usd), 0n);

async function posted(path: string, body: object): Promise<string> {
  const { status, text } = await server.ask(`/api/tax/v1/${path}`, posting(body));
  assert.equal(status, 200, text);
  return text;
}

test('the parameter offers all importers', () => {
  assert.deepEqual(PARAMETERS.import_profile.schema.enum, Object.keys(IMPORTERS));
});

test('all sends answered as own: the sum is the sum of their rows in the file, to the cent', async () => {
  const address = [WALLETS.light, WALLETS.busy, WALLETS.big];
  const { events } = JSON.parse(await posted('events', { address, type: 'transfers' })) as { events: Event[] };
  const sends = events.filter(({ category, sentAmount }) => category === 'transfer_out' && sentAmount !== '');
  const userTags = Object.fromEntries(sends.map(({ id }) => [id, 'own_transfer']));
  const hashes = new Set(sends.map(({ txHash }) => txHash));
  for (const [profile, [value, hash, sent]] of Object.entries(VALUED)) {
    const found: OwnSends = JSON.parse(await posted('own-sends', { address, userTags, profile }));
    const rows: Record<string, string>[] = [];
    for (const one of address) {
      const file = await posted('events', { address: one, userTags, profile });
      const isSend = (row: Record<string, string>) => row[sent] !== '' && hashes.has(row[hash]!.slice(0, 64));
      const isFee = (row: Record<string, string>) =>
        Object.values(row).some((cell) => cell === 'cost' || cell === 'fee' || cell === 'Expense');
      rows.push(...parseTable(file).filter((row) => isSend(row) && !isFee(row)));
    }
    assert.ok(rows.length > 0 && rows.length >= sends.length, `${rows.length} of ${sends.length}`);
    assert.equal(found.count, rows.length, profile);
    assert.equal(cents(found.value_usd), total(rows.map((row) => row[value]!)), profile);
    assert.equal(total(found.receivers.map(({ value_usd }) => value_usd)), cents(found.value_usd));
    const counted = found.receivers.reduce((sum, { count }) => sum + count, 0);
    assert.equal(counted, found.count);
    const receivers = new Set(sends.map(({ counterparty }) => counterparty));
    assert.deepEqual(new Set(found.receivers.flatMap(({ addresses }) => addresses)), receivers);
  }
});

const PRICE = 2_000_000n;

const send = (height: number, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-01-06', 'transfer_out', {
    ...{ sent_amount: 1_000_000n, sent_denom: 'uatom', sent_price: PRICE, counterparty: 'X' },
    ...more,
  });

/** Returns the answer for wallets in memory whose rows with these ids are own transfers. */
function answered(wallets: Readonly<Record<string, readonly PricedEvent[]>>, ids: readonly string[]): OwnSends {
  const tags = tagsOf(Object.values(wallets).flat(), Object.fromEntries(ids.map((id) => [id, 'own_transfer'])));
  const dataset = memoryDataset(wallets, undefined, { A: new Map([['uatom', 1_000_000_000n]]) });
  const decisions = { tags, assets: new Map() };
  const parameters = { addresses: Object.keys(wallets), range: ALL_TIME, decisions, import_profile: 'koinly' };
  const answer = ownSends.handle({ parameters: parameters as unknown as ValidParameters, dataset } as never);
  assert.ok('json' in answer);
  return answer.json as OwnSends;
}

test('sends to own keys count, sends without a tag and sends to another of the wallets do not', () => {
  const rows = [
    send(1),
    send(2),
    send(3, { counterparty: 'B' }),
    send(4, { category: 'ibc_out', counterparty: 'osmo1own', to_own_key: true }),
    send(5, { category: 'ibc_out', counterparty: 'A', to_own_key: true }), // on a chain with the same prefix
  ];
  const arrived = { received_amount: 1_000_000n, received_denom: 'uatom', received_price: PRICE };
  const receipt = makeEvent(3, '2026-01-06', 'transfer_in', { ...arrived, address: 'B', counterparty: 'A' });
  const { count, value_usd, receivers } = answered({ A: rows, B: [receipt] }, [rows[1]!.id, rows[2]!.id]);
  assert.deepEqual([count, value_usd], [3, '6.00']);
  assert.deepEqual(
    receivers.map(({ addresses }) => addresses),
    [['X'], ['osmo1own'], ['A']],
  );
});

test('sends without a price are counted apart, and are never worth 0.00', () => {
  const rows = [send(1, { sent_price: null }), send(2, { counterparty: 'Y' }), send(3, { sent_amount: 1n })];
  const ids = rows.map(({ id }) => id);
  const all = answered({ A: rows }, ids);
  assert.deepEqual([all.count, all.value_usd, all.without_price], [3, '2.00', 1]);
  assert.deepEqual(all.receivers, [
    { addresses: ['Y'], count: 1, value_usd: '2.00', without_price: 0 },
    { addresses: ['X'], count: 2, value_usd: '0.00', without_price: 1 },
  ]);
  const [unpriced] = rows as [PricedEvent];
  const none = answered({ A: [unpriced] }, [unpriced.id]);
  assert.deepEqual([none.count, none.value_usd, none.receivers[0]!.value_usd], [1, '', '']);
  const nothing = answered({ A: rows }, []);
  assert.deepEqual([nothing.count, nothing.value_usd, nothing.receivers], [0, '0.00', []]);
});

test('a payment to several receivers names all of them', () => {
  const [first, second] = [WALLETS.light, WALLETS.busy];
  const detail = `To 2 receivers, in base units: ${first} 400000, ${second} 600000`;
  const row = send(1, { counterparty: null, detail });
  assert.deepEqual(answered({ A: [row] }, [row.id]).receivers, [
    { addresses: [first, second], count: 1, value_usd: '2.00', without_price: 0 },
  ]);
});

test('a profile is needed', async () => {
  const { status, text } = await server.ask(`/api/tax/v1/own-sends?address=${WALLETS.light}`);
  assert.equal(status, 400);
  assert.match(text, /"path":"profile","message":"is required"/);
});
