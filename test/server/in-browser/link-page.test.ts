/** The page of a sign-in link in a real browser, which decides what `Origin` its form has. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { securityHeaders } from '../../../server/api/middleware/every-request.js';
import { readPage } from '../../../server/http/web-pages.js';
import { programs } from '../../requirements.js';
import { PATIENCE_MS, startBrowser } from '../browser-process.js';

/** Serves the page under the headers of every answer, with a script in place of the hand that presses its button. */
async function servePage(t: TestContext) {
  const page = readPage('link.html').replace('</form>', '</form><script>document.forms[0].requestSubmit()</script>');
  const headers = { ...securityHeaders(readConfig({})), 'Content-Security-Policy': '', 'Content-Type': 'text/html' };
  let tell: (request: IncomingMessage) => void;
  const sent = new Promise<IncomingMessage>((resolve) => {
    tell = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === 'POST') tell(request);
    response.writeHead(200, headers).end(request.method === 'GET' ? page : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

for (const program of programs('browser')) {
  test('its form is sent from the origin of the page, to the page itself', async (t) => {
    const { origin, sent } = await servePage(t);
    const { browser, stop } = await startBrowser(program);
    t.after(stop);
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${origin}/link/a`);
    const { url, headers } = await sent;
    assert.deepEqual([url, headers.origin], ['/link/a', origin]);
  });
}
