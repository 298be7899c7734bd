/** Lays out the pages of a PDF with pdf-lib. The same input gives the same bytes. */

import { PDFDocument, type PDFFont, type PDFPage, PDFString, rgb, StandardFonts } from 'pdf-lib';
import type { Coverage } from '../../../schemas/types.generated.js';

export const MARGIN = 36;

/** Width and height of US letter paper, in points. */
export const LANDSCAPE: readonly [number, number] = [792, 612];
export const PORTRAIT: readonly [number, number] = [612, 792];
const A4: readonly [number, number] = [595, 842];

/** Countries that print on US letter paper (paperSize in the territory data of Unicode CLDR). */
const LETTER = 'BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' ');

/** Returns portrait paper of the size that a country uses. @param country ISO 3166 code; null for no country */
export const paperOf = (country: string | null): readonly [number, number] =>
  country === null || LETTER.includes(country) ? PORTRAIT : A4;

const SIZE = 8;
/** Distance of the lines of a list or table. */
export const LINE = 11;
const FOOTER_Y = 22;
const INK = rgb(0.08, 0.13, 0.12);
const SOFT = rgb(0.33, 0.38, 0.37);
const RULE = rgb(0.72, 0.76, 0.75);

export interface TextStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly soft?: boolean;
  /** If true, `x` is the right edge of the text. */
  readonly right?: boolean;
  readonly link?: string;
}

export interface PaperSettings {
  readonly title: string;
  /** Creation time in the PDF. It is fixed, so that the same input gives the same bytes. */
  readonly made: Date;
  readonly size: readonly [number, number];
}

export interface Column {
  readonly name: string;
  /** Left edge, or right edge with `right`. */
  readonly x: number;
  readonly width: number;
  readonly right?: boolean;
  /** If true, a long text takes several lines. If not, it is smaller. */
  readonly wraps?: boolean;
}

export class Paper {
  /** Baseline of the next line, in points from the bottom. */
  y = 0;
  private page!: PDFPage;

  private constructor(
    private readonly document: PDFDocument,
    private readonly regular: PDFFont,
    private readonly bold: PDFFont,
    private readonly characters: ReadonlySet<number>,
    readonly size: readonly [number, number],
    private readonly title: string,
  ) {}

  static async create({ title, made, size }: PaperSettings): Promise<Paper> {
    const document = await PDFDocument.create({ updateMetadata: false });
    document.setTitle(title);
    document.setProducer('hubledger');
    document.setCreationDate(made);
    document.setModificationDate(made);
    document.setLanguage('en-US');
    const regular = await document.embedFont(StandardFonts.Helvetica);
    const bold = await document.embedFont(StandardFonts.HelveticaBold);
    return new Paper(document, regular, bold, new Set(regular.getCharacterSet()), size, title);
  }

  /** Free space above the footer, in points. */
  get left(): number {
    return this.y - MARGIN;
  }

  get rightEdge(): number {
    return this.size[0] - MARGIN;
  }

  addPage(): void {
    this.page = this.document.addPage([...this.size]);
    this.y = this.size[1] - MARGIN;
  }

  /** Begins a page with the title if less than this space is left. */
  need(points: number): void {
    if (this.left >= points) return;
    this.addPage();
    this.write(this.title, MARGIN, { size: 7, soft: true });
    this.down(2 * LINE);
  }

  /** Replaces characters that the standard PDF fonts do not contain. */
  printable(text: string): string {
    return [...text].map((sign) => (this.characters.has(sign.codePointAt(0)!) ? sign : '?')).join('');
  }

  width(text: string, { size = SIZE, bold = false }: TextStyle = {}): number {
    return this.fontOf(bold).widthOfTextAtSize(this.printable(text), size);
  }

  /**
   * Writes text at the current baseline and does not move it.
   * @param x left edge, or right edge with `right`
   */
  write(text: string, x: number, style: TextStyle = {}): void {
    if (text === '') return;
    const { size = SIZE, bold = false, soft = false, right = false, link } = style;
    const shown = this.printable(text);
    const width = this.width(text, style);
    const start = right ? x - width : x;
    this.page.drawText(shown, { x: start, y: this.y, size, font: this.fontOf(bold), color: soft ? SOFT : INK });
    if (link !== undefined) this.link(link, start, width, size);
  }

  down(points: number): void {
    this.y -= points;
  }

  /** Draws a horizontal line below the current baseline. */
  rule(from = MARGIN, to = this.rightEdge, below = 3): void {
    const y = this.y - below;
    this.page.drawLine({ start: { x: from, y }, end: { x: to, y }, thickness: 0.5, color: RULE });
  }

  heading(text: string, x = MARGIN, to = this.rightEdge): void {
    this.write(text, x, { size: 10, bold: true });
    this.rule(x, to);
    this.down(LINE + 4);
  }

  /** Returns the largest font size, up to `size`, at which a text fits into a width. */
  fitted(text: string, width: number, size: number, bold = true): number {
    return Math.min(size, (size * width) / Math.max(1, this.width(text, { size, bold })));
  }

  /** Scales columns for portrait US letter paper to the width of this paper. */
  within(columns: readonly Column[]): Column[] {
    const share = (this.rightEdge - MARGIN) / (PORTRAIT[0] - 2 * MARGIN);
    return columns.map((one) => ({ ...one, x: MARGIN + (one.x - MARGIN) * share, width: one.width * share }));
  }

