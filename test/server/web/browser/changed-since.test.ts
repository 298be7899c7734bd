/** The report of somebody who has downloaded files before figures of closed months changed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { recordedContent } from '../../published.js';
import { sharedPages } from './pages/shared-pages.js';

const [BEFORE, AFTER] = ['h90-00000000000a', 'h100-00000000000b'];
const cause = 'quote' as const;
const restated = (month: string) => ({
  generation_after: AFTER!,
  month,
  what: 'entry' as const,
  record: '17-0-1-0-in-0',
  figure: 'amount_usd',
  figure_before: '4.82',
  figure_after: '4.90',
  cause,
});

for (const program of programs('browser')) {
  describe('after a download', () => {
    const { browser } = sharedPages(program, {
      content: { ...recordedContent(), restatements: { [WALLETS.light]: [restated('2026-01'), restated('2026-01')] } },
      manifest: {
        restatements: [
          {
            generation_before: BEFORE!,
            generation_after: AFTER!,
            restated_at: '2026-03-02T04:00:00Z',
            causes: [cause],
            figures: 2,
            wallets: 1,
            gains_usd: '0.08',
          },
        ],
      },
    });

    test('the report names the months whose figures have changed since', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      assert.deepEqual(await visit.texts('#changed-since'), []);
      const download = { [WALLETS.light]: { day: '2026-03-01', generation: BEFORE } };
      await visit.page.evaluate(`localStorage.setItem('hubledger-downloads', '${JSON.stringify(download)}')`);
      await visit.page.reload();
      await visit.page.waitForSelector('#changed-since');
      assert.deepEqual(await visit.texts('#changed-since'), [
        'Since you downloaded files on 1 Mar 2026, 2 figures of Jan 2026 changed. Download again.',
      ]);
      await visit.close();
    });
  });
}
