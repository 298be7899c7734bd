import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZone } from '../../../pipeline/base/values/zone-names.js';
import { loadReference } from '../../../pipeline/reference.js';

test('every country has zones of the database, each once', () => {
  const { countries } = loadReference();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const { country, timezone, zones } of countries) {
    assert.ok(names.of(country), country);
    if (timezone !== null)
      assert.ok(
        zones.some((zone) => zone === timezone),
        `${country} ${timezone}`,
      );
    for (const zone of zones) assert.ok(isZone(zone), `${country} ${zone}`);
  }
  const zones = countries.flatMap((year) => year.zones);
  assert.equal(new Set(zones).size, zones.length);
  assert.equal(countries.length, 13);
});
