/** Coverage of a range that is asked for, as JSON and CSV of wallets tell it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Coverage } from '../../../schemas/types.generated.js';
import { sharedServer, WALLETS } from '../harness.js';
import { generationOf, HEIGHT } from '../published.js';

const server = sharedServer();

/** The coverage that JSON tells, once CSV has told the same by its headers. */
async function coverageOf(report: string, query: Record<string, string>): Promise<Coverage> {
  const ask = (format: string) =>
    server.ask(`/api/tax/v1/${report}?${new URLSearchParams({ address: WALLETS.short, ...query, format })}`);
  const { coverage } = (await ask('json')).json<{ coverage: Coverage }>();
  const { headers } = await ask('csv');
  const { note, ...told } = coverage;
  assert.deepEqual(JSON.parse(headers.get('x-coverage')!), told);
  assert.deepEqual(JSON.parse(headers.get('x-dataset')!), { generation: generationOf(HEIGHT), height: HEIGHT });
  assert.match(headers.get('access-control-expose-headers')!, /X-Coverage, X-Dataset/);
  return coverage;
}

for (const report of ['events', 'journal', 'summary']) {
  test(`coverage of ${report} speaks of the range that is asked for, in CSV by header`, async () => {
    const spanOf = async (query: Record<string, string>) => {
      const { complete, range_complete, covered_from, covered_to } = await coverageOf(report, query);
      assert.equal(complete, true); // the replay has finished, whatever the range is
      return [range_complete, covered_from, covered_to];
    };
    const january = { start: '2026-01-01', end: '2026-01-31' };
    assert.deepEqual(await spanOf(january), [true, '2026-01-01T00:00:00Z', '2026-01-31T23:59:59Z']);
    assert.deepEqual(await spanOf({}), [true, '2025-12-31T00:00:00Z', '2026-04-14T12:00:00Z']);
    const year = { start: '2025-01-01', end: '2025-12-31' };
    assert.deepEqual(await spanOf(year), [false, '2025-12-31T00:00:00Z', '2025-12-31T23:59:59Z']);
    assert.deepEqual(await spanOf({ start: '2026-05-01' }), [false, null, null]);
  });
}

test('coverage of positions goes up to their day', async () => {
  const march = await coverageOf('positions', { date: '2026-03-31' });
  assert.deepEqual([march.range_complete, march.covered_to], [true, '2026-03-31T23:59:59Z']);
  const last = await coverageOf('positions', { date: '2026-04-14' });
  assert.deepEqual([last.range_complete, last.covered_to], [false, '2026-04-14T12:00:00Z']);
});

test('an answer that did not change names its generation, too', async () => {
  const path = `/api/tax/v1/events?address=${WALLETS.short}`;
  const { headers } = await server.ask(path);
  const again = await server.ask(path, { headers: { 'if-none-match': headers.get('etag')! } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('x-dataset'), headers.get('x-dataset'));
});
