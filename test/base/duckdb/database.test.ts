/** A data chunk holds what its rows said, to the ends of every type, and refuses what a column cannot hold. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type DuckDBListValue, type DuckDBStructValue, VARCHAR } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import fc from 'fast-check';
import {
  type ChunkColumn,
  type ColumnFill,
  columnKind,
  emptyChunk,
  fillChunk,
} from '../../../pipeline/base/duckdb/columns.js';
import { Database } from '../../../pipeline/base/duckdb/database.js';
import { writeSlices, writeTableFile } from '../../../pipeline/base/duckdb/table-file.js';
import type { ChainEvent, CoinMovement, PricedEvent } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';

/** A chunk that has held other rows before. */
function chunkOf<Row>(columns: readonly ChunkColumn<Row>[], rows: readonly Row[]) {
  const chunk = fillChunk(emptyChunk(columns), columns, [...rows].reverse());
  return fillChunk(chunk, columns, rows);
}

/** A chunk of one column, as rows read it. */
function throughChunk(type: string, values: readonly unknown[]): unknown[] {
  const kind = columnKind(type);
  const column: ChunkColumn<{ it: unknown }> = { name: 'it', ...kind };
  const chunk = chunkOf(
    [column],
    values.map((it) => ({ it })),
  );
  return chunk.getColumnValues(0).map((value) => (value === null ? null : kind.decode(value as never)));
}

const MOST = 10n ** 38n - 1n;
const TEXTS = columnKind('VARCHAR');

const VOUCHER = 'ibc/F663521BF1836B00F5F177680F74BFB9A8B5654A694D0D2BC249E03CF2509013';
const RATIOS = 'STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]';
const COINS = 'STRUCT(denom VARCHAR, amount DECIMAL(38,0))[]';

test('values at the ends of a type stay what they are, also between nulls', () => {
  const cases: Record<string, unknown[]> = {
    BOOLEAN: [true, false],
    INTEGER: [-(2 ** 31), 2 ** 31 - 1, 0],
    BIGINT: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0],
    'DECIMAL(38,0)': [-MOST, MOST, 0n, -1n, 2n ** 64n, -(2n ** 64n) - 1n],
    'DECIMAL(38,18)': [-MOST, MOST],
    TIMESTAMP: ['1970-01-01 00:00:00', '9999-12-31 23:59:59'],
    'TIMESTAMP WITH TIME ZONE': ['1970-01-01 00:00:00', '9999-12-31 23:59:59'],
    DATE: ['1970-01-01', '9999-12-31', '1969-12-31'],
    VARCHAR: ['', 'a', 'twelve bytes', 'more than twelve', '\u0000', 'a\u0000b', '\u{10ffff}', 'é'.repeat(70_000)],
    'VARCHAR[]': [[], ['a'], ['', 'more than twelve', 'é'], Array.from({ length: 5000 }, (_, i) => `text ${i}`)],
    [RATIOS]: [
      '',
      '0.000000000000000001uatom',
      `99999999999999999999.999999999999999999${VOUCHER},1.500000000000000000factory/a/1.5b`,
      Array.from({ length: 5000 }, (_, i) => `${i}.000000000000000000denom${i}`).join(),
    ],
    [COINS]: ['', '15uatom', `${MOST}${VOUCHER},1uatom`],
  };
  for (const [type, values] of Object.entries(cases)) {
    assert.deepEqual(throughChunk(type, values), values, type);
    const between = [null, ...values.flatMap((value) => [value, null])];
    assert.deepEqual(throughChunk(type, between), between, type);
  }
});

test('a stored text keeps the byte order marks that it begins with', () => {
  const texts = ['\ufeff\ufeffa\ufeff', '\ufeff'];
  assert.deepEqual(throughChunk('VARCHAR', texts), texts);
});

