/** Cells that strangers choose, opened in a spreadsheet: none of them is evaluated, whatever separator somebody picks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Field } from '../../../../pipeline/books/reports/field.js';
import { csvChunks } from '../../../../server/tax/formats/csv.js';
import { removeFolder } from '../../../remove-folder.js';
import { programs } from '../../../requirements.js';

const COLUMNS: readonly Field<readonly string[]>[] = ['moniker', 'denom'].map((name, i) => ({
  name,
  kind: 'text',
  of: (row) => row[i]!,
}));

const SIGNS = [...'=+-@＝＋－＠﹦﹢﹣﹫\u2212⁼⁺', '=\u0338'];
const BEFORE = [
  '',
  ' ',
  '\u00a0',
  '\ufeff',
  '\u200b',
  '\u3000',
  '\t',
  '\n',
  '\r',
  '\v',
  '\0',
  '\u034f',
  '\ufe0f',
  ';',
  'a;',
  'a\t',
  'a; ',
];
const FORMULAS = ['1+1', 'SUM(1;2)', 'HYPERLINK("https://evil.example";"x")'];
const TEXTS = SIGNS.flatMap((sign) => BEFORE.flatMap((before) => FORMULAS.map((formula) => before + sign + formula)));

/** Separators of cells, as the import filter names characters: its usual choices, and all of them at once. */
const SEPARATORS = ['44', '59', '9', '44/59/9'];

/** Opens a table in LibreOffice. @returns its formulas, as the spreadsheet has them */
function formulasIn(t: TestContext, program: string, separators: string, csv: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-spreadsheet-'));
  t.after(() => removeFolder(folder));
  writeFileSync(join(folder, 'table.csv'), csv);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  // Separators, quote, UTF-8, first line; the last token has formulas evaluated as somebody may who opens the file.
  const filter = `--infilter=CSV:${separators},34,76,1,,0,false,true,false,false,false,-1,true`;
  const words = [profile, '--headless', filter, '--convert-to', 'fods', '--outdir', folder, join(folder, 'table.csv')];
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  const sheet = readFileSync(join(folder, 'table.fods'), 'utf8');
  assert.match(sheet, /moniker/);
  return [...sheet.matchAll(/table:formula="([^"]*)"/g)].map(([, formula]) => formula!);
}

for (const program of programs('spreadsheet')) {
  test('a spreadsheet evaluates no cell of a table', { timeout: 300_000 }, (t) => {
    assert.ok(formulasIn(t, program, '44', 'moniker,denom\r\n=1+1,+A1\r\n').length >= 1, 'it evaluates others’ tables');
    const csv = [
      ...csvChunks(
        COLUMNS,
        TEXTS.map((text) => [text, 'uatom']),
      ),
    ].join('');
    for (const separators of SEPARATORS) assert.deepEqual(formulasIn(t, program, separators, csv), [], separators);
  });
}
