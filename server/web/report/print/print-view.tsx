/**
 * The report on paper. It is put together when the browser is about to print, and taken away afterwards, so that a long wallet costs
 * nothing before. The page's script writes the wallets into the margin of every sheet.
 */
import { render } from 'preact';
import { report } from '../../state/report.js';
import { shortened } from '../../values/addresses.js';
import { PaperReport } from './paper-report.js';

/** Wallets that fit into the margin of a sheet with their whole address. */
const NAMED_MAX = 2;

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

/** Addresses are letters and digits, and a generation's id has no quotes: none of them needs to be escaped in CSS. */
function marginsOf(addresses: readonly string[], generation: string): string {
  const named = addresses.slice(0, NAMED_MAX).map((one) => (addresses.length > 1 ? shortened(one) : one));
  const more = addresses.length > NAMED_MAX ? ` and ${addresses.length - NAMED_MAX} more` : '';
  return `@page {
    margin: 18mm 15mm;
    @top-left { content: "${named.join(', ')}${more}"; font: 8pt system-ui, sans-serif; }
    @bottom-left { content: "hubledger · ${generation}"; font: 8pt system-ui, sans-serif; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
  }`;
}
