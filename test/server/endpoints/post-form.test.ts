/** The POST form of events, journal, positions and summary: its members mean the same as in a query (decision R5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldError } from '../../../schemas/types.generated.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { sharedServer, WALLETS } from '../harness.js';
import { posting } from '../people/accounts/signed-in.js';
import { recordedEvents } from '../published.js';

const server = sharedServer();

const { light, short, flagged, silent } = WALLETS;
const hash = recordedEvents(short)[0]!.tx_hash;
const record = recordedEvents(flagged)[0]!.id;
/** The endpoints with all of these parameters. Others take a wallet's address in a body. */
const posted = endpoints.filter(
  ({ path, post }) =>
    post && !/(asset-review|balances|holdings|restatements|own-sends|delegator-report|tax-year)$/.test(path),
);

/** Each parameter as values of a query, some of them faulty, and the member of a body that says the same. */
const VALUES: Record<string, readonly string[]> = {
  address: [short, flagged, silent, `${short},${light}`, `${light},${light.toUpperCase()}`, `${light},,x`, ''],
  chain: ['cosmoshub', 'osmosis', ''],
  type: ['all', 'rewards', 'fees', 'votes'],
  start: ['2026-01-19', '2026-03-02T00:00:00Z', '2026-02-30', ''],
  end: ['2026-03-01', '2026-01-01', 'soon', ''],
  date: ['2026-02-01', '2026-01-17', '2026-13-01'],
  year: ['2026', '2025', '26'],
  own_wallets: ['separate', 'carry', 'pooled'],
  opening_lots: ['[]', '{}', '[{"denom":"uatom"}]'],
  format: ['json', 'csv', 'xml'],
  tags: [`{"${hash}":"gift"}`, `{"${hash}:uatom":"sale"}`, '{"a/b":"gift"}', '[]'],
  asset_decisions: [
    `{"${record}":{"mode":"exclude"},"unknown":{"mode":"exclude"}}`,
    `{"${record}":{"mode":"override","value_usd":"1.5"}}`,
    `{"${record}":{"mode":"override","acquired_date":"2026-01-19"}}`,
    '{"r":{"mode":"sell"}}',
  ],
};
type Names = Readonly<Record<string, string>>;

/** Names of members of a body; a parameter's own name does as well. */
const MEMBERS: Names = {
  tags: 'userTags',
  asset_decisions: 'assetDecisions',
  opening_lots: 'openingLots',
  own_wallets: 'ownWallets',
};

const OWN_NAMES: Names = {};

function bodyOf(query: Readonly<Record<string, string>>, asList: boolean, names: Names): object {
  const entries = Object.entries(query).map(([name, value]) => {
    if (/^[[{]/.test(value)) return [names[name] ?? name, JSON.parse(value)];
    return [names[name] ?? name, name === 'address' && asList && value !== '' ? value.split(',') : value];
  });
  return Object.fromEntries(entries);
}

/** Faults as a body names them, without the places in a list of addresses. */
const faultsOf = (errors: readonly FieldError[], names: Names) =>
  errors.map(({ path, message }) => {
    const [name = '', ...pointer] = path.split('/');
    return [name === 'address' ? name : [names[name] ?? name, ...pointer].join('/'), message];
  });

const anyQuery = fc
  .record(Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, fc.constantFrom(...values)])), {
    requiredKeys: ['address'],
  })
  .map((values) => values as Record<string, string>);

const anyNames = fc.constantFrom(MEMBERS, OWN_NAMES);

test('the twelve of them', () => {
  assert.deepEqual(
    endpoints.filter(({ post }) => post).map(({ path }) => path.split('/').at(-1)),
    [
      'events',
      'journal',
      'positions',
      'summary',
      'tax-year',
      'asset-review',
      'own-sends',
      'transferred-basis',
      'restatements',
      'balances',
      'holdings',
      'delegator-report',
    ],
  );
});

test('balances, holdings, restatements and receipts to review are answered to a body as to the query', async () => {
  for (const path of [
    '/api/tax/v1/asset-review',
    '/api/tax/v1/balances',
    '/api/tax/v1/holdings',
    '/api/tax/v1/restatements',
  ]) {
    const asked = await server.ask(`${path}?address=${flagged}`);
    const answer = await server.ask(path, posting({ address: flagged }));
    assert.deepEqual([answer.status, answer.text], [200, asked.text], path);
    assert.equal((await server.ask(path, posting({ address: 7 }))).status, 422);
  }
});

test('any body is answered as the query that says the same, and refused with 422 where that is with 400', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...posted),
      anyQuery,
      fc.boolean(),
      anyNames,
      async ({ path }, query, asList, names) => {
        const asked = await server.ask(`${path}?${new URLSearchParams(query)}`);
        const answer = await server.ask(path, posting(bodyOf(query, asList, names)));
        statuses.add(answer.status);
        assert.equal(answer.status, asked.status === 400 ? 422 : asked.status, answer.text);
        if (asked.status === 200) {
          assert.equal(answer.text, asked.text);
          for (const name of ['content-type', 'content-disposition'])
            assert.equal(answer.headers.get(name), asked.headers.get(name));
          assert.deepEqual(
            [answer.headers.get('cache-control'), answer.headers.get('etag')],
            ['private, no-store', null],
          );
        } else if (asked.status === 400) {
          assert.equal(answer.json().code, 'validation_failed');
          assert.deepEqual(faultsOf(answer.json().errors, names), faultsOf(asked.json().errors, names));
        } else assert.deepEqual([answer.json().code, answer.json().pending], [asked.json().code, asked.json().pending]);
      },
    ),
    { numRuns: 50, seed: 5, examples: [[posted[2]!, { address: flagged, date: '2026-02-01' }, true, MEMBERS]] },
  );
  assert.deepEqual(statuses, new Set([200, 409, 422]));
});

test('both names of a member at once are refused, also where they say the same; one of them may be null', async () => {
  const path = '/api/tax/v1/positions';
  const given = { tags: {}, asset_decisions: {}, opening_lots: [], own_wallets: 'carry' };
  const both = Object.entries(given).flatMap(([name, value]) => [
    [name, value],
    [MEMBERS[name], value],
  ]);
  const refused = await server.ask(path, posting({ address: short, ...Object.fromEntries(both) }));
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.json().errors,
    Object.keys(given).map((name) => {
      return { path: MEMBERS[name], message: `is given under both names, ${MEMBERS[name]} and ${name}` };
    }),
  );
  const nulls = Object.fromEntries(Object.values(MEMBERS).map((name) => [name, null]));
  const answer = await server.ask(path, posting({ address: short, ...given, ...nulls }));
  assert.deepEqual([answer.status, answer.json().ignored], [200, undefined]);
});

test('members of a wrong kind are told by their names', async () => {
  for (const { path } of posted) {
    const body = { address: [short, 7], format: 1, userTags: '{}', assetDecisions: [] };
    const refused = await server.ask(path, posting(body));
    const paths = refused.json().errors.map((error: FieldError) => error.path);
    assert.deepEqual([refused.status, paths], [422, ['address', 'userTags', 'assetDecisions', 'format']], path);
  }
});
