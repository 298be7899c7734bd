/**
 * The printed report. It is rendered on `beforeprint` and removed on `afterprint`, so that it costs nothing on screen.
 * Page margins name the wallets.
 */
import { render } from 'preact';
import { report } from '../../state/report.js';
import { PaperReport } from './paper-report.js';

/** Characters of the widest font that fit between the side margins, on A4 and US letter. */
const LINE_CHARACTERS = 110;
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
 * Returns CSS for page margins with every wallet's full address, so that a single sheet can be identified. Addresses
 * and generation ids contain no character that CSS strings must escape.
 */
function marginsOf(addresses: readonly string[], generation: string): string {
  const longest = Math.max(...addresses.map(({ length }) => length));
  const lines = Math.ceil(addresses.length / Math.floor(LINE_CHARACTERS / (longest + 2)));
  return `@page {
    margin: ${14 + lines * LINE_MM}mm 15mm 18mm;
    @top-left { content: "${addresses.join(', ')}"; width: 100%; text-align: left; font: 7.5pt/${LINE_MM}mm system-ui, sans-serif; }
    @bottom-left { content: "hubledger · ${generation}"; font: 8pt system-ui, sans-serif; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
  }`;
}
