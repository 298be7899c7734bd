import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { sharedServer, startServer, WALLETS } from '../harness.js';
import { recordedEvents } from '../published.js';

let handled = 0;
const counting = endpoints.map(
  (endpoint): Endpoint => ({
    ...endpoint,
    handle(request) {
      handled++;
      return endpoint.handle(request);
    },
  }),
);

const server = sharedServer({ endpoints: counting });

const events = `/api/tax/v1/events?address=${WALLETS.short}`;
const etagOf = async (path: string, init?: RequestInit) => (await server.ask(path, init)).headers.get('etag');

test('tags are compared weakly', async () => {
  const etag = (await etagOf(events))!;
  assert.match(etag, /^W\/"[0-9a-f]{8}\.[0-9a-f]{16}"$/);
  const statusFor = async (tags: string) => (await server.ask(events, { headers: { 'if-none-match': tags } })).status;
  for (const tags of [etag, etag.slice(2), `"other", ${etag}`, `W/"a",W/"b" , ${etag}`, '*', ' * ']) {
    assert.equal(await statusFor(tags), 304, tags);
  }
  for (const tags of ['', 'W/"other"', etag.replaceAll('"', ''), `"${etag}"`]) {
    assert.equal(await statusFor(tags), 200, tags);
  }
});

test('an answer that the caller has is 304, without body and without work', async () => {
  for (const path of [
    events,
    `${events}&format=csv`,
    '/api/tax/v1/methodology',
    '/api/tax/v1/openapi.json',
    '/llms.txt',
  ]) {
    const fresh = await server.ask(path);
    const etag = fresh.headers.get('etag') ?? '';
    assert.match(etag, /^W\/"[0-9a-f]{8}\.[0-9a-f]{16}"$/);
    const before = handled;
    for (const method of ['GET', 'HEAD']) {
      const known = await server.ask(path, { method, headers: { 'if-none-match': `"other", ${etag}` } });
      assert.equal(known.status, 304);
      assert.equal(known.text, '');
      for (const name of ['etag', 'cache-control', 'vary']) {
        assert.equal(known.headers.get(name), fresh.headers.get(name), name);
      }
    }
    assert.equal(handled, before, path);
    assert.equal(
      (await server.ask(path, { headers: { 'if-none-match': 'W/"00000000.0000000000000000"' } })).status,
      200,
    );
  }
});

test('what is no answer is not cached: an invalid request with any tag is 400', async () => {
  const answer = await server.ask('/api/tax/v1/events?address=x', { headers: { 'if-none-match': '*' } });
  assert.equal(answer.status, 400);
});

test('one tag for all codings; another for what changes the answer', async () => {
  const codings = ['gzip', 'br', 'identity'].map((coding) =>
    etagOf(events, { headers: { 'accept-encoding': coding } }),
  );
  assert.equal(new Set(await Promise.all(codings)).size, 1);
  assert.equal(await etagOf(`${events}&type=all`), await etagOf(events));
  const others = ['type=fees', 'format=csv', 'start=2026-01-01', 'end=2026-01-01'].map((extra) => `${events}&${extra}`);
  others.push(
    `${events}&unknown=1`,
    `/api/tax/v1/journal?address=${WALLETS.short}`,
    `/api/tax/v1/events?address=${WALLETS.light}`,
  );
  const tags = await Promise.all([events, ...others].map((path) => etagOf(path)));
  assert.equal(new Set(tags).size, tags.length);
});

test('an answer as of today has another tag tomorrow', async (t) => {
  const tomorrow = await startServer({ environment: { HUBLEDGER_NOW: '2026-06-02T00:00:00Z' } });
  t.after(() => tomorrow.close());
  const positions = `/api/tax/v1/positions?address=${WALLETS.short}`;
  assert.notEqual((await tomorrow.ask(positions)).headers.get('etag'), await etagOf(positions));
  const dated = `${positions}&date=2026-02-01`;
  assert.equal((await tomorrow.ask(dated)).headers.get('etag'), await etagOf(dated));
});

const journal = `/api/tax/v1/journal?address=${WALLETS.short}`;

test('a caller who kept what tags, decisions or opening lots made of an answer gets a 304, and all of it once they change', async () => {
  const hash = recordedEvents(WALLETS.short)[0]!.tx_hash;
  const record = recordedEvents(WALLETS.flagged)[0]!.id;
  const reviewed = `/api/tax/v1/events?address=${WALLETS.flagged}`;
  const decided = (decision: object) => `${reviewed}&asset_decisions=${JSON.stringify({ [record]: decision })}`;
  const paths = [
    [`${events}&tags={}`, `${events}&tags={"${hash}":"gift"}`, `${events}&tags={"${hash}":"income"}`],
    [decided({ mode: 'exclude' }), decided({ mode: 'keep' }), decided({ mode: 'override', value_usd: '1' })],
    [journal, `${journal}&opening_lots=[]`],
  ].flat();
  const seen = new Set<string>();
  for (const path of paths) {
    const fresh = await server.ask(path);
    assert.equal(fresh.status, 200, fresh.text);
    const etag = fresh.headers.get('etag')!;
    assert.ok(!seen.has(etag), path);
    seen.add(etag);
    const known = await server.ask(path, { headers: { 'if-none-match': etag } });
    assert.deepEqual([known.status, known.headers.get('etag'), known.text], [304, etag, ''], path);
    assert.equal(known.headers.get('cache-control'), fresh.headers.get('cache-control'));
  }
});

test('what a caller tells about itself is kept by nobody', async () => {
  const told = [
    await server.ask(`${events}&tags={}`),
    await server.ask(`${events}&asset_decisions={}`),
    await server.ask(`${journal}&opening_lots=[]`),
    await server.ask('/api/tax/v1/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: WALLETS.short }),
    }),
  ];
  for (const answer of told) {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  }
  assert.equal(told.at(-1)!.headers.get('etag'), null, 'a 304 cannot answer a POST');
  assert.match(
    (await server.ask(events)).headers.get('cache-control') ?? '',
    /^public, max-age=\d+, stale-while-revalidate=60$/,
  );
});
