/** A tab of a real browser with nothing kept in it, and what its own instruments tell of a page. */
import puppeteer, { type Browser, type CDPSession, type Page } from 'puppeteer-core';

/** The browser has no sandbox, since benchmarks often run as root in a container; it asks nothing but loopback. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'];

/** Milliseconds that a large wallet may take until all of its rows are there. */
const PATIENCE_MS = 120_000;

/** A task of the page's main thread in a trace: its processor time in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
}

export class BrowserTab {
  /** Bytes of scripts as they were sent, compressed. */
  scriptBytes = 0;

  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async open(program: string, url: string): Promise<BrowserTab> {
    const browser = await puppeteer.launch({ executablePath: program, args: ARGUMENTS });
    const page = await browser.newPage();
    const session = await page.createCDPSession();
    const tab = new BrowserTab(browser, page, session);
    await tab.countScripts();
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(url);
    return tab;
  }

  private async countScripts(): Promise<void> {
    const scripts = new Set<string>();
    await this.session.send('Network.enable');
    this.session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId));
    this.session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) this.scriptBytes += encodedDataLength;
    });
  }

  /** Waits until the page has all that it asked for, and nothing left to do with it. */
  async isQuiet(): Promise<void> {
    await this.waitFor(
      `document.querySelector('.footer p:nth-child(2)') && !document.querySelector('[aria-busy=true]')`,
    );
    await this.page.evaluate(
      'new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(() => resolve())))',
    );
  }

  async waitFor(expression: string): Promise<void> {
    await this.page.waitForFunction(expression, { timeout: PATIENCE_MS });
  }

  async firstPaint(): Promise<number> {
    return Number(await this.page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
  }

  /** The sum of all layout shifts so far, none of which a person has caused here. */
  async layoutShift(): Promise<number> {
    const sum = await this.page.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
        .observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(0), 500);
    })`);
    return Number(sum);
  }

  /** Scrolls an element from top to bottom, screen by screen. */
  async scroll(selector: string, steps: number): Promise<void> {
    await this.page.evaluate(`(async () => {
      const element = document.querySelector('${selector}');
      for (let step = 0; step <= ${steps}; step++) {
        element.scrollTop = (element.scrollHeight * step) / ${steps};
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      }
    })()`);
  }

  /** Milliseconds of processor time of the longest task of the page during an act, which do not depend on who else uses the machine. */
  async longestTask(act: () => Promise<void>): Promise<number> {
    await this.page.tracing.start({ categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    await act();
    const trace = await this.page.tracing.stop();
    const { traceEvents }: { traceEvents: (TraceEvent & { args: { name?: string } })[] } = JSON.parse(
      Buffer.from(trace!).toString(),
    );
    const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
    const isOfPage = ({ pid, tid }: TraceEvent) => main.some((thread) => thread.pid === pid && thread.tid === tid);
    const tasks = traceEvents.filter((event) => event.name === 'RunTask' && isOfPage(event));
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
  }

  /** Megabytes of the page's scripts and document after a collection of garbage. */
  async memoryMB(): Promise<number> {
    await this.session.send('HeapProfiler.collectGarbage');
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await this.session.send('Runtime.getHeapUsage');
    return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1e6;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
