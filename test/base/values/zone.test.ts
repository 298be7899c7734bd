/** Compares days of time zones with DuckDB, which has its own calendar and zone database (ICU). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZone, startInZone } from '../../../pipeline/base/values/zone.js';
import { loadReference } from '../../../pipeline/reference.js';
import { openDatabase } from '../../open-database.js';

const text = (day: string, zone: string) => new Date(startInZone(day, zone)).toISOString();

test('a day begins at midnight of its zone, with daylight saving', () => {
  assert.equal(text('2027-01-01', 'Asia/Seoul'), '2026-12-31T15:00:00.000Z');
  assert.equal(text('2026-04-06', 'Europe/London'), '2026-04-05T23:00:00.000Z');
  assert.equal(text('2026-07-01', 'Australia/Sydney'), '2026-06-30T14:00:00.000Z');
  assert.equal(text('2026-07-01', 'Australia/Eucla'), '2026-06-30T15:15:00.000Z');
  assert.equal(text('2027-01-01', 'America/St_Johns'), '2027-01-01T03:30:00.000Z');
  assert.equal(text('2026-03-29', 'Europe/Berlin'), '2026-03-28T23:00:00.000Z');
  assert.equal(text('2026-10-26', 'Europe/Berlin'), '2026-10-25T23:00:00.000Z');
});

test('a day without midnight begins with the change, one with two midnights with the first', () => {
  assert.equal(text('2018-11-04', 'America/Sao_Paulo'), '2018-11-04T03:00:00.000Z'); // 01:00 local time
  assert.equal(text('2024-04-26', 'Africa/Cairo'), '2024-04-25T22:00:00.000Z'); // 01:00 local time
  assert.equal(text('2010-04-01', 'America/Asuncion'), '2010-04-01T03:00:00.000Z');
  assert.equal(text('2026-11-01', 'America/Havana'), '2026-11-01T04:00:00.000Z'); // clocks go from 01:00 to 00:00
  assert.equal(text('2010-11-07', 'America/St_Johns'), '2010-11-07T02:30:00.000Z'); // and from 00:01 to 23:01
  assert.equal(text('2011-12-31', 'Pacific/Apia'), '2011-12-30T10:00:00.000Z'); // without 30 December
});

test('every day of every year is the same in another calendar', async () => {
  const zones = loadReference().taxYears.flatMap((year) => year.zones);
  const further = ['Africa/Cairo', 'America/Santiago', 'America/Asuncion', 'Asia/Beirut', 'Asia/Kathmandu'];
  const database = await openDatabase();
  const rows = await database.all<{ zone: string; day: string; start: string }>(
    `select zone, strftime(day, '%Y-%m-%d') as day, epoch_ms(timezone(zone, day::timestamp))::varchar as start
     from (select unnest($zones) as zone), (select unnest(range(date '2019-01-01', date '2031-01-01', interval 1 day)) as day)`,
    { zones: [...zones, ...further] },
  );
  database.close();
  const wrong = rows.filter(({ zone, day, start }) => String(startInZone(day, zone)) !== start);
  assert.deepEqual(wrong, []);
  assert.equal(rows.length, 4383 * (zones.length + further.length));
});

test('names and links of the database are zones, offsets are not', () => {
  for (const name of ['UTC', 'Asia/Calcutta', 'Asia/Kathmandu', 'europe/berlin']) assert.ok(isZone(name), name);
  for (const name of ['', '+09:00', 'Asia/Soul', 'Berlin', '../x']) assert.ok(!isZone(name), name);
});
