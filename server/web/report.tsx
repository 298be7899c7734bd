/** The report page in the browser. */
import { render } from 'preact';
import { followPrinting } from './report/print/print-view.js';
import { ReportPage } from './report/report-page.js';

/** The fragment of the URL names the wallets, so the link to the content moves the focus itself. */
document.querySelector('.skip')!.addEventListener('click', (event) => {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
});
const place = document.getElementById('page')!;
place.replaceChildren(); // the words for browsers without scripts
render(<ReportPage />, place);
followPrinting();
