import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZone } from '../../../pipeline/base/values/zone-names.js';
import { loadReference } from '../../../pipeline/reference.js';

test('every country has zones of the database, each once', () => {
  const { taxYears } = loadReference();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const { country, zones } of taxYears) {
    assert.ok(names.of(country), country);
    for (const zone of zones) assert.ok(isZone(zone), `${country} ${zone}`);
  }
  const zones = taxYears.flatMap((year) => year.zones);
  assert.equal(new Set(zones).size, zones.length);
  assert.equal(taxYears.length, 13);
});
