import { chooseWallets } from '../../bench/wallets.js';
import type { Attack } from '../suite.js';

const PDFS = 40;
/** Seconds after which a caller in the queue is told to come again, and some more for the PDF itself. */
const OTHER_MS_MAX = 20_000;

let address = '';

export const pdfQueue: Attack = {
  name: 'PDF queue',
  what: `${PDFS} PDFs of Form 8949 at once for one address, and one for another`,
  isShort: true,
  environment: { HUBLEDGER_TRUSTED_HOPS: '1' },
  async prepare({ dataDir }) {
    const { all } = await chooseWallets(dataDir);
    address = all.at(-1)!.address;
    return {};
  },
  async run({ base }) {
    const ask = async (client: string, i: number) => {
      const end = `2026-0${4 - (i % 3)}-${10 + Math.floor(i / 3)}`; // each another answer
      const query = new URLSearchParams({ address, end, profile: 'form8949', format: 'pdf' });
      const headers = { 'x-forwarded-for': client };
      const answer = await fetch(`${base}/api/tax/v1/journal?${query}`, { headers });
      await answer.arrayBuffer();
      return answer;
    };
    const all = Promise.all(Array.from({ length: PDFS }, (_, i) => ask('192.0.2.1', i)));
    const began = performance.now();
    const other = await ask('192.0.2.2', PDFS);
    const ms = performance.now() - began;
    const answers = await all;
    const refused = answers.filter(({ status }) => status === 503);
    const isTold = refused.every(({ headers }) => headers.has('retry-after'));
    const lost = `the other has ${other.status} after ${Math.round(ms)} ms; ${refused.length} of ${PDFS} refused`;
    return { lost, holds: other.status === 200 && ms < OTHER_MS_MAX && refused.length > 0 && isTold };
  },
};
