/** Words for the first instants of tax years. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeWords } from '../../../../server/web/values/edge-words.js';

test('an edge has the year that begins and its countries', () => {
  const words = (at: string, ...countries: string[]) => edgeWords({ at, countries });
  assert.equal(words('2026-12-31T15:00:00Z', 'KR'), 'first instant of the tax year 2027 in South Korea');
  assert.equal(
    words('2026-12-31T15:00:00Z', 'JP', 'KR'),
    'first instant of the tax year 2027 in Japan and South Korea',
  );
  assert.equal(words('2027-01-01T10:00:00Z', 'US'), 'first instant of the tax year 2027 in the United States');
  assert.equal(words('2026-04-05T23:00:00Z', 'GB'), 'first instant of the tax year 2026 in the United Kingdom');
  assert.equal(
    words('2026-12-31T23:00:00Z', 'AT', 'CH', 'DE', 'ES', 'FR'),
    'first instant of the tax year 2027 in Austria, Switzerland, Germany and 2 more',
  );
  assert.equal(words('2026-09-30T22:00:00Z'), 'instant that the operator added');
});
