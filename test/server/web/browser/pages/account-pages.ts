/** The account's page in a real browser: a server that knows its own URL, a wallet that signs for real, and every look of a state. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { Page } from 'puppeteer-core';
import { programs } from '../../../../requirements.js';
import { startServer, type TestServer } from '../../../harness.js';
import { makeWallet, type TestWallet } from '../../../people/accounts/wallet.js';
import { freePort } from '../../../processes/free-port.js';
import type { Content } from '../../../published.js';
import { Browser, type Look, type Visit } from './browser.js';

/** The extension of a wallet, which signs for real. */
export const extensionOf = (wallet: TestWallet) => async (page: Page) => {
  await page.exposeFunction('signForTest', (text: string) => wallet.sign(text));
  await page.evaluateOnNewDocument(`window.keplr = {
    enable: async () => {},
    getKey: async () => ({ bech32Address: ${JSON.stringify(wallet.address)} }),
    signArbitrary: async (chain, signer, text) => {
      const { pub_key, signature } = await signForTest(text);
      return { pub_key: { value: pub_key }, signature };
    },
  }`);
};

/** Signs in on the account's page by the wallet's extension. */
export async function signIn(visit: Visit): Promise<void> {
  await visit.press('Sign in with my wallet');
  await visit.page.waitForSelector('#keys');
  await visit.loaded();
}

/** Describes tests of the account's page, with a server and a browser of their own. @param content replaces the recorded wallets */
export function describeAccount(name: string, tests: (pages: AccountPages) => void, content?: Content): void {
  for (const program of programs('browser')) {
    describe(name, () => {
      const pages = new AccountPages();
      before(() => pages.start(program, undefined, content));
      after(() => pages.stop());
      tests(pages);
    });
  }
}

export class AccountPages {
  server!: TestServer;
  browser!: Browser;
  wallet!: TestWallet;

  /**
   * @param program path of the browser
   * @param settings of the server at its URL, beside its port
   * @param content that is published in place of the recorded wallets
   */
  async start(
    program: string,
    settings: (base: string) => Promise<Record<string, string>> = async () => ({}),
    content?: Content,
  ): Promise<void> {
    const port = String(await freePort());
    const base = `http://127.0.0.1:${port}`;
    const environment = { HUBLEDGER_PORT: port, HUBLEDGER_BASE_URL: base, ...(await settings(base)) };
    this.server = await startServer({ environment, ...(content && { content }) });
    await this.server.store.open(); // with the first sign-in, else, which may take longer than a page waits
    this.browser = await Browser.start(program, base);
    this.wallet = await makeWallet();
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.server.close();
  }

  /** Opens a page in a fresh browser that has the wallet's extension. */
  visit(path = '/account', look: Look = {}): Promise<Visit> {
    return this.browser.open(path, { ...look, extension: extensionOf(this.wallet) });
  }

  /** Opens the account's page in a fresh browser, and signs in. */
  async signIn(look: Look = {}): Promise<Visit> {
    const visit = await this.visit('/account', look);
    await signIn(visit);
    return visit;
  }

  /** Unfolds the form with this title. */
  async unfold(visit: Visit, title: string): Promise<void> {
    await visit.page.locator(`summary ::-p-text(${title})`).click();
  }

  /** Presses a button that asks first, confirms, and waits until the page has led on to what came of it. */
  async confirm(visit: Visit, button: string, yes: string): Promise<void> {
    await visit.press(button);
    await visit.page.waitForSelector('dialog[open]');
    await visit.press(yes, 'dialog[open]');
    await visit.page.waitForFunction('document.activeElement.matches("h2, [role=status], [role=alert]")');
    await visit.loaded();
  }

  /** Presses Tab until an element with this text has the focus, as who has no mouse does. */
  async tabTo({ page }: Visit, text: string): Promise<void> {
    const focused = `(() => {
      const { labels, textContent } = document.activeElement;
      return (labels?.[0]?.textContent ?? textContent).replace(/\\s+/g, ' ').trim().slice(0, 60);
    })()`;
    const seen: unknown[] = [];
    while (seen.at(-1) !== text.slice(0, 60)) {
      assert.ok(seen.length < 60, `no way by Tab to ${text}: ${seen.join(' | ')}`);
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate(focused));
    }
  }
}
