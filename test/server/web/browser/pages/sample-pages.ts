/** The pages on the whole sample: a night, a server and a browser, and what the API says beside them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../../../pipeline/base/project.js';
import type { Catalog, Summary } from '../../../../../schemas/types.generated.js';
import { NightCase, SAMPLE_CHAIN } from '../../../../pipeline/night-case.js';
import { programs } from '../../../../requirements.js';
import { KNOWN, startSearchNode } from '../../../../tracked-wallets/search-node.js';
import { WalletCase } from '../../../../tracked-wallets/wallet-night.js';
import { startServer, type TestServer } from '../../../harness.js';
import { freePort } from '../../../processes/free-port.js';
import { Browser, type Look, type Stated, type Visit } from './browser.js';

/**
 * Base URL of a running server, and a file of its wallets: then tests that walk wallets walk all of these. Without them, tests publish the
 * sample and walk some of its wallets.
 */
const { REPORT_SERVER, REPORT_WALLETS } = process.env;

const wallets: { name: string; address: string; role: string }[] = JSON.parse(
  readFileSync(REPORT_WALLETS ?? join(projectRoot(), 'data/sample/wallets.json'), 'utf8'),
);

export const addressOf = (name: string): string => wallets.find((wallet) => wallet.name === name)!.address;

/** A wallet with flagged receipts, coins from before the index, and receipts of unknown basis. */
export const DOUBTFUL = addressOf('reg05');

/** Wallets of everyday people. */
export const REGULAR = wallets.filter(({ role }) => role === 'regular').map(({ address }) => address);

/** Decisions that stand for those which nobody has made yet, as on the page. */
export const UNDECIDED = { '*': { mode: 'exclude' } };

/** Wallets to walk. @param some those of the sample */
export const walked = (some: readonly string[]): readonly string[] =>
  REPORT_WALLETS ? wallets.map(({ address }) => address) : some;

/** A folder with a published dataset. */
interface PublishedData {
  readonly dataDir: string;
  remove(): void;
}

async function wholeSample(): Promise<PublishedData> {
  const chain = new NightCase(SAMPLE_CHAIN);
  await chain.published('data');
  return { dataDir: chain.path('data'), remove: () => chain.remove() };
}

/** Publishes a dataset of single wallets, found by the search index of a node. */
export async function ownWallets(): Promise<PublishedData> {
  const [own, node] = [new WalletCase(), await startSearchNode()];
  await own.night('data', Object.values(KNOWN), [node]);
  await node.close();
  return { dataDir: join(own.root, 'data'), remove: () => own.remove() };
}

export class SamplePages {
  private constructor(
    private readonly data: Pick<PublishedData, 'remove'>,
    readonly server: Pick<TestServer, 'base' | 'close'>,
    readonly browser: Browser,
  ) {}

  /**
   * @param program path of the browser
   * @param publish publishes another dataset than the whole sample
   */
  static async start(program: string, publish = wholeSample): Promise<SamplePages> {
    if (REPORT_SERVER) {
      const server = { base: REPORT_SERVER, close: async () => {} };
      return new SamplePages({ remove() {} }, server, await Browser.start(program, REPORT_SERVER));
    }
    const data = await publish();
    const port = String(await freePort());
    const url = { HUBLEDGER_PORT: port, HUBLEDGER_BASE_URL: `http://127.0.0.1:${port}` };
    const environment = { HUBLEDGER_DATA_DIR: data.dataDir, HUBLEDGER_NOW: '2026-04-20T12:00:00Z', ...url };
    const server = await startServer({ published: false, environment });
    await server.datasets.refresh();
    await server.store.open(); // with the first sign-in, else, which may take longer than a page waits
    return new SamplePages(data, server, await Browser.start(program, server.base));
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.server.close();
    this.data.remove();
  }

  /** Opens the report of wallets in 2026. */
  async visit(addresses: string, look: Look = {}): Promise<Visit> {
    const visit = await this.browser.open(`/#addresses=${addresses}&year=2026`, look);
    await visit.settled();
    return visit;
  }

  /** Asks the API for 2026. @returns the body's text */
  async post(path: string, body: object): Promise<string> {
    const response = await fetch(`${this.server.base}/api/tax/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ assetDecisions: UNDECIDED, start: '2026-01-01', end: '2026-12-31', ...body }),
    });
    assert.equal(response.status, 200, path);
    return Buffer.from(await response.arrayBuffer()).toString(); // text() leaves the byte order mark out
  }

  /** The files of the API that stand on a page with these answers: each path, format and layout. */
  async files(body: object): Promise<Map<string, string>> {
    const catalog = (await (await fetch(`${this.server.base}/api/tax/v1/catalog`)).json()) as Catalog;
    const offered = catalog.export_formats.filter(({ format }) => format !== 'json');
    const files = new Map<string, string>();
    for (const path of ['events', 'journal', 'positions', 'summary']) {
      const date = path === 'positions' ? { date: '2026-04-15' } : {};
      for (const { format, profile, paths } of offered) {
        if (!paths.includes(`/api/tax/v1/${path}`)) continue;
        for (const one of profile === 'form8949' ? [format, 'pdf'] : [format]) {
          const fees = profile === 'form8949' ? { fees: 'monthly' } : {};
          const asked = { ...body, ...date, ...fees, format: one, ...(profile && { profile }) };
          files.set(`${path} ${one} ${profile}`, await this.post(path, asked));
        }
      }
    }
    return files;
  }

  /** The figures at a glance as the API says them: income, gains, fees. A gain of less than half of the sales is unknown. */
  async glance(body: object): Promise<string[]> {
    const { total }: Summary = JSON.parse(await this.post('summary', body));
    const { gain_known, gain_usd, sales } = total.disposed;
    const isShown = sales > 0 && (gain_known === 'all' || gain_known === 'most');
    return [total.income_usd, isShown ? gain_usd : '', total.fees_usd];
  }
}

/** The figures at a glance as a page shows them. */
export const shownGlance = ({ page }: Visit): Promise<string[]> =>
  page.$$eval('#glance .card > .big', (all) =>
    all.map((one) => one.querySelector('data')?.getAttribute('value') ?? ''),
  );

/** The body of a request with all answers of the owner that a page keeps. */
export const bodyOf = (address: readonly string[], { decisions, tags, openingLots, carry }: Stated): object => ({
  address,
  assetDecisions: { ...UNDECIDED, ...decisions },
  ...(Object.keys(tags).length > 0 && { userTags: tags }),
  ...(openingLots.length > 0 && { openingLots }),
  ...(carry && address.length > 1 && { ownWallets: 'carry' }),
});

/** Presses every button of the downloads. @returns the texts of the files */
export async function downloadAll(visit: Visit): Promise<Set<string>> {
  const texts = new Set<string>();
  await visit.page.evaluate("document.querySelector('#more-formats').open = true");
  for (const button of await visit.page.$$('.file button')) {
    texts.add((await visit.downloaded(() => visit.click(button))).text);
  }
  return texts;
}

/** The sheets of the printed report, as text; none where there is no pdftotext. */
export async function printed(visit: Visit, file: string): Promise<string[]> {
  writeFileSync(file, await visit.page.pdf({ preferCSSPageSize: true }));
  return programs('pdftotext').flatMap((program) => {
    const { stdout } = spawnSync(program, ['-layout', file, '-'], { encoding: 'utf8' });
    return stdout.split('\f').filter((sheet) => sheet.trim() !== '');
  });
}

/** A figure with commas between thousands, as people read it. */
export const grouped = (figure: string): string => figure.replace(/\B(?=(\d{3})+\.)/g, ',');