test('a coin of more digits than a column has is null in its list, and the others stay', () => {
  const kind = columnKind(RATIOS);
  const text = `1.000000000000000000a,${10n ** 20n}.000000000000000000b,2.000000000000000000c`;
  const columns = [{ name: 'it' as const, ...kind }];
  const [list] = chunkOf(columns, [{ it: text }]).getColumnValues(0) as DuckDBListValue[];
  const coins = list!.items as DuckDBStructValue[];
  assert.deepEqual(
    coins.map(({ entries: { denom, ratio } }) => [denom, ratio === null]),
    [
      ['a', false],
      ['b', true],
      ['c', false],
    ],
  );
  assert.equal(kind.decode(list as never), '1.000000000000000000a,2.000000000000000000c');
});

test('half a character is a replacement character, whatever stands beside it', () => {
  assert.deepEqual(throughChunk('VARCHAR', ['a long text \ud83d', '\ude00']), ['a long text \ufffd', '\ufffd']);
});

test('a value that its column cannot hold is refused, and the column named', () => {
  const cases: Record<string, unknown[]> = {
    BOOLEAN: [1, 'true', undefined],
    INTEGER: [2 ** 31, -(2 ** 31) - 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 5n, '5', undefined],
    BIGINT: [2 ** 63, -(2 ** 63), 2 ** 53, 0.5, Number.NaN, '5', undefined],
    'DECIMAL(38,0)': [MOST + 1n, -MOST - 1n, 2n ** 127n, 2n ** 128n, 5, '5', undefined],
    'DECIMAL(38,6)': [MOST + 1n],
    TIMESTAMP: ['', 'soon', '2026-13-01 00:00:00', undefined],
    DATE: ['', 'soon', '2026-13-01', '2026-01-01T00:00:00Z', undefined],
    VARCHAR: [5, undefined, {}, ['a']],
    [RATIOS]: ['1uatom', '1.5uatom', '1.500000000000000000', 'uatom', '-1.500000000000000000uatom', 5, undefined],
    [COINS]: ['1.5uatom', '15', ',', 5, undefined],
    'VARCHAR[]': ['a', 5, undefined, {}, [5], [null], [['a']]],
  };
  for (const [type, values] of Object.entries(cases)) {
    for (const value of values) {
      assert.throws(() => throughChunk(type, [null, value]), /^Error: column it: /, `${type} ${String(value)}`);
    }
  }
});

/** Fills a column of texts of which DuckDB has refused one, as it does with bytes that are no UTF-8: it says so by a null alone. */
const fillRefusing =
  (refused: number): ColumnFill['fill'] =>
  (vector, values) => {
    duckdb.vector_assign_string_element_len(vector, refused, Buffer.from([0xff]));
    TEXTS.fill(vector, values);
  };

test('a text that DuckDB does not take is refused, also where others are null', () => {
  const texts = ['short', null, 'longer than twelve bytes'];
  const chunkRefusing = (refused: number) => {
    const columns: ChunkColumn<{ it: string | null }>[] = [{ name: 'it', type: VARCHAR, fill: fillRefusing(refused) }];
    const rows = texts.map((it) => ({ it }));
    return fillChunk(emptyChunk(columns), columns, rows);
  };
  assert.throws(() => chunkRefusing(0), /^Error: column it: "short" is not a text that DuckDB accepts$/);
  assert.throws(
    () => chunkRefusing(2),
    /^Error: column it: "longer than twelve bytes" is not a text that DuckDB accepts$/,
  );
  assert.deepEqual(chunkRefusing(1).getColumnValues(0), texts);
});

test('a chunk has no more rows than a vector of DuckDB holds', () => {
  const column: ChunkColumn<{ it: string }> = { name: 'it', type: VARCHAR, fill: TEXTS.fill };
  const rows = Array.from({ length: 2049 }, () => ({ it: 'a' }));
  assert.throws(() => chunkOf([column], rows), /2048/);
});

const folder = mkdtempSync(join(tmpdir(), 'hubledger-database-'));
after(() => rmSync(folder, { recursive: true }));

const movement = (i: number): CoinMovement => ({
  address: `cosmos1${(i * 7919) % 997}`,
  denom: i % 3 === 0 ? "quote'd" : 'uatom',
  height: 1 + (i % 500),
  place: i,
  tx_hash: `T${i}`,
  amount: (i % 2 === 0 ? 1n : -1n) * 10n ** BigInt(i % 38),
});

