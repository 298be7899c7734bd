/** A real browser on the pages of a server. What a page must never do is collected, and fails the test that closes it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { removeFolder } from '../../../../remove-folder.js';
import { IS_NIGHT } from '../../../../requirements.js';
import { type BrowserProcess, PATIENCE_MS, startBrowser } from '../../../browser-process.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WIDTHS = [390, 820, 1440] as const;
const SCHEMES = ['light', 'dark'] as const;

export const ALL_LOOKS = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })));

/** Looks in which axe examines a state: a phone in the dark and a desktop in the light, and every look at night. */
export const LOOKS: typeof ALL_LOOKS = IS_NIGHT
  ? ALL_LOOKS
  : [
      { width: 390, scheme: 'dark' },
      { width: 1440, scheme: 'light' },
    ];

/** A page that scrolls softly would be pressed beside its buttons. */
const featuresOf = (scheme: string) => [
  { name: 'prefers-color-scheme', value: scheme },
  { name: 'prefers-reduced-motion', value: 'reduce' },
];

export interface Look {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** Language of the browser; English when not given, whatever the machine speaks. */
  readonly language?: string;
  /** Time zone of the browser; UTC when not given. */
  readonly timezone?: string;
  /** Puts what an extension of the browser would into the page, before it loads. */
  readonly extension?: (page: Page) => Promise<void>;
  /** Whether the page leads to pages of others, whose requests and errors are theirs. */
  readonly leaves?: true;
}

/** Makes a page set `wasShown` from its next load on, once it shows a text. It may show the text for a moment only. */
export const watchFor = (words: RegExp) => async (page: Page) =>
  void (await page.evaluateOnNewDocument(`{
    globalThis.wasShown = false;
    const look = () => { wasShown ||= ${words}.test(document.body?.textContent ?? ''); };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
  }`));

export class Browser {
  /** Screenshots of every state, which the tests leave for people to look at. */
  readonly screenshots = mkdtempSync(join(tmpdir(), 'hubledger-screenshots-'));
  private readonly downloads = mkdtempSync(join(tmpdir(), 'hubledger-downloads-'));
  private visits = 0;

  private constructor(
    private readonly process: BrowserProcess,
    private readonly base: string,
  ) {}

  static async start(program: string, base: string): Promise<Browser> {
    return new Browser(await startBrowser(program), base);
  }

  /** Opens a page as somebody who has never been there: nothing is kept from page to page. */
  open(path: string, look: Look = {}): Promise<Visit> {
    return this.openAt(this.base + path, look);
  }

