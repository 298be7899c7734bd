import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { events } from '../../../server/endpoints/events.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { PARAMETERS } from '../../../server/tax/parameters/parameter-schemas.js';
import { sharedServer, WALLETS } from '../harness.js';
import { recordedEvents } from '../published.js';

const server = sharedServer();

const { light, short, flagged, silent } = WALLETS;
const hash = recordedEvents(short)[0]!.tx_hash;
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '0', '-1', 'null', '[]', '{}', '../..', '%00', '\u0000', "' or 1=1", '__proto__', 'constructor'),
);
const anyJson = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    `{"${hash}":"gift"}`,
    `{"${hash}:uatom":"sale"}`,
    '{"__proto__":{"mode":"exclude"}}',
    `{"${recordedEvents(flagged)[0]!.id}":{"mode":"override","quantity":"1.1234567"}}`,
    `{"${recordedEvents(flagged)[0]!.id}":{"mode":"exclude"}}`,
  ),
);
/** Values by name: good ones, near misses and nonsense. */
const VALUES: Record<string, fc.Arbitrary<string>> = {
  address: fc.constantFrom(
    light,
    flagged,
    silent,
    `${short},${light}`,
    light.toUpperCase(),
    `${light},`,
    light.slice(1),
  ),
  start: fc.constantFrom('2026-01-20', '2026-02-30', '2026-01-20T00:00:00Z', '0001-01-01', '9999-12-31'),
  end: fc.constantFrom('2026-03-01', '2026-01-01', '2026-03-01T00:00:00+02:00', '0001-01-01', '9999-12-31'),
  date: fc.constantFrom('2026-02-01', '2026-13-01', '0001-01-01', '9999-12-31'),
  denom: fc.constantFrom('uatom', 'ATOM', 'ibc/1'),
  tags: anyJson,
  asset_decisions: anyJson,
};
const names = [...new Set(endpoints.flatMap((e) => e.parameters.map((name) => PARAMETERS[name].name)))];
const choices = (name: string) => Object.values(PARAMETERS).find((one) => one.name === name)?.schema.enum;
const anyValue = (name: string) => VALUES[name] ?? fc.constantFrom(...(choices(name) ?? ['x']));
const anyQuery = fc
  .record(
    Object.fromEntries(
      names.map((name) => [
        name,
        fc.oneof({ weight: 8, arbitrary: anyValue(name) }, { weight: 1, arbitrary: hostile }),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((values) => values as Record<string, string>);

test('with bom=1 a CSV file begins with one byte order mark, and is the same otherwise', async () => {
  const bytes = async (path: string) => Buffer.from(await (await fetch(server.base + path)).arrayBuffer());
  const csv = [
    `events?address=${light}&format=csv`,
    `events?address=${light}&profile=koinly`,
    `journal?address=${light}`,
    `positions?address=${light}&format=csv`,
    `summary?address=${light}&format=csv`,
    `balances?address=${light}&format=csv`,
    'price-series?format=csv',
  ];
  for (const path of csv) {
    const plain = await bytes(`/api/tax/v1/${path}`);
    const marked = await bytes(`/api/tax/v1/${path}&bom=1`);
    assert.ok(marked.equals(Buffer.concat([Buffer.from('efbbbf', 'hex'), plain])), path);
  }
  const marked = [
    `journal?address=${light}&profile=datev&start=2026-01-01&end=2026-12-31`,
    `journal?address=${light}&profile=form8949&format=csv`,
    `events?address=${light}&profile=bittytax`,
  ];
  for (const path of marked) {
    const plain = await bytes(`/api/tax/v1/${path}`);
    assert.equal(plain.lastIndexOf('\uFEFF'), 0, path);
    assert.ok((await bytes(`/api/tax/v1/${path}&bom=1`)).equals(plain));
  }
  const json = await server.ask(`/api/tax/v1/events?address=${light}&bom=1`);
  assert.deepEqual([json.status, json.headers.get('x-ignored-parameters')], [200, 'bom']);
});

test('any query is answered or refused as described, never an error of the server', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...endpoints), anyQuery, async ({ path }, query) => {
      const answer = await server.ask(`${path}?${new URLSearchParams(query)}`);
      statuses.add(answer.status);
      assert.ok([200, 400, 401, 409].includes(answer.status), `${answer.status} ${answer.text.slice(0, 200)}`);
      if (answer.status === 401) assert.equal(path, '/api/tax/v1/delegator-report');
      if (answer.status === 400) assert.ok(answer.json().errors.length > 0);
    }),
    { numRuns: 400, seed: 11, examples: [[events, { address: flagged }]] },
  );
  assert.deepEqual(statuses, new Set([200, 400, 401, 409]));
});
