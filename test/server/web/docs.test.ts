/** The documentation: its pages hold together, its examples answer, and each is there as Markdown. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { operatorAccount } from '../../../pipeline/holdings/modules/validator.js';
import type { Catalog } from '../../../schemas/types.generated.js';
import { withServiceEndpoints } from '../../../server/endpoints/all.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { escapeHtml } from '../../../server/http/web-pages.js';
import { PARAMETERS } from '../../../server/tax/parameters/parameter-schemas.js';
import { OPERATORS, startServer, type TestServer, WALLETS } from '../harness.js';
import { HEIGHT, publish, recordedContent, recordedEvents } from '../published.js';

let server: TestServer;
let paths: string[];
before(async () => {
  server = await startServer();
  const sitemap = await (await fetch(`${server.base}/sitemap.xml`)).text();
  paths = [...sitemap.matchAll(/<loc>https:\/\/tax\.example(\/docs[^<]*)<\/loc>/g)].map(([, path]) => path!);
});
after(() => server.close());

const text = async (path: string) => (await fetch(server.base + path)).text();

test('only neighboring examples become tabs, and a heading between examples stays outside', async () => {
  for (const path of ['/docs/program', '/docs/analyst', '/docs/tax-year']) {
    const page = await (await fetch(server.base + path, { headers: { accept: 'text/html' } })).text();
    for (const [group] of page.matchAll(/<fieldset class="codes">.*?<\/fieldset>/gs)) {
      assert.doesNotMatch(group, /<h\d|<p>/, path);
      const labels = [...group.matchAll(/<label/g)].length;
      assert.ok(labels >= 2 && labels === new Set([...group.matchAll(/ value="(\w+)"/g)].map(([, name]) => name)).size);
    }
  }
});

test('every page is there as HTML and as Markdown', async () => {
  assert.ok(paths.length >= 11);
  for (const path of paths) {
    const html = await fetch(server.base + path);
    assert.equal(html.status, 200, path);
    assert.match(html.headers.get('content-security-policy')!, /script-src 'self'/);
    const page = await html.text();
    assert.match(page, /<h1 /, path);
    assert.doesNotMatch(page, /\{\{|undefined|\[object/, path);
    const markdown = await fetch(`${server.base}${path}.md`);
    assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(await markdown.text(), /^# /);
  }
});

test('every link within the site leads to a page, and to a heading of it', async () => {
  const lost: string[] = [];
  for (const path of paths) {
    for (const [, target] of (await text(path)).matchAll(/href="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(target!)) continue;
      const { href, hash } = new URL(target!, server.base + path);
      const anchor = hash.slice(1);
      const answer = await fetch(href);
      const found = answer.status === 200 && (!anchor || (await answer.text()).includes(`id="${anchor}"`));
      if (!found) lost.push(`${path} → ${target}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('the examples are about a wallet and a validator of the dataset, whatever chain it is of', async () => {
  const account = operatorAccount(OPERATORS.bravo);
  const content = {
    ...recordedContent(),
    wallets: { [account]: recordedEvents(WALLETS.busy).map((event) => ({ ...event, address: account })) },
    flagged: [],
    validators: [[OPERATORS.bravo, 'Bravo', true]] as const,
  };
  const other = await startServer({ published: false, environment: { HUBLEDGER_RPC_URLS: 'http://127.0.0.1:9' } });
  try {
    const markdown = async (page: string) => (await fetch(`${other.base}/docs${page}.md`)).text();
    assert.match(
      await markdown('/validator'),
      new RegExp(PARAMETERS.validator.example),
      'before anything is published',
    );
    await publish(other.dataDir, HEIGHT, content);
    await other.datasets.refresh();
    assert.match(await markdown('/validator'), new RegExp(`validator=${OPERATORS.bravo}&`));
    for (const guide of ['', '/tax-year', '/accountant', '/program'])
      assert.match(await markdown(guide), new RegExp(account));
  } finally {
    await other.close();
  }
});

test('the examples of the guides are answered', async () => {
  for (const path of paths) {
    const markdown = await text(`${path}.md`);
    for (const [, url] of markdown.matchAll(/'https:\/\/tax\.example(\/api\/[^']*)'/g)) {
      if (!markdown.includes(`curl '`) || url!.includes('${')) continue;
      const isPost = markdown.includes(`-X POST 'https://tax.example${url}'`);
      if (isPost || !url!.includes('?')) continue;
      const { status } = await fetch(server.base + url);
      assert.ok(
        [200, 404].includes(status) && (status === 200 || url!.includes('validator')),
        `${path}: ${url} ${status}`,
      );
    }
  }
});

test('the page of files describes every layout that the catalog lists', async () => {
  const { export_formats } = (await (await fetch(`${server.base}/api/tax/v1/catalog`)).json()) as Catalog;
  const files = await text('/docs/files.md');
  for (const { profile, description } of export_formats.filter((format) => format.profile !== '')) {
    assert.ok(files.includes(`\`profile=${profile}\`. ${description}`), profile);
  }
});

test('the reference has every path, and the search finds it', async () => {
  const reference = await text('/docs/reference');
  const found = await text('/docs/search.json');
  for (const { path, method } of withServiceEndpoints(readConfig({}), endpoints)) {
    assert.ok(reference.includes(`${method} ${path}`.replace('&', '&amp;')), path);
    assert.ok(found.includes(`${method} ${path}`), path);
  }
});

test('the reference says what /llms.txt says: who may ask, which values there are, and placeholders as such', async () => {
  const markdown = await text('/docs/reference.md');
  const page = await text('/docs/reference');
  const llms = await text('/llms.txt');
  const needs = (of: string) => of.match(/Needs a [^.]+\./g) ?? [];
  assert.ok(needs(llms).length > 20);
  assert.deepEqual(needs(markdown), needs(llms));
  assert.match(markdown, /\| `profile` \|.* One of quickbooks, .*form8949\. \|/);
  const placeholders = Object.values(PARAMETERS).flatMap(({ description }) => description.match(/<\w+>/g) ?? []);
  assert.ok(placeholders.length > 0);
  for (const one of placeholders) assert.ok(page.includes(escapeHtml(one)) && !page.includes(one), one);
  assert.doesNotMatch(await text('/docs/files.md'), /events` or\n\n/);
});
