/** The real application on a loopback port with a small published dataset. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { unzipSync } from 'fflate';
import pino from 'pino';
import { type Config, readConfig } from '../../pipeline/config.js';
import { Follower } from '../../pipeline/publish/follow/follower.js';
import { loadReference } from '../../pipeline/reference.js';
import type { FieldError, Manifest } from '../../schemas/types.generated.js';
import type { Endpoint } from '../../server/api/endpoint.js';
import { withServiceEndpoints } from '../../server/endpoints/all.js';
import { endpoints as taxEndpoints } from '../../server/endpoints/index.js';
import { type ServerOptions as ListenOptions, listen, type RunningServer } from '../../server/listen.js';
import type { Store } from '../../server/people/store/store.js';
import { Datasets } from '../../server/tax/dataset/dataset-holder.js';
import { Contract } from './contract.js';
import { LaidStore } from './people/store/made-store.js';
import { type Content, HEIGHT, publish } from './published.js';

export { OPERATORS, WALLETS } from './published.js';

/** The time of tests that give no other. */
const NOW = '2026-06-01T00:00:00Z';

export interface ServerOptions {
  /** HUBLEDGER_ variables; the quota is off unless they set it. */
  readonly environment?: Record<string, string>;
  /** Endpoints besides the service's own. */
  readonly endpoints?: readonly Endpoint[];
  /** Whether a dataset is published; true when not given. */
  readonly published?: boolean;
  /** Shorter timeouts than people have. */
  readonly timeouts?: ListenOptions['timeouts'];
  readonly reading?: ListenOptions['reading'];
  readonly requests?: ListenOptions['requests'];
  readonly jobQueue?: ListenOptions['jobQueue'];
  /** Content that is published in place of the recorded wallets. */
  readonly content?: Content;
  /** Members of the manifest that differ from what a night of this program would write. */
  readonly manifest?: Partial<Manifest>;
}

/** Secrets that no server of any test may log: keys and signing secrets, cookies, wallets, tokens and queries. */
const SECRET = /\bhlw?_[\w-]{20}|hlsec_|__Secure-|Bearer |cosmos1[a-z0-9]{38}|(?<![\w-])[\w-]{43}(?![\w-])|[?&]\w+=/;

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  json<Body = never>(): [Body] extends [never] ? ReturnType<typeof JSON.parse> : Body;
}

/** Requires that an answer refuses what these places of the request say, and nothing else of it: 422 a body, 400 a query. */
export function requireFaults(answer: TestAnswer, status: 400 | 422, paths: readonly string[], of?: unknown): void {
  const { code, errors = [] } = answer.json<{ code: string; errors?: FieldError[] }>();
  const named = errors.map(({ path }) => path);
  const expected = [status, status === 400 ? 'bad_request' : 'validation_failed', paths];
  assert.deepEqual([answer.status, code, named], expected, JSON.stringify(of));
}

export class TestServer {
  /** Contracts by the path of their OpenAPI document. */
  private readonly contracts = new Map<string, Contract>();

  constructor(
    readonly base: string,
    readonly port: number,
    readonly dataDir: string,
    readonly datasets: Datasets,
    /** The store, which opens when it is first asked. */
    readonly store: Store,
    /** Parsed lines of the log. */
    readonly log: readonly Record<string, unknown>[],
    private readonly server: RunningServer,
  ) {}

  /** Sends a request, and holds its answer against the served OpenAPI document. Redirects are not followed. */
  async ask(path: string, init: RequestInit = {}): Promise<TestAnswer> {
    const response = await fetch(this.base + path, { redirect: 'manual', ...init });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    const contract = await this.contractOf(path);
    contract.check({ method: init.method ?? 'GET', path: path.split('?')[0]!, ...answer });
    return { ...answer, json: () => JSON.parse(answer.text) };
  }

