import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readConfig } from '../../pipeline/config.js';
import { ensureNamedAccount } from '../../server/people/accounts/accounts.js';
import { createKey } from '../../server/people/accounts/keys.js';
import { Store } from '../../server/people/store/store.js';
import { start } from './measured.js';
import { type Settings, variables } from './settings.js';
import { standInParameters } from './stand-in.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as received, which is still compressed. */
  readonly body: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

const CONNECTIONS = 10;

function ask(url: string, moreHeaders: Headers = {}, agent?: Agent): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip', ...moreHeaders };
    const request = get(url, { headers, ...(agent ? { agent } : {}) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
  });
}

/**
 * Sends a GET request.
 * @throws Error if the response has another status
 */
export async function askFor(
  status: number,
  url: string,
  moreHeaders: Headers = {},
  agent?: Agent,
): Promise<HttpAnswer> {
  const answer = await ask(url, moreHeaders, agent);
  if (answer.status !== status) throw new Error(`${url} answers ${answer.status}: ${answer.body}`);
  return answer;
}

/**
 * Keeps this process busy, so that the system never idles it. On a virtual machine, waking a process costs the server
 * 0.1 ms of CPU time, which a busy server in production never pays.
 * @returns a function that allows sleep again
 */
function stayAwake(): () => void {
  let isOver = false;
  const turn = () => void (isOver || setImmediate(turn));
  turn();
  return () => {
    isOver = true;
  };
}

/**
 * Requests the URLs, ten at a time.
 * @returns the number of responses
 * @throws Error if a response has another status
 */
export async function load(urls: Generator<string>, moreHeaders: Headers = {}, status = 200): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let answers = 0;
  const client = async () => {
    for (const url of urls) {
      await askFor(status, url, moreHeaders, agent);
      answers++;
    }
  };
  const sleep = stayAwake();
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
  } finally {
    sleep();
    agent.destroy();
  }
  return answers;
}

const SERVER = new URL('./server-process.js', import.meta.url);
const STAND_INS = {
  'ordinary Koa stack': new URL('./ordinary-stack-process.js', import.meta.url),
  'bare Koa': new URL('./bare-process.js', import.meta.url),
};

export type StandInName = keyof typeof STAND_INS;
export const STAND_IN_NAMES = Object.keys(STAND_INS) as StandInName[];

const ANSWER_HEADERS = [
  'access-control-expose-headers',
  'cache-control',
  'content-disposition',
  'content-type',
  'etag',
  'vary',
  'x-coverage',
  'x-dataset',
  'x-methodology-version',
];

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

async function answering(process: ChildProcess, port: number, path: string): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  while (process.exitCode === null) {
    const status = await ask(url + path).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return { process, url };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no server at ${url}`);
}

/** Starts the server with a practically unlimited quota. If HUBLEDGER_REDIS_URL is set, Redis counts the quota. */
export async function startServer(settings: Settings, dataDir: string): Promise<Running> {
  const port = await freePort();
  const { redisUrl } = settings.config;
  const more = {
    HUBLEDGER_PORT: String(port),
    HUBLEDGER_RATE_LIMIT: '1000000000',
    ...(redisUrl && { HUBLEDGER_REDIS_URL: redisUrl }),
  };
  return answering(start(SERVER, variables(settings, dataDir, more)), port, '/readyz');
}

/** Creates an API key and returns request headers that contain it. No server may have opened the store. */
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

export async function startStandIn(
  { workDir }: Pick<Settings, 'workDir'>,
  name: StandInName,
  server: Pick<Running, 'url'>,
  path: string,
  moreHeaders: Headers = {},
): Promise<Running> {
  const answer = await askFor(200, server.url + path, { 'accept-encoding': 'identity', ...moreHeaders });
  const file = join(workDir, 'body');
  writeFileSync(file, answer.body);
  const sentHeaders = ANSWER_HEADERS.filter((header) => answer.headers[header]);
  const headers = Object.fromEntries(sentHeaders.map((header) => [header, String(answer.headers[header])]));
  const port = await freePort();
  const [route] = path.split('?') as [string];
  const child = start(STAND_INS[name], ...standInParameters(file, { port, path: route, headers }));
  return answering(child, port, route);
}
