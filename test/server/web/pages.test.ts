/** Pages as the server sends them: their policy, the files they load, and refusals for people and for programs. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isZone } from '../../../pipeline/base/values/zone-names.js';
import { WEB_FOLDER } from '../../../server/http/web-pages.js';
import { startServer, type TestServer } from '../harness.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const get = (path: string, init: RequestInit = {}) => fetch(server.base + path, { redirect: 'manual', ...init });
const asBrowser = (path: string) => get(path, { headers: { accept: BROWSER } });

/** The files that a page names. */
const assetsOf = (html: string) => [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

describe('the report page', () => {
  test('may load and ask nothing but its own origin, and runs no inline script or style', async () => {
    const response = await asBrowser('/');
    const policy = response.headers.get('content-security-policy')!;
    assert.equal(response.status, 200);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:|data:/);
    const html = await response.text();
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//, 'no third-party host');
  });

  test('is asked for each time, and is not sent twice', async () => {
    const response = await asBrowser('/');
    assert.equal(response.headers.get('cache-control'), 'public, no-cache');
    const again = await get('/', { headers: { 'if-none-match': response.headers.get('etag')! } });
    assert.equal(again.status, 304);
  });

  test('names files that are kept for good, in the coding that the browser takes', async () => {
    const html = await (await asBrowser('/')).text();
    const assets = assetsOf(html);
    assert.ok(assets.length >= 3);
    for (const path of assets) {
      const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
      assert.equal(plain.status, 200, path);
      assert.match(path, /-[0-9A-Z]{8}\.(?:js|css|svg)$/);
      assert.match(plain.headers.get('cache-control')!, /max-age=31536000,\s?immutable/);
      const text = await plain.text();
      const head = await get(path, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
      assert.equal(head.headers.get('content-encoding'), 'br');
      assert.equal(head.headers.get('vary'), 'Accept-Encoding');
      // fetch unpacks by itself: that both codings are the same text shows that neither is packed twice.
      for (const coding of ['br', 'gzip']) {
        const coded = await get(path, { headers: { 'accept-encoding': coding } });
        assert.equal(coded.headers.get('content-encoding'), coding);
        assert.equal(await coded.text(), text);
      }
    }
  });

  test('loads at most 100 kB of scripts, compressed, with the scripts that these import', async () => {
    const assets = join(WEB_FOLDER, 'assets');
    const scripts = new Set<string>();
    const add = (name: string) => {
      if (scripts.has(name)) return;
      scripts.add(name);
      const imports = readFileSync(join(assets, name), 'utf8').matchAll(/"\.\/([\w.-]+\.js)"/g);
      for (const [, imported] of imports) add(imported!);
    };
    for (const path of assetsOf(await (await asBrowser('/')).text())) if (path.endsWith('.js')) add(basename(path));
    const bytes = [...scripts].reduce((sum, name) => sum + statSync(join(assets, `${name}.gz`)).size, 0);
    assert.ok(scripts.size > 3 && bytes <= 100_000, `${bytes} bytes`);
  });
});

describe('files', () => {
  test('of other names, of folders above, and compressed ones by themselves are not there', async () => {
    const [asset] = assetsOf(await (await asBrowser('/')).text());
    const others = [
      '/assets/',
      '/assets/nothing-00000000.js',
      `${asset}.br`,
      '/assets/..%2freport.html',
      '/assets/%2e%2e/icon.svg',
    ];
    for (const path of others) assert.equal((await get(path)).status, 404, path);
  });

  test('are only read', async () => {
    const [asset] = assetsOf(await (await asBrowser('/')).text());
    const response = await get(asset!, { method: 'POST' });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
  });

  test('are compressed as the build has left them', () => {
    const assets = join(WEB_FOLDER, 'assets');
    const names = readdirSync(assets);
    for (const name of names.filter((one) => /\.(?:js|css|svg)$/.test(one))) {
      assert.ok(names.includes(`${name}.br`) && names.includes(`${name}.gz`), name);
    }
  });
});

describe('refusals', () => {
  test('are pages for people and problems for programs', async () => {
    const page = await asBrowser('/nowhere');
    assert.equal(page.status, 404);
    assert.match(page.headers.get('content-type')!, /^text\/html/);
    assert.match(page.headers.get('vary')!, /Accept\b(?!-)/);
    assert.match(await page.text(), /<h1>Page not found<\/h1>/);
    for (const path of ['/nowhere', '/api/tax/v1/nowhere']) {
      assert.equal((await get(path)).headers.get('content-type'), 'application/problem+json', path);
    }
    const api = await asBrowser('/api/tax/v1/nowhere');
    assert.equal(api.headers.get('content-type'), 'application/problem+json', 'the API speaks to programs');
  });

  test('show what was asked for as text', async () => {
    const html = await (await asBrowser('/%3Cimg%20src=x%20onerror=alert(1)%3E<b>"\'')).text();
    assert.doesNotMatch(html, /<b>|<img/);
  });

  test('say while there is no dataset that it takes a while', async () => {
    const empty = await startServer({ published: false });
    const response = await fetch(`${empty.base}/report/dataset.json`, { headers: { accept: BROWSER } });
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.match(await response.text(), /Please try again in a few minutes/);
    assert.equal((await fetch(empty.base, { headers: { accept: BROWSER } })).status, 200, 'the page itself is there');
    await empty.close();
  });
});

test('pages propose the zone of the operator, and list all zones that the API accepts', async () => {
  const zones = (await (await get('/report/zones.json')).json()) as string[];
  for (const name of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Asia/Calcutta']) assert.ok(zones.includes(name), name);
  assert.ok(zones.every(isZone));
  assert.match(await (await asBrowser('/')).text(), /data-timezone=""/);
  const tokyo = await startServer({ published: false, environment: { HUBLEDGER_TIMEZONE: 'Asia/Tokyo' } });
  for (const path of ['/', '/holdings']) {
    const page = await fetch(tokyo.base + path, { headers: { accept: BROWSER } });
    assert.match(await page.text(), /data-timezone="Asia\/Tokyo"/, path);
  }
  await tokyo.close();
});

test('crawlers and browsers find what they look for', async () => {
  const robots = await (await get('/robots.txt')).text();
  assert.match(robots, /^User-agent: \*\nDisallow: \/api\/\n\nSitemap: https:\/\/tax\.example\/sitemap\.xml\n$/);
  const sitemap = await (await get('/sitemap.xml')).text();
  for (const [, path] of sitemap.matchAll(/<loc>https:\/\/tax\.example([^<]*)<\/loc>/g)) {
    assert.equal((await get(path!)).status, 200, path);
  }
  assert.equal((await get('/favicon.ico')).headers.get('content-type'), 'image/svg+xml');
});
