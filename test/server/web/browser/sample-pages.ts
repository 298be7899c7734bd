/** The pages on the whole sample: a night, a server and a browser, and what the API says beside them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../../pipeline/project.js';
import type { Summary } from '../../../../schemas/types.generated.js';
import { NightCase, SAMPLE_CHAIN } from '../../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../harness.js';
import { Browser, type Look, type Visit } from './browser.js';

const wallets: { name: string; address: string; role: string }[] = JSON.parse(
  readFileSync(join(projectRoot(), 'data/sample/wallets.json'), 'utf8'),
);

export const addressOf = (name: string): string => wallets.find((wallet) => wallet.name === name)!.address;

/** A wallet with flagged receipts, coins from before the index, and receipts of unknown basis. */
export const DOUBTFUL = addressOf('reg05');

/** Wallets of everyday people. */
export const REGULAR = wallets.filter(({ role }) => role === 'regular').map(({ address }) => address);

/** Decisions that stand for those which nobody has made yet, as on the page. */
export const UNDECIDED = { '*': { mode: 'exclude' } };

export class SamplePages {
  private constructor(
    private readonly chain: NightCase,
    readonly server: TestServer,
    readonly browser: Browser,
  ) {}

  /** @param program path of the browser */
  static async start(program: string): Promise<SamplePages> {
    const chain = new NightCase(SAMPLE_CHAIN);
    await chain.published('data');
    const environment = { HUBLEDGER_DATA_DIR: chain.path('data'), HUBLEDGER_NOW: '2026-04-20T12:00:00Z' };
    const server = await startServer({ published: false, environment });
    await server.datasets.refresh();
    return new SamplePages(chain, server, await Browser.start(program, server.base));
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.server.close();
    this.chain.remove();
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
    return response.text();
  }

  /** The figures at a glance as the API says them: income, gains, fees. */
  async glance(body: object): Promise<string[]> {
    const { total }: Summary = JSON.parse(await this.post('summary', body));
    return [total.income_usd, total.disposed.gain_usd, total.fees_usd];
  }
}

/** The figures at a glance as a page shows them. */
export const shownGlance = async (visit: Visit): Promise<string[]> =>
  (await visit.figures('#glance .card > .big')).slice(0, 3);
