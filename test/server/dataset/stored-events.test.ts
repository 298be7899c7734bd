import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf, WHOLE_INDEX } from '../../../pipeline/reports/coverage.js';
import { type EventListHead, eventListHead, storedEventList } from '../../../pipeline/reports/event-list.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { sharedServer, WALLETS } from '../harness.js';
import { contextOf, generationOf, HEIGHT, manifest, recordedEvents, VALIDATORS } from '../published.js';

const PATH = '/api/tax/v1/events';
const { light, busy, short, big } = WALLETS;

const server = sharedServer();

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);
const post = (body: object) =>
  server.ask(PATH, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

test('stored and computed answers are equal byte for byte', async () => {
  const context = contextOf(VALIDATORS);
  const coverage = coverageOf(manifest(generationOf(HEIGHT), HEIGHT), WHOLE_INDEX);
  for (const address of [light, busy, short, big]) {
    const stored = await get({ address });
    const head: EventListHead = { type: 'all', addresses: [address], start: null, end: null };
    const rows = storedEventList(recordedEvents(address), context);
    assert.equal(stored.text, eventListHead(head, context.rules, coverage) + rows);
    const computed = await get({ address, tags: '{}' });
    assert.equal(computed.text, stored.text, address);
    for (const text of [stored.text, computed.text])
      assert.equal(JSON.parse(text).count, recordedEvents(address).length);
    assert.equal((await post({ address })).text, stored.text);
  }
});

test('a range has the stored rows only where it leaves none out', async () => {
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
