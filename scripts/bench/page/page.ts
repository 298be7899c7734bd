/** The benchmark of the report in a real browser: its first load, and the table of a wallet with 50,000 rows. */
import { stop } from '../measured.js';
import { addGrownWallets } from '../requests/grown-wallets.js';
import { type Running, startServer } from '../requests/servers.js';
import { chooseWallets } from '../requests/wallets.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { BrowserTab } from './browser-tab.js';

const ROWS = 50_000;

/** The report of a wallet in 2026. */
const reportOf = (address: string) => `/#addresses=${address}&year=2026`;

const median = (figures: readonly number[]) => [...figures].sort((a, b) => a - b)[figures.length >> 1]!;

/** Measures the page. @param dataDir gets a further wallet in its wallet index @param browser program of a Chromium */
export async function measurePage(settings: Settings, dataDir: string, browser: string): Promise<Measure[]> {
  const { usual, largest } = await chooseWallets(dataDir);
  const [large] = (await addGrownWallets(settings, dataDir, largest, [ROWS])) as [string];
  const server = await startServer(settings, dataDir);
  try {
    return [
      ...(await measureFirstLoad(settings, server, browser, usual.address)),
      ...(await measureTable(server, browser, large)),
    ];
  } finally {
    await stop(server.process);
  }
}

async function measureFirstLoad({ rounds }: Settings, { url }: Running, browser: string, address: string) {
  const [paints, shifts]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    for (const path of ['/', reportOf(address)]) {
      const tab = await BrowserTab.open(browser, url + path);
      await tab.isQuiet();
      if (path === '/') paints.push(await tab.firstPaint());
      shifts.push(await tab.layoutShift());
      bytes = tab.scriptBytes;
      await tab.close();
    }
  }
  return [
    { what: 'report: first contentful paint', figure: median(paints), unit: 'ms', target: { atMost: 500 } },
    { what: 'report: layout shift', figure: Math.max(...shifts), unit: '', target: { atMost: 0.02 } },
    { what: 'report: scripts as sent', figure: bytes / 1000, unit: 'kB', target: { atMost: 100 } },
  ];
}

async function measureTable({ url }: Running, browser: string, address: string): Promise<Measure[]> {
  const tab = await BrowserTab.open(browser, url + reportOf(address));
  try {
    await tab.waitFor(`document.querySelector('.rows table')?.getAttribute('aria-rowcount') === '${ROWS + 1}'`);
    await tab.isQuiet();
    const table = `report, ${ROWS} rows`;
    const longest = await tab.longestTask(() => tab.scroll('.rows', 60));
    const memory = await tab.memoryMB();
    return [
      { what: `${table}: longest task while it scrolls`, figure: longest, unit: 'ms', target: { atMost: 50 } },
      { what: `${table}: memory of scripts and page`, figure: memory, unit: 'MB', target: { atMost: 300 } },
    ];
  } finally {
    await tab.close();
  }
}