  /** Opens a page of any origin. */
  async openAt(
    url: string,
    { width = 1440, scheme = 'light', language = 'en-US', timezone = 'UTC', extension, leaves }: Look = {},
  ): Promise<Visit> {
    const downloads = join(this.downloads, String(this.visits++));
    mkdirSync(downloads);
    const context = await this.process.browser.createBrowserContext({
      downloadBehavior: { policy: 'allow', downloadPath: downloads },
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const session = await page.createCDPSession();
    const userAgent = await this.process.browser.userAgent();
    await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language });
    await session.send('Emulation.setTimezoneOverride', { timezoneId: timezone });
    const offences: string[] = [];
    page.on('pageerror', (error) => offences.push(`error: ${(error as Error).message}`));
    page.on('console', (message) => message.type() === 'error' && offences.push(`console: ${message.text()}`));
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${this.base}/`)) {
        offences.push(`leaves the origin: ${request.url()}`);
      }
      const { pathname, search } = new URL(request.url());
      if (/cosmos1/.test(pathname + search)) {
        offences.push(`has a wallet in its URL: ${request.url()}`);
      }
    });
    await page.exposeFunction('reportBreach', (breach: string) => offences.push(`breaks its policy: ${breach}`));
    await page.evaluateOnNewDocument(`{
      globalThis.shifted = 0;
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifted += value;
      }).observe({ type: 'layout-shift', buffered: true });
    }`);
    await page.evaluateOnNewDocument(
      "addEventListener('securitypolicyviolation', (e) => reportBreach(e.violatedDirective + ' ' + e.blockedURI))",
    );
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures(featuresOf(scheme));
    await page.emulateFocusedPage(true); // else :focus matches nothing until the system has put this window in front
    await extension?.(page);
    await page.goto(url);
    await page.waitForSelector(
      '.footer p:nth-child(2), .lone, .docs, .prose, .statement .title, .account h1:not([aria-busy=true] *), hubledger-income',
    );
    return new Visit(page, leaves ? [] : offences, downloads, async (name, look = { width, scheme }) => {
      const file = join(this.screenshots, `${name}-${look.width}-${look.scheme}.png`) as `${string}.png`;
      await page.screenshot({ path: file, fullPage: true });
    });
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await removeFolder(this.downloads);
  }
}

export interface Stated {
  /** By row id, of all wallets. */
  readonly decisions: Readonly<Record<string, { readonly mode: string }>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly openingLots: readonly { readonly quantity: string }[];
  readonly carry: boolean;
}

export interface Downloaded {
  readonly name: string;
  readonly text: string;
  readonly bytes: Buffer;
}

export class Visit {
  private readonly downloadedNames = new Set<string>();

  constructor(
    readonly page: Page,
    private readonly offences: readonly string[],
    private readonly downloads: string,
    /** Leaves a picture of the whole page. @param look the one that the page was opened in, where none is given */
    readonly screenshot: (name: string, look?: Look) => Promise<void>,
  ) {}

  /** Presses the button or link with this name, among those that a selector finds. */
  async press(name: string, within = 'body'): Promise<void> {
    const found = await this.page.waitForSelector(`${within} ::-p-aria([name="${name}"])`);
    await this.click(found!);
  }

  /** Clicks an element in the middle of the screen once it stands still, as a person would who scrolls to it: nothing lies over it there. */
  async click(element: ElementHandle): Promise<void> {
    await element.evaluate((one) => one.scrollIntoView({ block: 'center' }));
    await element.asLocator().click();
  }

  /** Tells whether the whole of an element is on the screen. */
  isOnScreen(selector: string): Promise<boolean> {
    return this.page.$eval(selector, (element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return bottom > top && top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight;
    });
  }

  /**
   * Replaces the text of a field as a person does: selects it and types. Puppeteer's `fill` empties the field without an
   * event, so a page that renders at that moment puts the old text back.
   */
  async fill(selector: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(selector);
    await field!.focus();
    await field!.evaluate((one) => (one as unknown as { select(): void }).select());
    await this.page.keyboard.sendCharacter(text);
  }

  /** Presses a question of the bar at a glance. */
  async pressQuestion(title: string): Promise<void> {
    await this.click((await this.page.waitForSelector(`#open-bar button ::-p-text(${title})`))!);
  }

  /** Waits until the figures of the last question are there, with rows, charts and files. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('.sheets:not(.stale)');
    await this.page.waitForSelector('.footer p:nth-child(2)');
    await this.loaded();
  }

  /** Waits until the page says that it has all that it asked for: of its requests alone a busy machine tells too little. */
  async loaded(): Promise<void> {
    await this.page.waitForFunction(
      `document.querySelector('main') && !document.querySelector('[aria-busy=true], .sheets.stale')`,
    );
  }

  /** Statements of its owner that the page keeps. */
  async stated(): Promise<Stated> {
    const kept = JSON.parse(String(await this.page.evaluate('localStorage.getItem("hubledger.statements")')));
    const ofAll = (byWallet: object) => Object.assign({}, ...Object.values(byWallet));
    const carry = Object.values(kept.own).includes(true);
    return { ...kept, decisions: ofAll(kept.decisions), tags: ofAll(kept.tags), carry };
  }

  /**
   * Opens a question, which can be found as #asked from then on, with all that is folded in it; without a title: all there is but the
   * previews of files.
   */
  async unfold(title = ''): Promise<void> {
    // A body is rendered some time after its question opens, and may contain more to open.
    await this.page.waitForFunction(`(() => {
      const title = ${JSON.stringify(title)};
      const asked = [...document.querySelectorAll('.question')].find((one) => one.querySelector('h3')?.textContent === title);
      if (title && !asked) return false;
      if (asked) asked.id = 'asked';
      const all = [...(asked ?? document).querySelectorAll('details:not(.file *)'), ...(asked ? [asked] : [])];
      const folded = all.filter(({ open }) => !open);
      for (const one of folded) one.open = true;
      return folded.length === 0 && all.every(({ children }) => children.length > 1);
    })()`);
    await this.loaded();
  }

  /** Pastes a text into an element. */
  async paste(selector: string, text: string): Promise<void> {
    await this.page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${JSON.stringify(text)});
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
    }`);
  }

  /** The texts of elements. */
  texts(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (all) => all.map((one) => (one.textContent ?? '').replace(/\s+/g, ' ').trim()));
  }

  /** The figures that elements show, as the API wrote them. */
  figures(selector: string): Promise<string[]> {
    return this.page.$$eval(`${selector} data`, (all) => all.map((one) => one.getAttribute('value')!));
  }

  /** The share of the screen that has moved by itself since the page began to load. */
  async layoutShift(): Promise<number> {
    const drawn = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';
    await this.page.evaluate(`${drawn}.then(() => ${drawn})`); // shifts are told after the frame that they are in
    return Number(await this.page.evaluate('shifted'));
  }

  /**
   * Requires that nothing is wider than the screen: this one, that of a phone, and a desktop's at four times the size. Pages keep room for
   * a scrollbar, which is no room for them: the root element is measured, not the screen.
   */
  async requireNarrow(what = ''): Promise<void> {
    const { width, height } = this.page.viewport()!;
    for (const narrow of [390, 320, width]) {
      await this.page.setViewport({ width: narrow, height });
      const { scrolled, shown } = await this.page.$eval('html', (root) => {
        return { scrolled: root.scrollWidth, shown: root.getBoundingClientRect().width };
      });
      assert.ok(scrolled <= Math.ceil(shown), `${what} is ${scrolled} pixels wide on a screen of ${narrow}`);
    }
  }

  /** Requires that a state has no finding of axe and no width that it overflows, on phones and screens, in light and in dark. */
  async requireEveryLook(name: string, looks = LOOKS): Promise<void> {
    const { page } = this;
    for (const { width, scheme } of looks) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures(featuresOf(scheme));
      assert.deepEqual(await this.accessibility(), [], `${name} at ${width} pixels, ${scheme}`);
      await this.screenshot(name, { width, scheme });
    }
    await this.requireNarrow(name);
    await page.setViewport({ width: 1440, height: 900 });
  }

  /** Every finding of axe, of any level. */
  async accessibility(): Promise<string[]> {
    if (!(await this.page.evaluate("'axe' in globalThis"))) await this.page.evaluate(axeSource);
    const { passes, violations } = (await this.page.evaluate('axe.run(document)')) as {
      passes: unknown[];
      violations: { id: string; nodes: { html: string }[] }[];
    };
    assert.ok(passes.length > 10, 'axe has looked');
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }

  /** Waits for the one file that an act downloads, which no act of this visit has downloaded before. @returns its name and content */
  async downloaded(act: () => Promise<void>): Promise<Downloaded> {
    // A browser may hold back one of many files that a page hands over: a person would press again.
    for (let attempt = 0; attempt < 5; attempt++) {
      await act();
      for (const end = Date.now() + 20_000; Date.now() < end; ) {
        const file = this.takeDownload();
        if (file) return file;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    throw new Error('nothing was downloaded');
  }

  /** Takes a file out of the folder of downloads; the copy that comes late after a second press is passed over. */
  private takeDownload(): Downloaded | undefined {
    for (const file of readdirSync(this.downloads).filter((one) => !one.endsWith('.crdownload'))) {
      const name = file.replace(/ \(\d+\)(?=\.\w+$)/, '');
      const bytes = readFileSync(join(this.downloads, file));
      rmSync(join(this.downloads, file));
      if (this.downloadedNames.has(name)) continue;
      this.downloadedNames.add(name);
      return { name, text: bytes.toString(), bytes };
    }
    return undefined;
  }

  /** Closes the page. The page must have made no error, broken no policy, and asked nothing of other origins. */
  async close(): Promise<void> {
    await this.page.browserContext().close();
    assert.deepEqual(this.offences, []);
  }
}