test('a file has the same bytes whatever the order of the rows and the number of threads', async () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => movement(i));
  const bytes: string[] = [];
  for (const [threads, given] of [
    [1, rows],
    [2, [...rows].reverse()],
    [4, rows],
  ] as const) {
    const database = await openDatabase({ threads });
    await database.create('coin_movements');
    await database.append('coin_movements', given);
    const path = join(folder, `${threads}.parquet`);
    await writeTableFile(database, 'coin_movements', path);
    assert.deepEqual(await database.countRows([path, path]), [rows.length, rows.length]);
    bytes.push(readFileSync(path).toString('base64'));
    database.close();
  }
  assert.ok(bytes.every((one) => one === bytes[0]));
});

test('a copy holds the heights asked for, and reads back as it was', async () => {
  const database = await openDatabase();
  const rows = Array.from({ length: 3000 }, (_, i) => movement(i));
  await database.create('coin_movements');
  await database.append('coin_movements', rows);
  const path = join(folder, "it's.parquet");
  await writeTableFile(database, 'coin_movements', path, { first: 10, last: 12 });
  await database.execute('drop table coin_movements');
  await database.attach('coin_movements', [path]);
  const read: CoinMovement[] = [];
  for await (const some of database.sorted<CoinMovement>('coin_movements')) read.push(...some);
  const compare = (a: CoinMovement, b: CoinMovement) =>
    a.address < b.address
      ? -1
      : a.address > b.address
        ? 1
        : a.denom < b.denom
          ? -1
          : a.denom > b.denom
            ? 1
            : a.height - b.height || a.place - b.place;
  assert.deepEqual(read, rows.filter(({ height }) => height >= 10 && height <= 12).sort(compare));
  database.close();
});

test('a part in slices has each key in one file, in order, and the same bytes whatever the number of threads', async () => {
  const bytes: string[] = [];
  for (const [threads, i] of [
    [1, 'i'],
    [2, '(99999 - i)'],
  ] as const) {
    const database = await openDatabase({ threads });
    await database.execute(`create view coin_movements as
      select format('cosmos1{:05d}', ${i} // 700) as address, 'uatom' as denom, 1 + ${i} % 700 as height, ${i} as place,
        md5((${i})::varchar) as tx_hash, ${i} as amount
      from range(100000) as numbers(i)`);
    const pathOf = (file: number) => join(folder, `slice-${threads}-${file}.parquet`);
    await writeSlices(database, 'coin_movements', { first: 1, last: 600 }, { size: 8000, pathOf });
    const files = Array.from({ length: 11 }, (_, file) => pathOf(file));
    const read = `read_parquet(['${files.join("', '")}'], filename = true, file_row_number = true)`;
    const [found] = await database.all(
      `select count(*) as rows, max(files) as files_of_a_key, bool_and(ordered) as ordered from (
        select *, place > coalesce(lag(place) over (partition by filename order by file_row_number), -1) as ordered,
          count(distinct filename) over (partition by address) as files
        from ${read})`,
    );
    assert.deepEqual(found, { rows: 85_800, files_of_a_key: 1, ordered: true });
    bytes.push(files.map((file) => readFileSync(file).toString('base64')).join());
    database.close();
  }
  assert.ok(bytes[0] === bytes[1]);
});

