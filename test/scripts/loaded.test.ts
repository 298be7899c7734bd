/** Large packages are loaded only by commands that use them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NightCase } from '../pipeline/night-case.js';
import { type Loaded, loadedBy } from './loaded-modules.js';

const chain = new NightCase();
after(() => chain.remove());
const environment = { ...chain.environment('data'), HUBLEDGER_PRICE_SOURCES: 'none', HUBLEDGER_PORT: '0' };
const nobodys = 'postgres://127.0.0.1:9/nobodys';

/** Large packages. */
const LARGE = /^(@duckdb\/.*|@electric-sql\/.*)$/;
const large = ({ packages }: Loaded) => packages.filter((name) => LARGE.test(name));

let night: Loaded;
before(async () => {
  night = await loadedBy(['nightly', '--workers', '1'], environment);
  assert.equal(night.code, 0, night.output);
});

test('help and version load no command', async () => {
  for (const word of ['--help', '--version']) {
    const { code, own, packages } = await loadedBy([word]);
    assert.equal(code, 0);
    assert.deepEqual(packages, ['commander']);
    assert.ok(own.length <= 6 && !own.some((path) => path.startsWith('server')), own.join(', '));
  }
});

test('a night does not load the store', () => {
  // The recorder does not see @duckdb/node-api, which is loaded by require.
  assert.deepEqual(large(night), ['@duckdb/node-bindings']);
});

test('a server does not load DuckDB, and with PostgreSQL no PGlite', async () => {
  const onPostgres = await loadedBy(['serve'], { ...environment, HUBLEDGER_DATABASE_URL: nobodys }, '"listening"');
  assert.equal(onPostgres.code, 0, onPostgres.output);
  assert.match(onPostgres.output, /"serving generation"/);
  assert.deepEqual(large(onPostgres), []);
});
