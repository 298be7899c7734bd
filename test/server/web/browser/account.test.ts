/** An account in a real browser: signed in by a wallet that signs for real, with keys, and decisions that a fresh browser has. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { makeWallet, type TestWallet } from '../../accounts/wallet.js';
import { startServer, type TestServer, WALLETS } from '../../harness.js';
import { Browser, type Visit } from './browser.js';

let server: TestServer;
let browser: Browser;
let wallet: TestWallet;

/** A port that nobody listens on: the service must know its own URL before it listens. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Opens a page in a fresh browser that has the wallet's extension. */
const visit = (path: string): Promise<Visit> =>
  browser.open(path, {
    extension: async (page) => {
      await page.exposeFunction('signForTest', (text: string) => wallet.sign(text));
      await page.evaluateOnNewDocument(`window.keplr = {
        enable: async () => {},
        getKey: async () => ({ bech32Address: ${JSON.stringify(wallet.address)} }),
        signArbitrary: async (chain, signer, text) => {
          const { pub_key, signature } = await signForTest(text);
          return { pub_key: { value: pub_key }, signature };
        },
      }`);
    },
  });

async function signIn(): Promise<Visit> {
  const page = await visit('/account');
  assert.deepEqual(await page.accessibility(), []);
  await page.press('Sign in with my wallet');
  await page.page.waitForSelector('#keys');
  await page.page.waitForNetworkIdle({ idleTime: 200 });
  return page;
}

for (const program of programs('browser')) {
  describe('an account', () => {
    before(async () => {
      const port = await freePort();
      const environment = { HUBLEDGER_PORT: String(port), HUBLEDGER_BASE_URL: `http://127.0.0.1:${port}` };
      server = await startServer({ environment });
      browser = await Browser.start(program, server.base);
      wallet = await makeWallet();
    });
    after(async () => {
      await browser.stop();
      await server.close();
    });

    test('is entered by a signature, and makes a key that works until it is ended', async () => {
      const page = await signIn();
      await page.page.type('#key-name', 'ledger export');
      await page.press('Make the key');
      await page.page.waitForSelector('.secret');
      const [key] = await page.texts('.secret');
      assert.match(key!, /^hl_/);
      assert.deepEqual(await page.accessibility(), []);
      await page.screenshot('account');
      const asKey = () =>
        fetch(`${server.base}/api/tax/v1/events?address=${WALLETS.light}`, {
          headers: { authorization: `Bearer ${key}` },
        });
      assert.equal((await asKey()).status, 200);
      await page.page.reload();
      await page.page.waitForSelector('#keys td');
      assert.equal((await page.texts('.secret')).length, 0, 'shown once');
      await page.press('End ledger export');
      await page.page.waitForFunction('!document.querySelector("#keys td")');
      assert.equal((await asKey()).status, 401);
      await page.press('Sign out');
      await page.page.waitForFunction('document.querySelector("h1").textContent === "Sign in"');
      await page.close();
    });

    test('keeps decisions, which are there in a fresh browser', async () => {
      const first = await signIn();
      await first.page.goto(`${server.base}/#addresses=${WALLETS.flagged}&year=2026`);
      await first.settled();
      await first.unfold('Suspicious receipts');
      await first.press('Keep', '#asked');
      await first.settled();
      assert.match((await first.texts('#settle')).join(), /Saved with your account/);
      await first.close();
      const second = await signIn();
      await second.page.goto(`${server.base}/#addresses=${WALLETS.flagged}&year=2026`);
      await second.settled();
      const { decisions } = await second.stated();
      assert.deepEqual(
        Object.values(decisions).map(({ mode }) => mode),
        ['keep'],
      );
      await second.close();
    });

    test('is offered to nobody without a wallet, who can use the report all the same', async () => {
      const page = await browser.open('/account');
      assert.match((await page.texts('.notice')).join(), /no wallet such as Keplr/);
      assert.deepEqual(await page.accessibility(), []);
      await page.close();
    });
  });
}
