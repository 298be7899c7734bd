import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import type { Catalog } from '../../../schemas/types.generated.js';
import { endpoints, referenceEndpoints } from '../../../server/endpoints/index.js';
import { startServer, type TestServer } from '../harness.js';

const reference = loadReference();
const [contract] = reference.contracts.contracts;

let server: TestServer;
let catalog: Catalog;
before(async () => {
  const contracts_seen = [{ address: contract!.address, first_height: 77 }];
  server = await startServer({ manifest: { contracts_seen, unclassified: { '/strange.v1.MsgStrange': 2 } } });
  catalog = (await server.ask('/api/tax/v1/catalog')).json<Catalog>();
});
after(() => server.close());

test('names and versions are those that rows and reports carry', () => {
  assert.deepEqual(
    catalog.categories.map(({ category }) => category),
    reference.categories.map(({ category }) => category),
  );
  assert.deepEqual(catalog.native_asset, { denom: 'uatom', symbol: 'ATOM', decimals: 6, coingecko_id: 'cosmos' });
  assert.equal(catalog.methodology_version, reference.methodology.version);
  const claim = catalog.triggers.find(({ trigger }) => trigger === 'claim');
  assert.equal(claim?.categories, 'staking_reward, validator_commission, liquid_stake_reward');
  assert.equal(catalog.categories.find(({ category }) => category === 'unclassified')?.group, 'all');
});

test('what the dataset met comes from its manifest', () => {
  assert.deepEqual(catalog.message_types, ['/cosmos.bank.v1beta1.MsgSend', '/cosmos.gov.v1.MsgVote']);
  const heights = catalog.contracts.map(({ first_seen_height }) => first_seen_height);
  assert.deepEqual([heights[0], Math.max(...heights.slice(1))], [77, 0]);
  assert.deepEqual(catalog.unclassified, { '/strange.v1.MsgStrange': 2 });
});

test('every report and every form of it is one that answers', async () => {
  assert.deepEqual(
    catalog.reports.map(({ path }) => path),
    [...endpoints, ...referenceEndpoints].map(({ path }) => path),
  );
  const csv = catalog.export_formats.find(({ format }) => format === 'csv');
  assert.ok(csv?.paths.includes('/api/tax/v1/validator-statement'));
  for (const { path } of catalog.reports) assert.notEqual((await server.ask(path)).status, 404, path);
});

test('formats say which programs count a send as sold until they have the receiving account', () => {
  const counting = catalog.export_formats.filter((format) => format.counts_unmatched_sends_as_sold);
  assert.deepEqual(
    counting.map(({ profile }) => profile),
    ['koinly', 'cointracker', 'zenledger'],
  );
  assert.ok(counting.every(({ how_to_import }) => how_to_import.endsWith('counts these sends as sold.')));
});

test('tags and releases are the ones served elsewhere', async () => {
  assert.deepEqual(catalog.tags, (await server.ask('/api/tax/v1/tags')).json().tags);
  assert.deepEqual(catalog.gaia_releases, (await server.ask('/api/tax/v1/chain/releases')).json().releases);
});

test('countries and methods of tax years are those that /tax-year accepts, and llms.txt lists them', async () => {
  const { text } = await server.ask('/llms.txt');
  const ask = async (query: string) => (await server.ask(`/api/tax/v1/tax-year?year=2026&${query}`)).json();
  const faults = async (query: string) => ((await ask(query)).errors as { path: string; message: string }[]) ?? [];
  const [country] = (await faults('country=XX')).filter(({ path }) => path === 'country');
  for (const { country: code, name, method } of catalog.countries) {
    assert.ok(country!.message.includes(code), code);
    assert.ok(
      catalog.tax_methods.some((one) => one.method === method),
      method,
    );
    assert.match(text, new RegExp(`^- ${code}: ${name}; .*method ${method}, .*; draft$`, 'm'));
  }
  const [method] = (await faults('country=DE&method=x')).filter(({ path }) => path === 'method');
  for (const one of catalog.tax_methods) {
    assert.ok(method!.message.includes(one.method), one.method);
    assert.ok(text.includes(`${one.method} (${one.term})`), one.method);
  }
});
