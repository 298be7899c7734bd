/**
 * The report on paper. It is put together when the browser is about to print, and taken away afterwards, so that a long wallet costs
 * nothing before. The page's script writes the wallets into the margin of every sheet.
 */
import { render } from 'preact';
import { report } from '../../state/report.js';
import { PaperReport } from './paper-report.js';

/** Letters of the widest fonts that fit between the side margins, on A4 and on letter paper. */
const LETTERS_A_LINE = 110;
const LINE_MM = 3.5;

const margins = new CSSStyleSheet();

export function followPrinting(): void {
  const place = document.createElement('div');
  place.className = 'paper';
  document.body.append(place);
  document.adoptedStyleSheets.push(margins);
  addEventListener('beforeprint', () => {
    const shown = report.peek();
    if (!shown) return;
    margins.replaceSync(marginsOf(shown.asked.addresses, shown.summary.generation));
    document.documentElement.classList.add('on-paper');
    render(<PaperReport shown={shown} />, place);
  });
  addEventListener('afterprint', () => {
    render(null, place);
    document.documentElement.classList.remove('on-paper');
    margins.replaceSync('');
  });
}

/**
 * Margins with the whole address of every wallet: a sheet that has left its pile still says whose it is. The top margin is as high as
 * they need. Addresses are letters and digits, and a generation's id has no quotes: none of them needs to be escaped in CSS.
 */
function marginsOf(addresses: readonly string[], generation: string): string {
  const longest = Math.max(...addresses.map(({ length }) => length));
  const lines = Math.ceil(addresses.length / Math.floor(LETTERS_A_LINE / (longest + 2)));
  return `@page {
    margin: ${14 + lines * LINE_MM}mm 15mm 18mm;
    @top-left { content: "${addresses.join(', ')}"; width: 100%; text-align: left; font: 7.5pt/${LINE_MM}mm system-ui, sans-serif; }
    @bottom-left { content: "hubledger · ${generation}"; font: 8pt system-ui, sans-serif; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
  }`;
}
