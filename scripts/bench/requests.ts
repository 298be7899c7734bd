/**
 * A wallet's requests against a bare Koa handler that sends the same bytes: answers a second by the clock, and by the processor
 * time of the server process. The client shares the machine, so that it may be what bounds the first.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readConfig } from '../../pipeline/config.js';
import { ensureNamedAccount } from '../../server/accounts/accounts.js';
import { createKey } from '../../server/accounts/keys.js';
import { Store } from '../../server/store/store.js';
import { ask, type Headers, load } from './load.js';
import { median, start, stop, usageOf } from './measured.js';
import { type Measure, type Settings, variables } from './settings.js';

const SERVER = new URL('./server-process.js', import.meta.url);
const BARE = new URL('./bare-process.js', import.meta.url);

export interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function untilAnswers({ process: child, url }: Running): Promise<void> {
  while (child.exitCode === null) {
    const status = await ask(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no server at ${url}`);
}

/** The server on a dataset, with a quota of the tax API that is never used up; counted in Redis where HUBLEDGER_REDIS_URL says which. */
export async function startServer(
  settings: Settings,
  dataDir: string,
  own: Record<string, string> = {},
): Promise<Running> {
  const port = await freePort();
  const { redisUrl } = settings.config;
  const more = {
    HUBLEDGER_PORT: String(port),
    HUBLEDGER_RATE_LIMIT: '1000000000',
    ...(redisUrl && { HUBLEDGER_REDIS_URL: redisUrl }),
    ...own,
  };
  const process = start(SERVER, variables(settings, dataDir, more));
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers({ process, url: `${url}/readyz` });
  return { process, url };
}

/** What a program sends that has a key. Made while no server has the store open. */
export async function keyHeaders(dataDir: string): Promise<Headers> {
  const store = new Store(readConfig({ HUBLEDGER_DATA_DIR: dataDir }));
  try {
    const now = new Date();
    const account = await ensureNamedAccount(store, 'bench', now);
    const { key } = await createKey(store, { account, name: 'bench', scopes: ['tax:read'], expires: undefined }, now);
    return { authorization: `Bearer ${key}` };
  } finally {
    await store.close();
  }
}

async function startBare(settings: Settings, url: string, own: Headers): Promise<Running> {
  const { status, headers, body } = await ask(url, own);
  if (status !== 200) throw new Error(`${url} answers ${status}: ${body}`);
  const file = join(settings.workDir, 'body');
  writeFileSync(file, body);
  const names = ['content-type', 'content-encoding', 'cache-control', 'etag', 'vary'];
  const fields = Object.fromEntries(names.filter((name) => headers[name]).map((name) => [name, headers[name]]));
  const port = await freePort();
  const running = {
    process: start(BARE, file, String(port), JSON.stringify(fields)),
    url: `http://127.0.0.1:${port}/`,
  };
  await untilAnswers(running);
  return running;
}

/** Answers a second, of the clock's and of the server's processor time. */
interface Speed {
  readonly byClock: number;
  readonly byProcessor: number;
}

async function speedOf(server: ChildProcess, url: string, milliseconds: number, own: Headers): Promise<Speed> {
  await usageOf(server);
  const answers = await load(url, milliseconds, own);
  const { cpuMicroseconds } = await usageOf(server);
  return { byClock: (answers / milliseconds) * 1000, byProcessor: (answers / cpuMicroseconds) * 1e6 };
}

/** One request in alternating rounds, after a round each that warms both up; short ones, and therefore more than elsewhere. */
export async function measureRequest(
  settings: Settings,
  server: Running,
  what: string,
  path: string,
  own: Headers = {},
): Promise<Measure[]> {
  const url = `${server.url}${path}`;
  const bare = await startBare(settings, url, own);
  const ours: Speed[] = [];
  const least: Speed[] = [];
  try {
    for (let round = -1; round < 2 * settings.rounds - 1; round++) {
      const speed = await speedOf(server.process, url, settings.milliseconds, own);
      const bareSpeed = await speedOf(bare.process, bare.url, settings.milliseconds, own);
      if (round < 0) continue;
      ours.push(speed);
      least.push(bareSpeed);
    }
  } finally {
    await stop(bare.process);
  }
  const measure = (unit: string, by: keyof Speed): Measure => ({
    what,
    figure: median(ours.map((speed) => speed[by])),
    unit,
    against: { what: 'bare Koa, same bytes', figure: median(least.map((speed) => speed[by])) },
  });
  return [measure('answers/s', 'byClock'), measure('answers/s of CPU', 'byProcessor')];
}

/** The longest time the server's event loop stood still while it answered, of as many answers as there are rounds. */
export async function measureBlock(settings: Settings, server: Running, what: string, path: string): Promise<Measure> {
  const blocks: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    await usageOf(server.process);
    const { status } = await ask(`${server.url}${path}`);
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    blocks.push((await usageOf(server.process)).longestBlockMilliseconds);
  }
  return { what, figure: Math.max(...blocks), unit: 'ms' };
}
