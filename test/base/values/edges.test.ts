import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgesBetween } from '../../../pipeline/base/values/edges.js';
import { loadReference } from '../../../pipeline/reference.js';

const nanos = (time: string) => BigInt(Date.parse(time)) * 1_000_000n;
/** Countries that are added later have edges of their own. */
const NAMED = 'AT AU CA CH DE ES FR GB IT JP KR NL US'.split(' ');
const taxYears = loadReference().countries.filter(({ country }) => NAMED.includes(country));
const edgesOf = (after: string, until: string, further: readonly string[] = []) =>
  edgesBetween(taxYears, further.map(nanos), { after: nanos(after), until: nanos(until) }).map(
    ({ at, countries }) => `${new Date(Number(at / 1_000_000n)).toISOString().slice(0, 16)} ${countries.join()}`,
  );

test('a year begins in each zone of each country', () => {
  // Years whose rules all supported versions of Node have: Alberta and British Columbia changed theirs in 2026.
  assert.deepEqual(edgesOf('2025-03-31T00:00:00Z', '2026-01-31T00:00:00Z'), [
    '2025-04-05T23:00 GB',
    '2025-06-30T14:00 AU',
    '2025-06-30T14:30 AU',
    '2025-06-30T15:15 AU',
    '2025-06-30T16:00 AU',
    '2025-12-31T15:00 JP,KR',
    '2025-12-31T23:00 AT,CH,DE,ES,FR,IT,NL',
    '2026-01-01T00:00 ES',
    '2026-01-01T03:30 CA',
    '2026-01-01T04:00 CA',
    '2026-01-01T05:00 CA,US',
    '2026-01-01T06:00 CA,US',
    '2026-01-01T07:00 CA,US',
    '2026-01-01T08:00 CA,US',
    '2026-01-01T09:00 US',
    '2026-01-01T10:00 US',
  ]);
});

test('the period begins after its first instant and includes its last one', () => {
  assert.deepEqual(edgesOf('2026-12-31T15:00:00Z', '2026-12-31T23:00:00Z'), ['2026-12-31T23:00 AT,CH,DE,ES,FR,IT,NL']);
  assert.deepEqual(edgesOf('2026-12-31T14:59:59Z', '2026-12-31T15:00:00Z'), ['2026-12-31T15:00 JP,KR']);
});

test('further instants are edges, and have no country of their own', () => {
  const further = ['2026-05-01T00:00:00Z', '2026-04-05T23:00:00Z', '2026-05-01T00:00:00Z', '2025-05-01T00:00:00Z'];
  assert.deepEqual(edgesOf('2026-03-31T00:00:00Z', '2026-05-01T00:00:00Z', further), [
    '2026-04-05T23:00 GB',
    '2026-05-01T00:00 ',
  ]);
});
