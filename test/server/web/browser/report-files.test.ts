/** Downloads in a real browser: archives of several wallets, and sends to own accounts that a program counts as sold. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unzipSync } from 'fflate';
import type { OwnSends } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { parseTable } from '../../parse-csv.js';
import { bodyOf } from './pages/sample-pages.js';
import { sharedPages } from './pages/shared-pages.js';

const BOTH = [WALLETS.light, WALLETS.busy];
const KOINLY = '.file:has(.own-sends)';

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program);

    const post = async (path: string, body: object): Promise<string> => {
      const response = await fetch(`${server.base}/api/tax/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ start: '2026-01-01', end: '2026-12-31', ...body }),
      });
      assert.equal(response.status, 200);
      return response.text();
    };

    test('says beside the download which sends Koinly counts as sold, with the sum of their rows', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      assert.deepEqual(await visit.texts('.own-sends'), []);
      await visit.unfold('Coins you sent');
      await visit.click((await visit.page.waitForSelector('#asked button ::-p-text(went to my own wallets)'))!);
      await visit.page.waitForSelector('.own-sends');
      await visit.loaded();
      const body = { ...bodyOf([WALLETS.light], await visit.stated()), profile: 'koinly' };
      const found: OwnSends = JSON.parse(await post('own-sends', body));
      const [shown] = await visit.texts('.own-sends p');
      const words = `${found.count} sends went to your own accounts: add these accounts in Koinly too, or Koinly counts them as sold`;
      assert.ok(found.count > 1 && shown!.startsWith(words), shown);
      const tagged = Object.keys((await visit.stated()).tags).length;
      const rows = parseTable(await post('events', body)).filter((row) => /; tag own_transfer/.test(row.Description!));
      assert.deepEqual([found.count, rows.length], [tagged, tagged]);
      const sum = rows.reduce((cents, row) => cents + BigInt(row['Net Worth Amount']!.replace('.', '')), 0n);
      assert.deepEqual([found.value_usd.replace('.', '')], [String(sum)]);
      assert.equal((await visit.figures('.own-sends p'))[0], found.value_usd);
      const listed = await visit.figures('.own-sends li');
      assert.deepEqual(
        listed,
        found.receivers.map(({ value_usd }) => value_usd).filter((usd) => usd !== ''),
      );
      await visit.click((await visit.page.waitForSelector(`${KOINLY} .how:not(.own-sends *) > summary`))!);
      await visit.page.waitForSelector(`${KOINLY} .how-text pre`);
      await visit.loaded();
      assert.match(
        (await visit.texts(`${KOINLY} .how-text`)).join(),
        /Also add every account of yours .* counts these sends as sold\./,
      );
      await visit.requireEveryLook('own-sends');
      await visit.close();
    });

    test('gives several wallets an archive with one file each, and says how to import it', async () => {
      const visit = await browser.open(`/#addresses=${BOTH}&year=2026`);
      await visit.settled();
      const line = (await visit.texts('#downloads .file')).find((text) => text.startsWith('Koinly'))!;
      assert.match(line, /^Koinly ?An archive: one file for each of your 2 wallets/);
      const { name, bytes } = await visit.downloaded(() => visit.press('Download Koinly', '#downloads'));
      assert.match(name, /^events-koinly-\w{8}-and-1-more-2026-01-01-2026-12-31\.zip$/);
      const body = { ...bodyOf(BOTH, await visit.stated()), profile: 'koinly' };
      const files = Object.values(unzipSync(bytes)).map((content) => Buffer.from(content).toString());
      assert.deepEqual(
        files.map((text) => text.replace(/^\ufeff/, '')),
        await Promise.all(BOTH.map((address) => post('events', { ...body, address: [address] }))),
      );
      await visit.click((await visit.page.waitForSelector('#downloads > .group li:nth-child(3) .how > summary'))!);
      await visit.page.waitForSelector('#downloads .how-text pre');
      await visit.loaded();
      assert.match(
        (await visit.texts('#downloads .how-text')).join(),
        /^Unpack the archive: it has one file for each of your 2 wallets\. Add one wallet in Koinly for each file\..*Date,Sent Amount,/,
      );
      await visit.close();
    });
  });
}
