/** The report page in the browser. */
import { render } from 'preact';
import { followPrinting } from './report/print/print-view.js';
import { ReportPage } from './report/report-page.js';

const place = document.getElementById('page')!;
place.replaceChildren(); // the words for browsers without scripts
render(<ReportPage />, place);
followPrinting();
