/** The picture of the report in the README. A text beside it lists what the picture shows, so that no font matters. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { NightCase, SAMPLE_CHAIN } from '../../../pipeline/night-case.js';
import { programs } from '../../../requirements.js';
import { SamplePages } from './pages/sample-pages.js';

const PICTURE = join(projectRoot(), 'docs/report.png') as `${string}.png`;
const CONTENT = join(projectRoot(), 'test/server/web/browser/picture.txt');

/** The size of the picture, and the parts of the page in it. */
const SIZE = { width: 1200, height: 832 };
const PARTS = '.masthead, .test-chain, .asked > summary, .title, .jump, #glance';

/** One line for each element with a text of its own that is not folded: the element with its classes, and the text. */
const SHOWN = `[...document.querySelectorAll(${JSON.stringify(PARTS)})]
  .flatMap((part) => [part, ...part.querySelectorAll('*')])
  .filter((one) => one.checkVisibility())
  .flatMap((one) => {
    const texts = [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data);
    const words = texts.join(' ').replace(/\\s+/g, ' ').trim();
    return words === '' ? [] : [[one.localName, ...one.classList].join('.') + ' ' + words];
  })
  .join('\\n')`;

const describe = (picture: Uint8Array, shown: string) =>
  `report.png ${createHash('sha256').update(picture).digest('hex')}\n${shown}\n`;

/** Publishes the sample with the prices that a first start uses. */
async function publish() {
  const chain = new NightCase(SAMPLE_CHAIN);
  chain.variables = { HUBLEDGER_PRICE_DIR: join(projectRoot(), 'data/sample/prices') };
  await chain.published('data');
  return { dataDir: chain.path('data'), remove: () => chain.remove() };
}

for (const program of programs('browser')) {
  test('the picture in the README is of this page; if the page has changed, this test takes it anew', async (t) => {
    const pages = await SamplePages.start(program, publish);
    t.after(() => pages.stop());
    const visit = await pages.browser.open('/#example');
    await visit.settled();
    await visit.page.setViewport(SIZE);
    await visit.page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
    const shown = String(await visit.page.evaluate(SHOWN));
    const [committed, expected] = [readFileSync(CONTENT, 'utf8'), describe(readFileSync(PICTURE), shown)];
    if (committed !== expected) {
      writeFileSync(CONTENT, describe(await visit.page.screenshot({ path: PICTURE }), shown));
    }
    assert.equal(committed, expected, 'docs/report.png and picture.txt are new: look at them, and commit them');
    await visit.close();
  });
}