  /** Asks for an archive. @returns its files by name, in the archive's order, and the headers */
  async archive(
    path: string,
    init: RequestInit = {},
  ): Promise<{ files: [name: string, text: string][]; headers: Headers }> {
    const response = await fetch(this.base + path, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/zip']);
    const files = Object.entries(unzipSync(bytes)).map(([name, content]): [string, string] => [
      name,
      Buffer.from(content).toString(),
    ]);
    assert.equal(response.headers.get('x-parts'), String(files.length), 'two files of one name');
    return { files, headers: response.headers };
  }

  /** Asks for one file or an archive. @returns the texts of the files */
  async texts(path: string, init: RequestInit = {}): Promise<string[]> {
    const response = await fetch(this.base + path, init);
    if (response.headers.get('content-type') === 'application/zip')
      return (await this.archive(path, init)).files.map(([, text]) => text);
    const text = await response.text();
    assert.equal(response.status, 200, text.slice(0, 300));
    return [text];
  }

  /** Sends bytes as they are. @returns all that comes back until the server closes */
  raw(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('latin1');
      socket.on('data', (text) => {
        answer += text;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
      socket.write(request, 'latin1');
    });
  }

  /** Publishes another generation and takes it up at once. */
  async publish(height: number, manifest?: Partial<Manifest>): Promise<string> {
    const generation = await publish(this.dataDir, height, undefined, manifest);
    await this.datasets.refresh();
    return generation;
  }

  async close(handOver?: Promise<unknown>): Promise<void> {
    await this.server.close({ handOver });
    rmSync(this.dataDir, { recursive: true, force: true });
    assert.deepEqual(
      this.log.map((line) => SECRET.exec(JSON.stringify(line))?.[0]).filter(Boolean),
      [],
      'the log keeps secrets',
    );
  }

  private async contractOf(path: string): Promise<Contract> {
    const document = path.startsWith('/api/v1/') ? '/api/v1/openapi.json' : '/api/tax/v1/openapi.json';
    const known = this.contracts.get(document);
    if (known) return known;
    const response = await fetch(this.base + document);
    assert.equal(response.status, 200);
    const contract = Contract.of(await response.text());
    this.contracts.set(document, contract);
    return contract;
  }
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-server-'));
  if (options.published !== false) await publish(dataDir, HEIGHT, options.content, options.manifest);
  const config: Config = readConfig({
    HUBLEDGER_PORT: '0',
    HUBLEDGER_BASE_URL: 'https://tax.example',
    HUBLEDGER_NOW: NOW,
    HUBLEDGER_RATE_LIMIT: '0',
    HUBLEDGER_LOG_LEVEL: 'trace',
    HUBLEDGER_DATA_DIR: dataDir,
    ...options.environment,
  });
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: config.logLevel, base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const follower = Follower.start(config, log);
  const datasets = new Datasets({ dataDir: config.dataDir, reference: loadReference(), log, follower });
  const endpoints = withServiceEndpoints(config, options.endpoints ?? taxEndpoints, follower);
  const store = new LaidStore(config, log);
  const server = await listen({
    config,
    datasets,
    store,
    endpoints,
    log,
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.reading && { reading: options.reading }),
    ...(options.requests && { requests: options.requests }),
    jobQueue: options.jobQueue,
    threadMs: 300_000, // tests run on busy machines
  }).catch((error) => {
    rmSync(dataDir, { recursive: true });
    throw error;
  });
  return new TestServer(`http://127.0.0.1:${server.port}`, server.port, dataDir, datasets, store, lines, server);
}

/**
 * A server for the tests of a file or a suite: it starts before the first of them and is closed after the last.
 * @param options what is known only by then as a function
 */
export function sharedServer(options: ServerOptions | (() => ServerOptions) = {}): TestServer {
  const server: TestServer = Object.create(TestServer.prototype);
  before(async () => {
    Object.assign(server, await startServer(typeof options === 'function' ? options() : options));
  });
  after(() => server.close());
  return server;
}
