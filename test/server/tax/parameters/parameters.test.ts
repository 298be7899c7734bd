import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeRates } from '../../../../pipeline/books/currencies/exchange-rates.js';
import { EVERY_DENOM } from '../../../../pipeline/books/ledger/decisions.js';
import { readConfig } from '../../../../pipeline/config.js';
import { loadReference } from '../../../../pipeline/reference.js';
import { Networks } from '../../../../server/contracts/networks.js';
import { withServiceEndpoints } from '../../../../server/endpoints/all.js';
import { endpoints } from '../../../../server/endpoints/index.js';
import { Problem } from '../../../../server/http/problem.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../../../../server/tax/parameters/parameter-schemas.js';
import { canonical, type Given, readParameters } from '../../../../server/tax/parameters/parameters.js';

const reference = loadReference();
const context = {
  ...{ reference, networks: new Networks(undefined, reference.networks), now: new Date('2026-06-01') },
  currencies: new ExchangeRates().currencies,
};
const ADDRESS = PARAMETERS.address.example;
const HASH = 'ab'.repeat(32);

const namesOf = (path: string) => endpoints.find((endpoint) => endpoint.path.endsWith(path))!.parameters;
const EVENTS = namesOf('/events');
const SERIES = namesOf('/price-series');

const query = (values: Record<string, string | string[]>): Given => ({
  query: new Map(Object.entries(values).map(([name, value]) => [name, [value].flat()])),
});
const read = (names: readonly ParameterName[], values: Record<string, string | string[]>) =>
  readParameters(names, query(values), context);

/** The paths and messages that a refused request gets, and its code. */
function refused(names: readonly ParameterName[], given: Given) {
  try {
    readParameters(names, given, context);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return { code: error.code, detail: error.detail, errors: error.extras.errors! };
  }
  return assert.fail('not refused');
}
const pathsOf = (names: readonly ParameterName[], values: Record<string, string | string[]>) =>
  refused(names, query(values)).errors.map(({ path }) => path);

test('defaults', () => {
  const { addresses, chain, type, range, format, personal } = read(EVENTS, { address: ADDRESS });
  assert.deepEqual(
    [addresses, chain, type, range.start, range.end, format, personal],
    [[ADDRESS], 'cosmoshub', 'all', null, null, 'json', false],
  );
  assert.equal(read(namesOf('/journal'), { address: ADDRESS }).format, 'csv');
  assert.equal(read(namesOf('/positions'), { address: ADDRESS }).date, '2026-06-01');
});

test('each wrong value is told under its name', () => {
  const cases: [Record<string, string | string[]>, string[]][] = [
    [{}, ['address']],
    [{ address: '' }, ['address']],
    [{ address: [ADDRESS, ADDRESS] }, ['address']],
    [{ address: `${ADDRESS},` }, ['address']],
    [{ address: `${ADDRESS},,${ADDRESS}` }, ['address']],
    [{ address: ADDRESS, chain: 'cosmoshub-4' }, ['chain']],
    [{ address: ADDRESS, chain: '' }, ['chain']],
    [{ address: ADDRESS, chain: 'CosmosHub' }, ['chain']],
    [{ address: ADDRESS, type: 'reward' }, ['type']],
    [{ address: ADDRESS, type: 'constructor' }, ['type']],
    [{ address: ADDRESS, type: ['all', 'all'] }, ['type']],
    [{ address: ADDRESS, format: 'CSV' }, ['format']],
    [{ address: ADDRESS, start: '2026-02-30' }, ['start']],
    [{ address: ADDRESS, end: '2026-01-01T00:00:00' }, ['end']],
    [{ address: ADDRESS, start: '2026-03-02', end: '2026-03-01' }, ['start']],
    [{ address: ADDRESS, start: '2026-03-01T00:00:01Z', end: '2026-03-01T00:00:00Z' }, ['start']],
    [{ address: ADDRESS, tags: '{' }, ['tags']],
    [{ address: ADDRESS, tags: '[]' }, ['tags']],
    [{ address: ADDRESS, tags: '"gift"' }, ['tags']],
    [{ address: ADDRESS, tags: `{"${HASH}":"gifts"}` }, [`tags/${HASH}`]],
    [{ address: ADDRESS, tags: `{"${HASH}:ibc/AB":1,"a/b":"gift"}` }, [`tags/${HASH}:ibc~1AB`, 'tags/a~1b']],
    [{ address: ADDRESS, asset_decisions: '{"r":{"mode":"drop"}}' }, ['asset_decisions/r/mode']],
    [{ address: ADDRESS, asset_decisions: '{"r":{"mode":"override"}}' }, ['asset_decisions/r']],
    [
      { address: ADDRESS, asset_decisions: '{"r":{"mode":"override","value_usd":"-1"}}' },
      ['asset_decisions/r/value_usd'],
    ],
  ];
  for (const [values, paths] of cases) {
    assert.deepEqual(pathsOf(EVENTS, values), paths, JSON.stringify(values));
    assert.equal(refused(EVENTS, query(values)).code, 'bad_request');
  }
});

