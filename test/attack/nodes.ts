/** Attacks by nodes, and by clients on nodes of the contract API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bech32 } from '@scure/base';
import type { Attack, Place } from './suite.js';
import { environmentOf, type Victim } from './victim.js';
import { statusOf } from './visitor.js';

const CONTRACT = bech32.encode('cosmos', bech32.toWords(new Uint8Array(32).fill(7)), false);

/** Limit of nginx. */
const LINE_BYTES_MAX = 8192;
const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';

/** A node of the contract API behind a gateway that rejects long request lines. */
class FakeNode {
  /** Requested paths without health checks. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(answer = (response: ServerResponse) => response.end('{"data":1}')): Promise<FakeNode> {
    const server = createServer({ maxHeaderSize: 1024 * 1024 }, ({ url }, response) => {
      const path = url!;
      if (path.length > LINE_BYTES_MAX) return void response.writeHead(414).end('<html>Request-URI Too Large</html>');
      if (path !== LATEST_BLOCK) {
        node.asked.push(path);
        return void answer(response);
      }
      const header = { chain_id: 'cosmoshub-4', height: '7', time: new Date().toISOString() };
      response.end(JSON.stringify({ block: { header } }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const node: FakeNode = new FakeNode(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return node;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const ROUNDS = 14;
const TOGETHER = 6;
const PLAIN = 484;

let nodes: FakeNode[] = [];

const oddQuestions: Attack = {
  name: 'odd questions',
  what: `${ROUNDS * TOGETHER} queries too long for the gateways of the nodes, six at a time, beside ${PLAIN} plain queries`,
  isShort: true,
  async prepare() {
    nodes = [await FakeNode.start(), await FakeNode.start()];
    return { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: nodes.map(({ url }) => url) }) };
  },
  async run({ base }) {
    const ask = (message: string) => {
      const query = new URLSearchParams({ network: 'mainnet', contract: CONTRACT, query: message });
      return statusOf(`${base}/api/v1/query?${query}`);
    };
    const plain: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const long = Array.from({ length: TOGETHER }, (_, i) => ask(`{"a":"${'x'.repeat(9000)}${round}.${i}"}`));
      await Promise.all(long);
      while (plain.length < (PLAIN * round) / ROUNDS) plain.push(await ask(`{"plain":${plain.length}}`));
    }
    const refused = plain.filter((status) => status !== 200).length;
    return { lost: `${refused} of ${PLAIN} plain queries refused`, holds: refused === 0 };
  },
  async end() {
    for (const node of nodes) node.stop();
  },
};

const PREFIXES = ['../../../../cosmos/bank/v1beta1/supply?x=', '..', 'a/b', 'a?b', 'a#b'];

let node: FakeNode | undefined;

const addressPaths: Attack = {
  name: 'address paths',
  what: "addresses whose prefixes are paths of the node, in an operator's own network",
  isShort: true,
  async prepare() {
    node = await FakeNode.start();
    return { HUBLEDGER_NETWORKS: JSON.stringify({ mynet: [node.url] }) };
  },
  async run({ base }) {
    for (const prefix of PREFIXES) {
      const contract = bech32.encode(prefix, bech32.toWords(new Uint8Array(20)), false);
      await statusOf(`${base}/api/v1/query?${new URLSearchParams({ network: 'mynet', contract, query: '{}' })}`);
    }
    const { length } = node!.asked;
    return { lost: `${length} requests reached the node`, holds: length === 0 };
  },
  async end() {
    node?.stop();
  },
};

const MIB = 1024 * 1024;
const CHAIN_ID = 'hostile-1';
const ABSURD_HEIGHT = 1e14;

/** Bounds of a night on a hostile node; an idle night takes about 150 MB. */
const NIGHT_MS_MAX = 60_000;
const NIGHT_MB_MAX = 400;

const drip = (response: ServerResponse) => {
  const timer = setInterval(() => response.write(' '), 500);
  response.on('close', () => clearInterval(timer));
};
const flood = (response: ServerResponse) => {
  const blanks = Buffer.alloc(MIB, ' ');
  const send = () => {
    while (!response.destroyed && response.write(blanks));
  };
  response.on('drain', send);
  send();
};

/** Answers to requests for blocks, and the height in the status. */
const NODES: Readonly<Record<string, { answer(response: ServerResponse): unknown; readonly height?: number }>> = {
  redirect: {
    answer: (response) => response.writeHead(307, { location: `${redirectTarget}/followed` }).end(),
  },
  drip: { answer: drip },
  flood: { answer: flood },
  bomb: {
    answer: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  },
  tip: { height: ABSURD_HEIGHT, answer: (response) => response.writeHead(503).end() },
};

let [redirectTarget, bomb] = ['', Buffer.alloc(0)];

async function startServer(handle: (path: string, response: ServerResponse) => void): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => handle(request.url!, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

function nodeStatus(height: number): string {
  const sync_info = {
    earliest_block_height: '1',
    earliest_block_time: '2026-01-01T00:00:00Z',
    latest_block_height: String(height),
    latest_block_time: new Date().toISOString(),
    catching_up: false,
  };
  return JSON.stringify({ jsonrpc: '2.0', id: -1, result: { node_info: { network: CHAIN_ID }, sync_info } });
}

/** Returns the peak resident megabytes of a process; 0 if it has ended. */
function highWaterMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Runs a night on a node. @returns exit code, milliseconds and peak resident megabytes */
async function runNight({ program, dataDir }: Place, url: string) {
  const variables = {
    dataDir: join(dataDir, 'night'),
    HUBLEDGER_RPC_URLS: url,
    HUBLEDGER_NODE_CHAIN_ID: CHAIN_ID,
    HUBLEDGER_PRICE_SOURCES: 'none',
  };
  const began = performance.now();
  const night = spawn(process.execPath, [program, 'nightly'], { env: environmentOf(variables), stdio: 'ignore' });
  let megabytes = 0;
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, highWaterMb(night.pid!));
  }, 100);
  const late = setTimeout(() => night.kill('SIGKILL'), NIGHT_MS_MAX);
  night.once('exit', () => clearInterval(watch));
  const [code] = await once(night, 'exit');
  clearTimeout(late);
  return { code, ms: performance.now() - began, megabytes };
}

