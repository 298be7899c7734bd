/** A browser of the tests and its profile, of which nothing is left once it stops. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { removeFolder } from '../remove-folder.js';

/**
 * Chromium makes these ready for whoever types into its address bar, or goes on to another site. Nobody does, and for each new window they
 * cost more than a page.
 */
const AHEAD_OF_TIME = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];

/** The browser has no sandbox, since tests often run as root in a container; it asks nothing but loopback. */
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'],
  `--disable-features=${AHEAD_OF_TIME}`,
];

/** Milliseconds that a browser, a page or an element has to appear: longer than a slow machine at work on other tests needs. */
export const PATIENCE_MS = 120_000;

export interface BrowserProcess {
  readonly browser: Browser;
  readonly stop: () => Promise<void>;
}

/** Starts a browser with an empty profile. @param program its path */
export async function startBrowser(program: string): Promise<BrowserProcess> {
  const profile = mkdtempSync(join(tmpdir(), 'hubledger-browser-'));
  const browser = await puppeteer.launch({
    executablePath: program,
    args: ARGUMENTS,
    userDataDir: profile,
    timeout: PATIENCE_MS,
    protocolTimeout: 2 * PATIENCE_MS,
  });
  return {
    browser,
    async stop() {
      await browser.close();
      await removeFolder(profile);
    },
  };
}