test('all faults of a request are told at once', () => {
  const values = { address: 'x', type: 'y', start: 'z', end: '2026-02-30', tags: '1', format: 'xml' };
  const { errors, detail } = refused(EVENTS, query(values));
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['address', 'type', 'start', 'end', 'tags', 'format'],
  );
  assert.match(detail, /^address: .*; type: .*; start: .*; and more, see errors$/);
});

test('empty start, end, tags and asset_decisions count as not given', () => {
  const valid = read(EVENTS, { address: ADDRESS, start: '', end: '', tags: '', asset_decisions: '' });
  assert.deepEqual([valid.range.start, valid.personal], [null, false]);
  const others = { opening_lots: '', own_wallets: '', profile: '', accounts: '' };
  assert.deepEqual(pathsOf(namesOf('/journal'), { address: ADDRESS, ...others }).sort(), Object.keys(others).sort());
});

test('unknown parameters are ignored, also those that only another endpoint takes', () => {
  read(EVENTS, { address: ADDRESS, date: 'nonsense', denom: '', history: ['x', 'y'] });
});

test('instants are for events only', () => {
  const start = '2026-01-01T00:00:00Z';
  assert.equal(read(EVENTS, { address: ADDRESS, start }).range.from, '2026-01-01 00:00:00');
  assert.deepEqual(pathsOf(namesOf('/journal'), { address: ADDRESS, start }), ['start']);
  assert.deepEqual(pathsOf(SERIES, { start }), ['start']);
});

test('tags and asset decisions make an answer personal', () => {
  const tagged = read(EVENTS, { address: ADDRESS, tags: `{"${HASH}":"gift"}` });
  assert.equal(tagged.personal, true);
  assert.equal(tagged.givenTags.get(HASH.toUpperCase())?.get(EVERY_DENOM)?.tag.tag, 'gift');
  const decided = read(EVENTS, { address: ADDRESS, asset_decisions: '{"r":{"mode":"exclude"}}' });
  assert.deepEqual([decided.personal, decided.decisions.assets.get('r')], [true, { mode: 'exclude' }]);
});

test('a body says the same under its own names', () => {
  const body = {
    address: [ADDRESS, ADDRESS],
    type: 'income',
    start: '2026-01-01',
    userTags: { [HASH]: 'gift' },
    assetDecisions: { r: { mode: 'exclude' } },
    format: null,
  };
  const valid = readParameters(EVENTS, { body }, context);
  assert.deepEqual(
    [valid.addresses, valid.type, valid.range.start, valid.format],
    [[ADDRESS], 'income', '2026-01-01', 'json'],
  );
  assert.deepEqual([valid.givenTags.size, valid.decisions.assets.size], [1, 1]);
  assert.deepEqual(readParameters(EVENTS, { body: { address: `${ADDRESS},${ADDRESS}` } }, context).addresses, [
    ADDRESS,
  ]);
});