const hostileNodes: Attack = {
  name: 'hostile nodes',
  what: `nights on a node that redirects, drips, floods, sends a gzip bomb or reports height ${ABSURD_HEIGHT}`,
  isShort: false,
  async run(_victim, place) {
    let followed = 0;
    const [target, url] = await startServer((_path, response) => {
      followed++;
      response.end();
    });
    [redirectTarget, bomb] = [url, gzipSync(Buffer.alloc(1024 * MIB, ' '), { level: 1 })];
    const lost: string[] = [];
    let holds = true;
    for (const [name, { answer, height = 1000 }] of Object.entries(NODES)) {
      const [node, rpc] = await startServer((path, response) =>
        path.startsWith('/status') ? response.end(nodeStatus(height)) : answer(response),
      );
      const { code, ms, megabytes } = await runNight(place, rpc);
      node.close();
      node.closeAllConnections();
      lost.push(`${name} ${Math.round(ms / 1000)} s, ${Math.round(megabytes)} MB`);
      holds &&= code !== 0 && code !== null && megabytes < NIGHT_MB_MAX;
    }
    target.close();
    return { lost: `${lost.join('; ')}; ${followed} redirects followed`, holds: holds && followed === 0 };
  },
};

const QUESTIONS = 110;
/** Just below the size limit of answers. */
const WORDS = 'x'.repeat(8 * MIB - 100);

let wordy: FakeNode;

/** Sends a query and does not read the answer. */
function askUnread({ port }: Victim, i: number): Socket {
  const query = new URLSearchParams({ network: 'mainnet', contract: CONTRACT, query: `{"a":${i}}` });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pause().write(`GET /api/v1/query?${query} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

const wordyRefusals: Attack = {
  name: 'wordy refusals',
  what: `${QUESTIONS} queries that a contract refuses with 8 MiB of text; the client reads nothing`,
  isShort: false,
  async prepare() {
    const message = `${WORDS}: query wasm contract failed`;
    const body = JSON.stringify({ code: 2, message });
    wordy = await FakeNode.start((response) => response.writeHead(500).end(body));
    return { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: [wordy.url] }) };
  },
  async run(victim) {
    const sockets: Socket[] = [];
    for (let i = 0; i < QUESTIONS; i++) {
      sockets.push(askUnread(victim, i));
      await wait(150);
    }
    await wait(5000);
    const asked = wordy.asked.length;
    for (const socket of sockets) socket.destroy();
    return { lost: `${asked} of ${QUESTIONS} reached the node`, holds: asked > QUESTIONS / 4 };
  },
  async end() {
    wordy.stop();
  },
};

export const nodeAttacks: readonly Attack[] = [oddQuestions, addressPaths, wordyRefusals, hostileNodes];
