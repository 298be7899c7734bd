import { render } from 'preact';
import { followPrinting } from './report/print.js';
import { ReportPage } from './report/report-page.js';

/** The URL's fragment holds the wallets, so the skip link moves the focus by script. */
document.querySelector('.skip')!.addEventListener('click', (event) => {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
});
const place = document.getElementById('page')!;
place.replaceChildren(); // Replaces the text for browsers without scripts.
render(<ReportPage />, place);
followPrinting();