test('keys with more rows than a group have files of their own, the longest 24 of them', async () => {
  const database = await openDatabase();
  // Key 10 has 2,100 rows, key 12 2,101 and so on; every other key has 100.
  await database.execute(`create view coin_movements as
    select format('cosmos1{:03d}', key) as address, 'uatom' as denom, 1 as height, i as place, 'T' as tx_hash, 1 as amount
    from range(80) as keys(key), range(3000) as rows(i) where i < if(key >= 10 and key % 2 = 0, 2095 + key // 2, 100)`);
  const paths: string[] = [];
  const pathOf = (file: number) => {
    paths[file] = join(folder, `own-${file}.parquet`);
    return paths[file];
  };
  await writeSlices(database, 'coin_movements', { first: 1, last: 1 }, { size: 8000, pathOf });
  const files = await database.all<{ address: string; keys: number }>(
    `select min(address) as address, count(distinct address) as keys
     from read_parquet(['${paths.join("', '")}'], filename = true) group by filename`,
  );
  const own = files.filter(({ keys, address }) => keys === 1 && Number(address.slice(-3)) % 2 === 0);
  const expected = Array.from({ length: 24 }, (_, i) => `cosmos1${String(32 + 2 * i).padStart(3, '0')}`);
  assert.deepEqual(own.map(({ address }) => address).sort(), expected);
  assert.equal((await database.countRows(paths)).length, paths.length);
  database.close();
});

test('no file is no row', async () => {
  const database = await openDatabase();
  await database.attach('prices', []);
  assert.deepEqual(await database.all('from prices'), []);
  database.close();
});

test('money beyond 2^53, nulls and times survive the way through DuckDB', async () => {
  const database = await openDatabase();
  const event: PricedEvent = {
    address: 'cosmos1a',
    height: 1,
    position: 0,
    id: '1-0-0-0-r',
    time: '2026-02-28 23:59:59',
    tx_hash: 'A',
    category: 'transfer_in',
    sent_amount: null,
    sent_denom: null,
    received_amount: 99999999999999999999999999999999999999n,
    received_denom: 'uatom',
    fee_amount: null,
    fee_denom: null,
    counterparty: null,
    validator: null,
    reward_trigger: null,
    detail: '',
    memo: '=cmd|"\u0000\u2028😀',
    link: null,
    to_own_key: false,
    unsolicited: false,
    channel: 'channel-0',
    sequence: 2 ** 53 - 1,
    sent_price: null,
    received_price: 2_123_456n,
    fee_price: null,
  };
  const second = { ...event, position: 1, to_own_key: true, received_price: null };
  await database.create('priced_events');
  await database.append('priced_events', [event, second]);
  const read: PricedEvent[] = [];
  for await (const rows of database.sorted<PricedEvent>('priced_events')) read.push(...rows);
  assert.deepEqual(read, [event, second]);
  database.close();
});

/** Texts around the length that DuckDB holds in place, of one to four bytes a character, halves of characters at their ends. */
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    'a'.repeat(12),
    'a'.repeat(13),
    'é'.repeat(6),
    'é'.repeat(7),
    '\ufeff',
    '\ud83d',
    '\ude00',
    '\u0000',
    'long '.repeat(3000),
  ),
);
const units = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n });
const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19).replace('T', ' '));
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const [texts, amounts] = [orNull(text), orNull(units)];
const row: fc.Arbitrary<ChainEvent> = fc.record({
  address: text,
  height: fc.maxSafeInteger(),
  position: fc.integer(),
  id: text,
  time,
  tx_hash: text,
  category: text,
  sent_amount: amounts,
  sent_denom: texts,
  received_amount: amounts,
  received_denom: texts,
  fee_amount: amounts,
  fee_denom: texts,
  counterparty: texts,
  validator: texts,
  reward_trigger: texts,
  detail: text,
  memo: text,
  link: texts,
  to_own_key: fc.boolean(),
  unsolicited: fc.boolean(),
});

/** A text as UTF-8 has it: half a character alone is a replacement character. */
const stored = (value: unknown) => (typeof value === 'string' ? Buffer.from(value).toString() : value);

