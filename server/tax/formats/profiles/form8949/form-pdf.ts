/** Prints Form 8949 with pdf-lib: part I, part II, then rows without basis or price. Each part ends with totals. */
import { type PDFDocument as Document, PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';
import type { Box, BoxTotal } from '../../../../../pipeline/reports/form8949/form-rows.js';

const PAGE: [number, number] = [792, 612]; // US letter, landscape, in points
const MARGIN = 36;
const LINE = 12;
const SIZE = 8;
/** Left edges of texts and right edges of amounts, for columns (a) to (h). */
const EDGES = [36, 250, 320, 450, 545, 565, 660, 750];
const IS_AMOUNT = [false, false, false, true, true, false, true, true];
const HEADINGS = [
  '(a) Description of property',
  '(b) Acquired',
  '(c) Sold',
  '(d) Proceeds',
  '(e) Cost or other basis',
  '(f) Code',
  '(g) Adjustment',
  '(h) Gain or loss',
];
const GAP = 6;
/** With more wallets than this, the title contains only their number. */
const TITLE_WALLETS = 2;

const PARTS: Readonly<Record<Box, string>> = {
  I: 'Part I. Short-term. Box I: digital assets not reported to you on Form 1099-DA',
  L: 'Part II. Long-term. Box L: digital assets not reported to you on Form 1099-DA',
  'unknown basis': 'Apart: basis unknown, for the preparer',
  'price missing': 'Apart: no published price on that day, for the preparer',
};

/** Replaces characters that the standard PDF fonts lack. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?');

export interface Heading {
  readonly addresses: readonly string[];
  readonly days: readonly [string, string];
}

export interface PrintedRow {
  readonly box: Box;
  readonly cells: readonly string[];
}

export interface FormContent {
  readonly heading: Heading;
  readonly rows: readonly PrintedRow[];
  readonly totals: readonly BoxTotal[];
  /** Creation time in the file. Fixed, so that the same input gives the same bytes. */
  readonly made: Date;
}

const titleOf = ({ addresses, days }: Heading) => {
  const whose = addresses.length <= TITLE_WALLETS ? addresses.join(', ') : `${addresses.length} wallets`;
  return `Form 8949 rows of ${whose}, ${days.join(' to ')}`;
};

interface Sheet {
  readonly document: Document;
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly title: string;
}

export async function formPdf({ heading, rows, totals, made }: FormContent): Promise<Uint8Array> {
  const title = titleOf(heading);
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle(title);
  document.setProducer('hubledger');
  document.setCreationDate(made);
  document.setModificationDate(made);
  const [regular, bold] = [
    await document.embedFont(StandardFonts.Helvetica),
    await document.embedFont(StandardFonts.HelveticaBold),
  ];
  const sheet = { document, regular, bold, title };
  for (const total of totals) {
    const own = rows.filter(({ box }) => box === total.box);
    if (own.length > 0 || total.box.length === 1) addPart(sheet, own, total);
  }
  if (heading.addresses.length > TITLE_WALLETS) addWallets(sheet, heading.addresses);
  return document.save();
}

/** Adds a page that lists all wallets. They fit because requests have a maximum number of wallets. */
function addWallets(sheet: Sheet, addresses: readonly string[]): void {
  const write = lineWriter(sheet.document.addPage(PAGE), sheet);
  write([sheet.title], true);
  write(['The wallets of these rows'], true);
  for (let i = 0; i < addresses.length; i += 2) write([addresses.slice(i, i + 2).join('  ')]);
}

function linesOf([description, ...others]: readonly string[], font: PDFFont): string[][] {
  const [first = '', ...rest] = piecesOf(printable(description!), font, EDGES[1]! - EDGES[0]! - GAP);
  return [[first, ...others], ...rest.map((piece) => [piece])];
}

function piecesOf(text: string, font: PDFFont, width: number): string[] {
  const pieces: string[] = [''];
  let used = 0;
  for (const character of text) {
    const own = font.widthOfTextAtSize(character, SIZE);
    if (used + own > width) pieces.push('');
    used = (used + own > width ? 0 : used) + own;
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}

const LINES_PER_PAGE = Math.floor((PAGE[1] - 2 * MARGIN) / LINE) - 7;

function addPart(sheet: Sheet, rows: readonly PrintedRow[], total: BoxTotal): void {
  const addPage = () => {
    const write = lineWriter(sheet.document.addPage(PAGE), sheet);
    write([sheet.title], true);
    write([PARTS[total.box]], true);
    write(['']);
    write(HEADINGS, true);
    return write;
  };
  let write = addPage();
  let left = LINES_PER_PAGE;
  for (const { cells } of rows) {
    const lines = linesOf(cells, sheet.regular);
    if (lines.length > left) {
      write = addPage();
      left = LINES_PER_PAGE;
    }
    for (const line of lines) write(line);
    left -= lines.length;
  }
  write(['']);
  const { proceeds_usd, cost_basis_usd, gain_usd } = total;
  write([`Totals of ${total.rows} rows`, '', '', proceeds_usd, cost_basis_usd, '', '', gain_usd], true);
}

function lineWriter(page: PDFPage, { regular, bold }: Sheet) {
  let y = PAGE[1] - MARGIN;
  return (cells: readonly string[], isBold = false) => {
    const font = isBold ? bold : regular;
    cells.forEach((cell, i) => {
      if (cell === '') return;
      const text = printable(cell);
      const x = IS_AMOUNT[i] ? EDGES[i]! - font.widthOfTextAtSize(text, SIZE) : EDGES[i]!;
      page.drawText(text, { x, y, size: SIZE, font });
    });
    y -= LINE;
  };
}
