import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadReference } from '../../../../pipeline/reference.js';
import type { JurisdictionRegistry } from '../../../../schemas/types.generated.js';
import { until } from '../../../until.js';
import { OPERATORS, startServer, WALLETS } from '../../harness.js';
import { publish } from '../../published.js';

const events = `/api/tax/v1/events?address=${WALLETS.busy}`;

test('without a dataset data is unavailable; it is taken up by itself when it appears', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  const others = ['catalog', 'chain/releases'];
  others.push(`validator-statement?validator=${OPERATORS.alpha}`);
  for (const path of [events, '/readyz', ...others.map((name) => `/api/tax/v1/${name}`)]) {
    const answer = await server.ask(path);
    assert.equal(answer.status, 503);
    assert.equal(answer.json().code, 'unavailable');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  const { jurisdictions, methodology } = loadReference();
  for (const name of ['recognition-policy', 'tags?chain=cosmoshub'])
    assert.equal((await server.ask(`/api/tax/v1/${name}`)).status, 200, name);
  assert.equal((await server.ask('/api/tax/v1/tags?chain=osmosis')).status, 400);
  const { version, corrections } = (await server.ask('/api/tax/v1/methodology')).json();
  assert.deepEqual([version, corrections], [methodology.version, []]);
  const registry = (await server.ask('/api/tax/v1/validators/jurisdictions?x=1')).json<JurisdictionRegistry>();
  assert.deepEqual(
    [registry.validators_on_chain, registry.validators_disclosed, registry.ignored],
    [null, null, ['x']],
  );
  assert.deepEqual(
    registry.jurisdictions,
    jurisdictions.jurisdictions.map((entry) => ({ ...entry, on_chain: null })),
  );
  assert.equal((await server.ask('/healthz')).status, 200);
  assert.equal((await server.ask('/llms.txt')).status, 200);
  await publish(server.dataDir);
  await until(async () => (await server.ask('/readyz')).status === 200, 'it is ready');
  assert.equal((await server.ask(events)).status, 200);
});

test('what cannot be opened leaves the old dataset in place, and is said once', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  for (const broken of ['../../etc', 'h2-000000000002', '']) {
    writeFileSync(join(server.dataDir, 'CURRENT'), broken);
    await server.datasets.refresh();
    await server.datasets.refresh();
    assert.equal((await server.ask('/readyz')).json().height, 1000);
  }
  mkdirSync(join(server.dataDir, 'generations/h3-000000000003'), { recursive: true });
  writeFileSync(join(server.dataDir, 'generations/h3-000000000003/manifest.json'), '{}');
  writeFileSync(join(server.dataDir, 'CURRENT'), 'h3-000000000003');
  await server.datasets.refresh();
  assert.equal((await server.ask('/readyz')).json().height, 1000);
  const errors = server.log.filter(({ level }) => level === 50).map(({ generation }) => generation);
  assert.deepEqual(errors, [undefined, 'h2-000000000002', undefined, 'h3-000000000003']);
});

test('an index that does not name its base layers is not opened, because its open layer looks like a whole index', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  await publish(server.dataDir);
  const [index] = readdirSync(join(server.dataDir, 'stores')).filter((name) => !name.startsWith('base-'));
  rmSync(join(server.dataDir, 'stores', index!, 'layers.txt'));
  await server.datasets.refresh();
  assert.equal((await server.ask(events)).status, 503);
});

test('a CURRENT that cannot be read is said once, with the reason', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  mkdirSync(join(server.dataDir, 'CURRENT'));
  for (let i = 0; i < 2; i++) await server.datasets.refresh();
  const [line, ...others] = server.log.filter(({ level }) => level === 50);
  assert.deepEqual([line?.reason, others], ['EISDIR: illegal operation on a directory, read', []]);
  assert.equal((await server.ask('/readyz')).status, 503);
});

test('a wallet index that was made again in place of a damaged one is taken up', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const before = (await server.ask(events)).text;
  const lease = server.datasets.lease();
  const stores = join(server.dataDir, 'stores');
  const [generation] = readdirSync(stores);
  cpSync(join(stores, generation!), join(stores, 'made'), { recursive: true });
  renameSync(join(stores, generation!), join(stores, 'old'));
  await server.datasets.refresh();
  assert.equal((await server.ask(events)).text, before, 'there is none for a moment');
  renameSync(join(stores, 'made'), join(stores, generation!));
  await server.datasets.refresh();
  await server.datasets.refresh();
  const after = server.datasets.lease();
  assert.notEqual(after?.dataset, lease?.dataset);
  assert.equal((await server.ask(events)).text, before);
  lease?.release();
  after?.release();
  assert.equal(server.log.filter(({ msg }) => msg === 'serving generation').length, 2);
});

test('a dataset whose wallet index is still being copied is taken up when that is whole', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const generation = await publish(server.dataDir, 1001);
  const index = join(server.dataDir, 'stores', generation);
  const whole = join(server.dataDir, 'whole');
  renameSync(index, whole);
  mkdirSync(index);
  const data = readFileSync(join(whole, 'data.mdb'));
  const height = async () => (await server.ask('/readyz')).json().height;
  for (const copied of [['data.mdb'], ['sums.json', 'data.mdb']]) {
    for (const name of copied) cpSync(join(whole, name), join(index, name));
    writeFileSync(join(index, 'data.mdb'), data.subarray(0, 6000));
    await server.datasets.refresh();
    assert.equal(await height(), 1000);
    assert.equal((await server.ask(events)).status, 200);
  }
  rmSync(index, { recursive: true });
  renameSync(whole, index);
  await server.datasets.refresh();
  assert.equal(await height(), 1001);
});

test('a swap of generations under load fails no request, and tags change with it', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const before = (await server.ask(events)).headers.get('etag');
  const heights = new Set<number>();
  let asking = true;
  let answers = 0;
  const paths = [
    events,
    `/api/tax/v1/events?address=${WALLETS.big}&type=fees`,
    `/api/tax/v1/journal?address=${WALLETS.big}`,
  ];
  const callers = paths.map(async (path) => {
    while (asking) {
      assert.equal((await server.ask(path)).status, 200);
      heights.add((await server.ask('/readyz')).json().height);
      answers++;
    }
  });
  for (let height = 1001; height <= 1008; height++) {
    await server.publish(height);
    const enough = answers + 2;
    while (answers < enough) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  asking = false;
  await Promise.all(callers);
  assert.ok(answers > 10);
  assert.ok(heights.has(1008) && heights.size > 2);
  assert.notEqual((await server.ask(events)).headers.get('etag'), before);
});

test('a dataset stays open for who still reads it', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const lease = server.datasets.lease();
  assert.ok(lease);
  await server.publish(1001);
  assert.equal([...lease.dataset.events(WALLETS.big)].flat().length, lease.dataset.rows(WALLETS.big));
  lease.release();
  await server.datasets.close();
  assert.equal(server.datasets.lease(), undefined);
});
