/** Thread that makes one PDF: pdf-lib takes a quarter of a second to load, and lays out pages in pieces that nobody else may wait for. */
import { parentPort, workerData } from 'node:worker_threads';
import { formPdf } from './form-pdf.js';

parentPort!.postMessage(await formPdf(workerData));