  /** Writes a table. Its headings are on each of its pages. */
  table(columns: readonly Column[], rows: Iterable<readonly string[]>): void {
    const line = (cells: readonly string[], bold = false) => {
      cells.forEach((cell, i) => {
        const { x, width, right = false } = columns[i]!;
        this.write(cell, x, { right, bold, size: this.fitted(cell, width, SIZE, bold) });
      });
      this.down(LINE);
    };
    const names = columns.map(({ name }) => name);
    this.need(3 * LINE);
    line(names, true);
    for (const cells of rows) {
      const pieces = cells.map((cell, i) => (columns[i]!.wraps ? this.pieces(cell, columns[i]!.width) : [cell]));
      const height = Math.max(...pieces.map(({ length }) => length));
      if (this.left < height * LINE) {
        this.need((height + 1) * LINE);
        line(names, true);
      }
      for (let i = 0; i < height; i++) line(pieces.map((of) => of[i] ?? ''));
    }
  }

  /** Writes words in lines of a given width. Moves the baseline down after each line. */
  paragraph(text: string, x: number, width: number, style: TextStyle = {}, leading = (style.size ?? SIZE) + 3): void {
    for (const line of this.wrap(text, width, style)) {
      this.write(line, x, style);
      this.down(leading);
    }
  }

  private wrap(text: string, width: number, style: TextStyle): string[] {
    const lines: string[] = [];
    for (const word of text.split(' ')) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && this.width(longer, style) <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  /** Splits a text without blanks into pieces that fit into a width. */
  pieces(text: string, width: number): string[] {
    const pieces = [''];
    for (const sign of text) {
      const longer = pieces.at(-1) + sign;
      if (this.width(longer) > width) pieces.push(sign);
      else pieces[pieces.length - 1] = longer;
    }
    return pieces;
  }

  /** Numbers the pages and returns the PDF. @param footer text at the bottom of each page */
  save(footer: string): Promise<Uint8Array> {
    const pages = this.document.getPages();
    pages.forEach((page, i) => {
      this.page = page;
      this.y = FOOTER_Y;
      this.write(footer, MARGIN, { size: 7, soft: true });
      this.write(`Page ${i + 1} of ${pages.length}`, this.rightEdge, { size: 7, soft: true, right: true });
    });
    return this.document.save();
  }

  private fontOf(bold: boolean): PDFFont {
    return bold ? this.bold : this.regular;
  }

  private link(url: string, x: number, width: number, size: number): void {
    const { context } = this.document;
    const area = { Type: 'Annot', Subtype: 'Link', Rect: [x, this.y - 2, x + width, this.y + size], Border: [0, 0, 0] };
    const action = { Type: 'Action', S: 'URI', URI: PDFString.of(url) };
    this.page.node.addAnnot(context.register(context.obj({ ...area, A: action })));
  }
}

const NAME_MAX = 12;

/** Shortens names that are longer than any registered symbol, so that no token can advertise on a tax form. */
export const printedName = (asset: string): string =>
  asset.length > NAME_MAX ? `${asset.slice(0, 7)}…${asset.slice(-4)}` : asset;

/** Adds thousands separators: '1234567.80' becomes '1,234,567.80'. */
export const grouped = (decimal: string): string => decimal.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Returns what is missing in a printed document; '' if nothing is.
 * @param lackingDays sentence for a period that is not fully recorded
 * @param incomplete wallets whose rows are not proved to be complete
 */
export function printedGaps(
  { range_complete: isWhole, covered_from: from, covered_to: to }: Coverage,
  [start, end]: readonly [string, string],
  lackingDays: string,
  incomplete: readonly string[],
): string {
  if (isWhole) return '';
  const hasEveryDay = from && to && from.slice(0, 10) <= start && to.slice(0, 10) >= end;
  const more = incomplete.length > 1 ? ` and ${incomplete.length - 1} more` : '';
  return [
    ...(hasEveryDay && incomplete.length > 0 ? [] : [lackingDays]),
    ...(incomplete.length > 0
      ? [`No proof shows that all transactions of ${incomplete[0]}${more} are here: some may be missing.`]
      : []),
  ].join(' ');
}

/** Lists wallets in two columns. The limit of wallets per request ensures that they fit on one page. */
export function addWallets(paper: Paper, addresses: readonly string[]): void {
  const width = (paper.rightEdge - MARGIN) / 2;
  paper.need((Math.ceil(addresses.length / 2) + 2) * LINE);
  paper.heading('Wallets');
  for (let i = 0; i < addresses.length; i += 2) {
    addresses.slice(i, i + 2).forEach((address, n) => {
      paper.write(address, MARGIN + n * width, { size: paper.fitted(address, width - 8, SIZE, false) });
    });
    paper.down(LINE);
  }
}

/** Returns whether an amount reads as zero. */
export const isZero = (amount: string) => /^-?0*\.?0*$/.test(amount);

/** Converts '2026-03-01' to 'Mar 1, 2026', and '2026-03' to 'Mar 2026'. */
export function printedDay(day: string): string {
  const [year, month, date] = day.slice(0, 10).split('-');
  const name = MONTHS[Number(month) - 1];
  return date === undefined ? `${name} ${year}` : `${name} ${Number(date)}, ${year}`;
}
