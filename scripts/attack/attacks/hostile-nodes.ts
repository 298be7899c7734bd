/** Nodes that are hostile: to nights, and to the contract API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bech32 } from '@scure/base';
import { FakeNode } from '../fake-node.js';
import type { Place } from '../place.js';
import type { Attack } from '../suite.js';
import { assignments, type Victim } from '../victim.js';

const MIB = 1024 * 1024;
const CHAIN_ID = 'hostile-1';
const ABSURD_HEIGHT = 1e14;

/** Bounds of a night whose only node is hostile. An idle night has some 150 MB. */
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

/** Answers to questions about blocks, and the height that the status reports. */
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

function statusOf(height: number): string {
  const sync_info = {
    earliest_block_height: '1',
    earliest_block_time: '2026-01-01T00:00:00Z',
    latest_block_height: String(height),
    latest_block_time: new Date().toISOString(),
    catching_up: false,
  };
  return JSON.stringify({ jsonrpc: '2.0', id: -1, result: { node_info: { network: CHAIN_ID }, sync_info } });
}

/** The most resident megabytes that a process has had; 0 when it is gone. */
function highWaterMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Runs a night on a node. @returns its exit code, milliseconds and most resident megabytes */
async function runNight({ program, dataDir }: Place, url: string) {
  const variables = {
    dataDir: join(dataDir, 'night'),
    HUBLEDGER_RPC_URLS: url,
    HUBLEDGER_NODE_CHAIN_ID: CHAIN_ID,
    HUBLEDGER_PRICE_SOURCES: 'none',
  };
  const began = performance.now();
  const night = spawn('env', [...assignments(variables), process.execPath, program, 'nightly'], { stdio: 'ignore' });
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

export const hostileNodes: Attack = {
  name: 'hostile nodes',
  what: `nights on a node that redirects, drips, sends without end or a bomb, or reports height ${ABSURD_HEIGHT}`,
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
        path.startsWith('/status') ? response.end(statusOf(height)) : answer(response),
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
const CONTRACT = bech32.encode('cosmos', bech32.toWords(new Uint8Array(32).fill(7)), false);
/** Just below the size of an answer that is read. */
const WORDS = 'x'.repeat(8 * MIB - 100);

let wordy: FakeNode;

/** Asks a question, and reads nothing of the answer. */
function askUnread({ port }: Victim, i: number): Socket {
  const query = new URLSearchParams({ network: 'mainnet', contract: CONTRACT, query: `{"a":${i}}` });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pause().write(`GET /api/v1/query?${query} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

export const wordyRefusals: Attack = {
  name: 'wordy refusals',
  what: `${QUESTIONS} questions that a contract refuses in 8 MiB of words, and whose answers nobody reads`,
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
    return { lost: `${asked} of ${QUESTIONS} came to the node`, holds: asked > QUESTIONS / 4 };
  },
  async end() {
    wordy.stop();
  },
};
