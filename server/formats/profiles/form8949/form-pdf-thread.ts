/** Worker thread for one PDF: loading pdf-lib takes 250 ms, and layout blocks the event loop. */
import { parentPort, workerData } from 'node:worker_threads';
import { formPdf } from './form-pdf.js';

parentPort!.postMessage(await formPdf(workerData));
