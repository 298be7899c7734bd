/** A server and a browser for the tests of a file or a suite, as `sharedServer` is one without a browser. */
import { after, before } from 'node:test';
import { type ServerOptions, sharedServer, type TestServer } from '../../../harness.js';
import { Browser } from './browser.js';

/** Both start before the first test. After the last the browser stops first: a server waits for the connections that a browser keeps. */
export function sharedPages(program: string, options?: ServerOptions): { server: TestServer; browser: Browser } {
  const browser: Browser = Object.create(Browser.prototype);
  after(() => browser.stop());
  const server = sharedServer(options);
  before(async () => void Object.assign(browser, await Browser.start(program, server.base)));
  return { server, browser };
}
