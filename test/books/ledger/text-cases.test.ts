import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { entriesOf, formOf, positionsAt, readCases, type TextCase, yearOf } from './text-cases.js';

const read = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

function requireFigures(one: TextCase): void {
  assert.deepEqual(entriesOf(one), one.entries);
  for (const { day, rows } of one.positions) assert.deepEqual(positionsAt(one, day), rows);
  for (const { year, rows } of one.years) assert.deepEqual(yearOf(one, year), rows);
  for (const { year, rows } of one.forms) assert.deepEqual(formOf(one, year), rows);
}

for (const file of readdirSync(join(projectRoot(), 'test/books/ledger')).filter((name) => name.endsWith('.test'))) {
  for (const one of readCases(read(`test/books/ledger/${file}`)))
    test(`${file}: ${one.title}`, () => requireFigures(one));
}

const PAGE = read('docs/how-lots-work.md');
const EXAMPLES = [...PAGE.matchAll(/^```text\n(.*?)^```\n(.*?)^## /gms)].map(([, example, explained]) => ({
  example: example!,
  explained: explained!,
}));

for (const { example, explained } of EXAMPLES) {
  const [one, ...others] = readCases(example);

  test(`the page about lots shows ${one!.title} as the engine computes it`, () => {
    assert.deepEqual(others, []);
    assert.ok(one && one.entries.length > 0 && one.positions.length > 0 && one.years.length > 0);
    requireFigures(one);
  });

  test(`the page about lots explains only figures of ${one!.title}`, () => {
    const figures = explained.match(/\d+\.\d+/g)!;
    assert.ok(figures.length > 0);
    assert.deepEqual(
      figures.filter((figure) => !example.includes(figure)),
      [],
    );
  });
}

test('the page about lots has both examples', () => assert.equal(EXAMPLES.length, 2));

test('the functions that the page about lots names are in their files', () => {
  const rows = [...PAGE.matchAll(/^\|[^|]*\| ([^|]*`[^|]*`) \| `(pipeline\/[\w/-]+\.ts)` \|$/gm)];
  assert.ok(rows.length > 0);
  const named = rows.flatMap(([, names, path]) =>
    [...names!.matchAll(/`([\w.]+)`/g)].map(([, name]) => ({ path: path!, name: name!.split('.').at(-1)! })),
  );
  assert.deepEqual(
    named.filter(({ path, name }) => !new RegExp(`\\b${name}\\b *[(<]|class ${name}\\b`).test(read(path))),
    [],
  );
});
