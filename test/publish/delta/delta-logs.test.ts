/** Each table of two successive generations as a Delta Lake table: its log is replayed here, and read by delta-rs where that is there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deltaField, writeDeltaLogs } from '../../../pipeline/publish/delta/delta-logs.js';
import { readManifest } from '../../../pipeline/publish/generation.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';
import { NightCase } from '../../pipeline/night-case.js';
import { programs } from '../../requirements.js';

const chain = new NightCase();
after(() => chain.remove());

interface Action {
  readonly add?: { readonly path: string; readonly size: number; readonly stats: string };
  readonly remove?: { readonly path: string };
  readonly metaData?: { readonly id: string; readonly schemaString: string };
  readonly protocol?: { readonly minReaderVersion: number };
}

let older: Manifest;
let newer: Manifest;
let folder: string;

before(async () => {
  const first = await chain.night('data', { until: 520 });
  const second = await chain.night('data');
  const folderOf = (generation: string) => chain.path('data/generations', generation);
  older = readManifest(folderOf(first.generation));
  newer = readManifest(folderOf(second.generation));
  folder = folderOf(second.generation);
});

const commitsOf = (table: string): Action[][] => {
  const log = join(folder, table, '_delta_log');
  return readdirSync(log)
    .sort()
    .map((file) =>
      readFileSync(join(log, file), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
};

/** Replays commits up to a version: the files that it has. */
function filesAt(commits: readonly Action[][], version: number): Set<string> {
  const files = new Set<string>();
  for (const { add, remove } of commits.slice(0, version + 1).flat()) {
    if (remove) assert.ok(files.delete(remove.path), `${remove.path} was there`);
    if (add) files.add(add.path);
  }
  return files;
}

const rowsOf = ({ tables }: Manifest, table: string) => tables.find(({ name }) => name === table)!.rows;

test('each generation is a version with the rows that its manifest says, and past months are added once', async () => {
  const database = await openDatabase();
  for (const { name, files } of newer.tables) {
    const commits = commitsOf(name);
    assert.equal(commits.length, 2, name);
    for (const [version, manifest] of [older, newer].entries()) {
      const paths = [...filesAt(commits, version)].map((path) => join(folder, name, path));
      const rows = await database.countRows(paths);
      assert.equal(
        rows.reduce((sum, count) => sum + count, 0),
        rowsOf(manifest, name),
        `${name}, version ${version}`,
      );
    }
    assert.deepEqual([...filesAt(commits, 1)].sort(), files.map(({ path }) => path.slice(name.length + 1)).sort());
    for (const { add } of commits.flat()) if (add) assert.equal(statSync(join(folder, name, add.path)).size, add.size);
    assert.equal(commits.flat().filter(({ protocol }) => protocol?.minReaderVersion === 1).length, 1);
    assert.equal(commits.flat().filter(({ metaData }) => metaData).length, 1, 'the columns are the same');
  }
  database.close();
  const added = commitsOf('priced_events')
    .flat()
    .filter(({ add }) => add?.path === '2026-02.parquet');
  assert.equal(added.length, 1, 'a past month is not added again');
});

test('the log says between which wallets the rows of a file lie', async () => {
  const database = await openDatabase();
  for (const { add } of commitsOf('priced_events').flat()) {
    if (!add) continue;
    const path = join(folder, 'priced_events', add.path);
    const [bounds] = await database.all(`select min(address) as first, max(address) as last from '${path}'`);
    const { minValues, maxValues } = JSON.parse(add.stats);
    assert.deepEqual({ first: minValues.address, last: maxValues.address }, bounds, add.path);
  }
  database.close();
});

test('a table begins after a generation that lacks a file of it', async () => {
  const again = chain.path('again');
  cpSync(folder, again, { recursive: true, filter: (path) => !/_delta_log|_earlier/.test(path) });
  const gone = { folder: chain.path('gone'), manifest: older };
  await writeDeltaLogs({ folder: again, manifest: newer }, [gone]);
  const versions = (table: string) => readdirSync(join(again, table, '_delta_log')).length;
  assert.equal(versions('priced_events'), 1, 'its last month has grown');
  assert.equal(versions('categories'), 2, 'it has not changed, so that nothing of the other generation is needed');
});

/** Leaves without the interpreter's end, at which Arrow's threads may abort a program that has done its work. */
const SCRIPT = `
import json, os, sys
from deltalake import DeltaTable
folder, tables = sys.argv[1], json.loads(sys.argv[2])
def rows(name, version): return DeltaTable(f"{folder}/{name}", version=version).to_pyarrow_table().num_rows
print(json.dumps({name: [rows(name, 0), rows(name, 1)] for name in tables}), flush=True)
os._exit(0)
`;

for (const python of programs('analysts')) {
  test('delta-rs reads every table, and its older version by time travel', () => {
    const names = newer.tables.map(({ name }) => name);
    const read = execFileSync(python, ['-c', SCRIPT, folder, JSON.stringify(names)], { encoding: 'utf8' });
    const expected = names.map((name) => [name, [rowsOf(older, name), rowsOf(newer, name)]]);
    assert.deepEqual(JSON.parse(read), Object.fromEntries(expected));
  });
}

const typeOf = (type: string) => deltaField('name', type).type;

test('types of DuckDB as Delta Lake writes them', () => {
  assert.deepEqual(
    ['VARCHAR', 'BIGINT', 'DECIMAL(38,0)', 'TIMESTAMP WITH TIME ZONE', 'DATE', 'VARCHAR[]'].map(typeOf),
    [
      'string',
      'long',
      'decimal(38,0)',
      'timestamp',
      'date',
      { type: 'array', elementType: 'string', containsNull: true },
    ],
  );
  assert.deepEqual(typeOf('STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]'), {
    type: 'array',
    elementType: { type: 'struct', fields: [deltaField('denom', 'VARCHAR'), deltaField('ratio', 'DECIMAL(38,18)')] },
    containsNull: true,
  });
});

test('a type that Delta Lake does not have is refused by name', () => {
  assert.throws(() => typeOf('HUGEINT'), /Delta Lake has no type for HUGEINT/);
  assert.throws(() => typeOf('UBIGINT[]'), /UBIGINT/);
});
