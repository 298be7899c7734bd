/** A node's REST endpoint on a loopback port, which answers as recorded, or as a sick one does. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';

export interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly body: object;
}

/** Answers that a node of a recorded chain gave at height 4398. */
export const RECORDED: readonly Recorded[] = JSON.parse(
  readFileSync(join(projectRoot(), 'test/server/contracts/answers.json'), 'utf8'),
);

export const TOKEN = 'cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs2zhgh2';

/** The path of a smart query. */
export const smart = (contract: string, message: string) =>
  `/cosmwasm/wasm/v1/contract/${contract}/smart/${encodeURIComponent(Buffer.from(message).toString('base64'))}`;

/** Bytes of a request's head that Go's servers take: a mebibyte. */
const HEAD_BYTES_MAX = 1024 * 1024;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';

export class TestNode {
  chainId = 'cosmoshub-4';
  height = 4398;
  /** Time of the latest block's header. */
  time = Date.now();
  /** Height that answers carry in place of the latest block's. */
  answerHeight: number | undefined;
  /** Handler of a sick node, which answers in place of it. */
  sick: Handle | undefined;
  /** Paths that were asked for, without those for its health. */
  readonly asked: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly answers = new Map<string, { status: number; text: string }>(
    RECORDED.map(({ path, status, body }) => [path, { status, text: JSON.stringify(body) }]),
  );

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(t?: TestContext): Promise<TestNode> {
    const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX }, (request, response) =>
      node.handle(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const node: TestNode = new TestNode(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t?.after(() => node.stop());
    return node;
  }

  /** Sets a contract's answer to a message. */
  say(message: string, text: string, status = 200): void {
    this.answers.set(smart(TOKEN, message), { status, text });
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!;
    if (path !== LATEST_BLOCK) {
      this.asked.push(path);
      this.headers.push(request.headers);
    }
    if (this.sick) {
      this.sick(request, response);
      return;
    }
    const { status, text } = path === LATEST_BLOCK ? this.latest() : (this.answers.get(path) ?? NOT_SERVED);
    const height = request.headers['x-cosmos-block-height'] ?? String(this.answerHeight ?? this.height);
    response.writeHead(status, { 'content-type': 'application/json', 'x-cosmos-block-height': height }).end(text);
  }

  private latest() {
    const header = { chain_id: this.chainId, height: String(this.height), time: new Date(this.time).toISOString() };
    return { status: 200, text: JSON.stringify({ block: { header } }) };
  }
}

const NOT_SERVED = { status: 501, text: '{"code":12,"message":"Not Implemented","details":[]}' };
