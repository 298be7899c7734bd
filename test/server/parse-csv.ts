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

/** Tells whether a spreadsheet may take a text for a formula, character by character, in another way than the server does. */
function looksLikeFormula(text: string): boolean {
  if (/^\p{Cc}/u.test(text)) return true;
  const visible = text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '');
  return '=+-@＝＋－＠﹦﹢﹣﹫\u2212'.includes(visible.charAt(0)) && visible !== '';
}

/** A JSON member as its CSV cell says it; texts that a spreadsheet would run have an apostrophe before them. */
export const asCell = (value: unknown): string =>
  typeof value === 'string' && looksLikeFormula(value) ? `'${value}` : String(value);