test('a faulty body is a 422 with the names of the body', () => {
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['address']],
    [{ address: 7 }, ['address']],
    [{ address: [] }, ['address']],
    [{ address: [ADDRESS, 7] }, ['address']],
    [{ address: [ADDRESS, 'x', ''] }, ['address/1', 'address/2']],
    [{ address: ADDRESS, start: 20260101 }, ['start']],
    [{ address: ADDRESS, type: ['all'] }, ['type']],
    [{ address: ADDRESS, userTags: 'gift' }, ['userTags']],
    [{ address: ADDRESS, userTags: { [HASH]: 'x' } }, [`userTags/${HASH}`]],
    [{ address: ADDRESS, assetDecisions: { 'a~b': 1 } }, ['assetDecisions/a~0b']],
  ];
  for (const [body, paths] of cases) {
    const { code, errors } = refused(EVENTS, { body });
    assert.deepEqual([code, errors.map(({ path }) => path)], ['validation_failed', paths], JSON.stringify(body));
  }
});

test('a body that is wrong in a million places gets a short answer', () => {
  const { errors, detail } = refused(EVENTS, {
    body: { address: ','.repeat(100_000), userTags: { ['k'.repeat(100_000)]: 1 } },
  });
  assert.ok(errors.length <= 50 && JSON.stringify(errors).length < 10_000 && detail.length < 2_000);
});

test('requests with the same answer have the same canonical text', () => {
  const other = ADDRESS.toUpperCase();
  const text = (values: Record<string, string>) => canonical(read(EVENTS, values));
  const plain = text({ address: ADDRESS });
  for (const values of [
    { address: other },
    { address: `${ADDRESS},${ADDRESS}`, chain: 'cosmoshub', type: 'all', format: 'json', start: '' },
  ] as Record<string, string>[])
    assert.equal(text(values), plain);
  for (const values of [{ type: 'fees' }, { format: 'csv' }, { start: '2026-01-01' }, { end: '2026-01-01' }])
    assert.notEqual(text({ address: ADDRESS, ...values } as Record<string, string>), plain);
  // Tomorrow the rows of a generation are still the same; open ends of a price series are not.
  const tomorrow = { ...context, now: new Date('2026-06-02') };
  assert.equal(canonical(readParameters(EVENTS, query({ address: ADDRESS }), tomorrow)), plain);
  assert.notEqual(canonical(readParameters(SERIES, query({}), tomorrow)), canonical(read(SERIES, {})));
});

test('the canonical text has every tag, decision and opening lot, and how own wallets are taken', () => {
  const lot = { denom: 'uatom', quantity: '1', acquired_date: '2021-05-05', cost_basis_usd: '1' };
  const lots = [
    lot,
    { ...lot, quantity: '2' },
    { ...lot, acquired_date: '2021-05-06' },
    { ...lot, cost_basis_usd: '2' },
  ];
  const decisions = [{ mode: 'exclude' }, { mode: 'override', value_usd: '1' }, { mode: 'override', value_usd: '2' }];
  const asked: Record<string, string>[] = [
    {},
    ...['gift', 'income'].map((tag) => ({ tags: JSON.stringify({ [HASH]: tag }) })),
    ...decisions.map((decision) => ({ asset_decisions: JSON.stringify({ r: decision }) })),
    ...lots.map((stated) => ({ opening_lots: JSON.stringify([stated]) })),
    { own_wallets: 'carry' },
  ];
  const texts = asked.map((values) => canonical(read(namesOf('/positions'), { address: ADDRESS, ...values })));
  assert.equal(new Set(texts).size, asked.length);
});

test('every example is valid where its parameter is used', () => {
  for (const { path, parameters } of endpoints) {
    const together = parameters.filter((name) => !['holdings_date', 'history'].includes(name)); // instead of `at` and `timezone`
    const values = Object.fromEntries(together.map((name) => [PARAMETERS[name].name, PARAMETERS[name].example]));
    assert.doesNotThrow(() => read(parameters, values), path);
  }
});

const EVERYTHING = withServiceEndpoints(
  readConfig({
    HUBLEDGER_OIDC_ISSUER: 'https://login.example',
    HUBLEDGER_OIDC_CLIENT_ID: 'id',
    HUBLEDGER_OIDC_CLIENT_SECRET: 'secret',
  }),
  endpoints,
);