test('whatever texts, numbers and nulls rows have, DuckDB gives them back', async () => {
  const database = await openDatabase({ threads: 1 });
  const some = fc.array(row, { minLength: 1, maxLength: 60 });
  await fc.assert(
    // Up to 7,200 rows: of several chunks, some of which have columns of long texts.
    fc.asyncProperty(some, fc.constantFrom(1, 1, 1, 2, 120), async (block, times) => {
      const rows = Array.from({ length: times }, () => block).flat();
      await database.create('chain_events');
      await database.append('chain_events', rows);
      const read: ChainEvent[] = [];
      for await (const batch of database.rows<ChainEvent>('chain_events', 'from chain_events')) read.push(...batch);
      const expected = rows.map((given) =>
        Object.fromEntries(Object.entries(given).map(([name, value]) => [name, stored(value)])),
      );
      assert.deepEqual(read, expected);
    }),
    { numRuns: 60 },
  );
  database.close();
});

test('a text keeps the byte order mark that it begins with', async () => {
  const database = await openDatabase();
  const texts = ['\ufeff', '\ufeffa memo that is longer than twelve bytes'];
  for (const text of texts) assert.deepEqual(await database.all('select $text as text', { text }), [{ text }]);
  database.close();
});

test('an SQL parameter that is not given is named', async () => {
  const database = await openDatabase();
  await assert.rejects(() => database.all('select $missing'), /the SQL parameter \$missing has no value/);
  database.close();
});

/** More than a database of this much memory can hold. */
const SMALL = { threads: 1, memoryLimit: '40MB' };
const LARGE = 'create table large as select hash(i) as a, hash(i + 1) as b from range(8000000) as numbers(i)';

test('what does not fit into memory is spilled into the given folder, and not into the working directory', async () => {
  const [workingDirectory, spill] = [join(folder, 'read-only'), join(folder, 'spill')];
  mkdirSync(workingDirectory);
  // A file in the place of DuckDB's own folder: also where the tests run as root, who may write anywhere, none can be made.
  writeFileSync(join(workingDirectory, '.tmp'), '');
  const before = process.cwd();
  process.chdir(workingDirectory);
  try {
    const database = await Database.open(spill, SMALL);
    await database.execute(LARGE);
    assert.deepEqual(await database.all('select count(distinct a) as a from large'), [{ a: 8_000_000 }]);
    assert.ok(readdirSync(spill).length > 0);
    database.close();
    assert.ok(!existsSync(spill));
    assert.deepEqual(readdirSync(workingDirectory), ['.tmp']);
  } finally {
    process.chdir(before);
  }
});

test('two databases that spill at the same time keep out of each other’s files', async () => {
  const databases = await Promise.all(['a', 'b'].map((name) => Database.open(join(folder, name), SMALL)));
  await Promise.all(databases.map((database) => database.execute(LARGE)));
  for (const database of databases) {
    assert.deepEqual(await database.all('select count(*) as rows from large where a = hash(7)'), [{ rows: 1 }]);
    database.close();
  }
});

test('databases that follow each other share no tables and no limits, after one that has spilled, too', async () => {
  const settings = `select current_setting('threads') as threads, current_setting('memory_limit') as memory_limit,
    current_setting('temp_directory') as spill`;
  for (const [round, [threads, memoryLimit]] of (
    [
      [1, '300MB'],
      [2, '400MB'],
      [1, '20MB'],
      [2, '300MB'],
    ] as const
  ).entries()) {
    const spill = join(folder, `spill-of-${round}`);
    const database = await Database.open(spill, { threads, memoryLimit });
    const beside = await database.beside();
    assert.deepEqual(await database.all('select table_name from duckdb_tables()'), []);
    const [found] = await database.all<{ threads: number; memory_limit: string; spill: string }>(settings);
    assert.deepEqual([found!.threads, found!.spill], [threads, spill]);
    assert.equal(Number.parseInt(found!.memory_limit, 10), Math.floor(Number.parseInt(memoryLimit, 10) / 1.048576));
    await database.execute('create table numbers as select range as i from range(100)');
    assert.deepEqual(await beside.all('select count(*) as rows from numbers'), [{ rows: 100 }]);
    if (memoryLimit === '20MB') {
      await database.execute(
        'create table texts as select i, repeat(md5(i::varchar), 8) as text from range(400000) as r(i)',
      );
      assert.ok(existsSync(spill));
    }
    beside.close();
    database.close();
    assert.ok(!existsSync(spill));
  }
});
