/** A strict parser of CSV: RFC 4180 text → rows of cells. */
import assert from 'node:assert/strict';

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;

export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const at = CELL.lastIndex;
    const match = CELL.exec(text);
    assert.ok(match, `not RFC 4180 at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  assert.equal(row.length, 0, 'the last line ends with CRLF');
  return rows;
}

/** The rows below the header as objects. */
export function parseTable(text: string): Record<string, string>[] {
  const [header, ...rows] = parseCsv(text);
  return rows.map((row) => {
    assert.equal(row.length, header!.length);
    return Object.fromEntries(row.map((cell, i) => [header![i], cell]));
  });
}

const SEPARATORS = ';\t\r\n';

/** Tells whether a spreadsheet may take what begins at a place for a formula, character by character, in another way than the server does. */
function beginsFormula(characters: readonly string[], at: number): boolean {
  if (at > 0 && (!SEPARATORS.includes(characters[at - 1]!) || SEPARATORS.includes(characters[at]!))) return false;
  const isUnseen = (one: string) => /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(one);
  let i = at;
  while (i < characters.length && isUnseen(characters[i]!)) {
    if (SEPARATORS.includes(characters[i]!) && !SEPARATORS.includes(characters[i + 1] ?? ';')) return false;
    i++;
  }
  return i < characters.length && '=+-@\u2212'.includes(characters[i]!.normalize('NFKD').charAt(0));
}

/** A JSON member as its CSV cell says it: what a spreadsheet would run has an apostrophe before it. */
export function asCell(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  const characters = [...value];
  const cell = characters.map((one, i) => (beginsFormula(characters, i) ? `'${one}` : one)).join('');
  return /^\p{Cc}/u.test(cell) ? `'${cell}` : cell;
}