test('what a path has in braces stands in the path, what an endpoint lists in the query, and every parameter somewhere', () => {
  const used = new Set<ParameterName>();
  for (const endpoint of EVERYTHING) {
    const names = parametersOf(endpoint);
    names.forEach((name) => {
      const expected = endpoint.path.includes(`{${name}}`) ? 'path' : 'query';
      assert.equal(PARAMETERS[name]?.in, expected, `${endpoint.path} ${name}`);
      used.add(name);
    });
    const shown = names.map((name) => PARAMETERS[name].name);
    assert.equal(new Set(shown).size, shown.length, `${endpoint.path} reads a name twice`);
  }
  assert.deepEqual([...used].sort(), Object.keys(PARAMETERS).sort());
});

test('parameters of a path, and what a contract is asked', () => {
  const address = 'cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs2zhgh2';
  const { webhook_id } = readParameters(
    ['webhook_id'],
    { path: { webhook_id: 'any text' }, query: new Map() },
    context,
  );
  assert.equal(webhook_id, 'any text');
  const names: ParameterName[] = ['contract_address', 'network', 'height', 'limit', 'query'];
  const asked = { network: ['mainnet'], height: ['7'], query: ['{"a": 1}'], contract_address: ['of the query'] };
  const given = { path: { contract_address: address.toUpperCase() }, query: new Map(Object.entries(asked)) };
  const { contract, network, height, limit, message } = readParameters(names, given, context);
  assert.deepEqual([contract, network, height, limit, message], [address, 'mainnet', 7, 100, '{"a":1}']);
  const osmosis = { path: { contract_address: ADDRESS.replace('cosmos', 'osmo') }, query: new Map() };
  const { errors } = refused(names, osmosis);
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['contract_address', 'network', 'query'],
  );
  const bodyText = '{"query": 1, "query": {"a":  1.50}}';
  const body = { ...JSON.parse(bodyText), network: 'mainnet', contract: address };
  const posted = readParameters(['network', 'contract', 'query'], { body, bodyText }, context);
  assert.equal(posted.message, '{"a":1.50}', 'digit for digit, the last one of its name');
});

test('the type parameter offers the groups of the categories', () => {
  const groups = new Set(context.reference.categories.flatMap((category) => category.groups));
  assert.deepEqual(new Set(PARAMETERS.type.schema.enum), new Set(['all', ...groups]));
});

test('the chain parameters offer the names of the chain file', () => {
  const { chain_id, aliases } = context.reference.chain;
  assert.deepEqual(PARAMETERS.chain.schema.enum, [chain_id]);
  assert.deepEqual(PARAMETERS.chain_or_alias.schema.enum, [chain_id, ...aliases]);
});

test('a price series ends today and is 90 days long; 730 days are the most', () => {
  const range = (values: Record<string, string>) => {
    const { start, end } = read(SERIES, values).range;
    return [start, end];
  };
  assert.deepEqual(range({}), ['2026-03-03', '2026-06-01']);
  assert.deepEqual(range({ end: '2026-03-31' }), ['2025-12-31', '2026-03-31']);
  assert.deepEqual(range({ start: '2026-06-01' }), ['2026-06-01', '2026-06-01']);
  assert.deepEqual(range({ start: '2024-01-01', end: '2025-12-31' }), ['2024-01-01', '2025-12-31']);
  assert.deepEqual(pathsOf(SERIES, { start: '2024-01-01', end: '2026-01-01' }), ['start']);
  assert.deepEqual(pathsOf(SERIES, { start: '2026-06-02' }), ['start']);
  assert.deepEqual(pathsOf(SERIES, { end: '2026-02-30' }), ['end']);
});

test('a price series takes other names of the network, and only known denoms', () => {
  for (const chain of ['cosmoshub', 'cosmoshub-4', 'mainnet']) assert.equal(read(SERIES, { chain }).chain, 'cosmoshub');
  assert.deepEqual(pathsOf(SERIES, { chain: 'testnet', denom: 'ATOM' }), ['denom', 'chain']);
  assert.equal(read(SERIES, {}).denom, 'uatom');
});
