/** A page with an origin of its own on a loopback port, opened in a real browser, which sends back what its script finds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Arguments of the browser. It has no sandbox, since tests often run as root in a container; it asks nothing but loopback. */
export const SETTINGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
];

const SHELL = '<!doctype html><body><script type="module" src="/page.js"></script>';
/** Time that a script may take: longer than a slow machine needs. */
const SCRIPT_TIMEOUT_MS = 120_000;

export class BrowserPage {
  private told: (found: unknown) => void = () => {};
  private script = '';

  private constructor(
    private readonly program: string,
    private readonly server: Server,
  ) {}

  /** Starts a browser. @param program its path */
  static async start(program: string): Promise<BrowserPage> {
    const server = createServer();
    const page = new BrowserPage(program, server);
    server.on('request', async (request, response) => {
      if (request.method === 'POST') page.told(JSON.parse((await request.setEncoding('utf8').toArray()).join('')));
      const [type, body] = request.url === '/' ? ['text/html', SHELL] : ['text/javascript', page.module];
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return page;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private get module(): string {
    const failure = '(error) => ({ failure: String(error) })';
    const tell = `(found) => fetch('/told', { method: 'POST', body: JSON.stringify(found) })`;
    return `(async () => { ${this.script} })().catch(${failure}).then(${tell});`;
  }

  /**
   * Opens the page anew.
   * @param script body of an asynchronous function; what it returns is JSON
   * @throws Error when the browser ends before the script does, or the script does not end
   */
  async run<Found>(script: string): Promise<Found> {
    this.script = script;
    const told = new Promise<unknown>((resolve) => {
      this.told = resolve;
    });
    const folder = mkdtempSync(join(tmpdir(), 'hubledger-browser-'));
    const options = [...SETTINGS, ...QUIET, `--user-data-dir=${folder}`, `${this.origin}/`];
    const browser = spawn(this.program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the page tells nothing')), SCRIPT_TIMEOUT_MS);
    });
    try {
      return (await Promise.race([told, earlyEnd(browser), tooLate])) as Found;
    } finally {
      clearTimeout(timer);
      if (browser.exitCode === null && browser.kill('SIGTERM')) await once(browser, 'close');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

async function earlyEnd(browser: ChildProcess): Promise<never> {
  let said = '';
  browser.stderr!.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  const [code] = await once(browser, 'close');
  throw new Error(`the browser ended with ${code}: ${said}`);
}
