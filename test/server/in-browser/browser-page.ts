/** A page with an origin of its own on a loopback port, opened in a real browser, which runs scripts in it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserProcess, PATIENCE_MS, startBrowser } from '../browser-process.js';

export class BrowserPage {
  private constructor(
    private readonly browser: BrowserProcess,
    private readonly server: Server,
  ) {}

  /** Starts a browser. @param program its path */
  static async start(program: string): Promise<BrowserPage> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new BrowserPage(await startBrowser(program), server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Opens the page anew, as somebody who has never been there.
   * @param script body of an asynchronous function; what it returns is JSON
   * @throws Error when the script fails or does not end
   */
  async run<Found>(script: string): Promise<Found> {
    const context = await this.browser.browser.createBrowserContext();
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(this.origin);
      return (await page.evaluate(`(async () => { ${script} })()`)) as Found;
    } finally {
      await context.close();
    }
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
