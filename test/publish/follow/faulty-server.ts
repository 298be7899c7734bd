/** A server of files with faults: it passes requests on to another server, and spoils some of the answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** What happens to an answer: a status in its place, a cut after some bytes, another byte, or no end. */
export type Fault = { readonly status: 429 | 503 } | { readonly cutAt: number } | 'wrong-byte' | 'hangs' | undefined;

export interface Request {
  readonly path: string;
  readonly range: string | undefined;
}

export class FaultyServer {
  readonly requests: Request[] = [];
  /** Returns the fault of an answer. Faults come only to files with bodies. */
  fault: (request: Request) => Fault = () => undefined;
  /** Requests that a client may send in each second. The server states this limit in headers, as hubledger does. */
  quota = Number.POSITIVE_INFINITY;
  refused = 0;
  private readonly window = { second: 0, requests: 0 };
  /** Generation that is in force here, if another than at the server behind. */
  latest: string | undefined;
  private server: Server | undefined;
  private port = 0;

  /** @param target base URL of the server behind it */
  constructor(readonly target: string) {}

  static async start(target: string, t: TestContext): Promise<FaultyServer> {
    const faulty = new FaultyServer(target);
    await faulty.open();
    t.after(() => faulty.close());
    return faulty;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Opens it, again on the same port. */
  async open(): Promise<void> {
    this.server = createServer(async ({ url, headers }, response) => {
      const request = { path: url!, range: headers.range };
      this.requests.push(request);
      const fault = this.fault(request);
      if (typeof fault === 'object' && 'status' in fault) {
        response.writeHead(fault.status, { 'retry-after': '0' }).end('{"detail":"too busy"}');
        return;
      }
      const limits = this.count();
      if (limits === undefined) {
        response.writeHead(429, { 'retry-after': '1' }).end('{"detail":"more requests than allowed"}');
        return;
      }
      if (this.latest !== undefined && url!.endsWith('/latest')) {
        response.writeHead(307, { ...limits, location: `/datasets/cosmoshub/${this.latest}/manifest.json` }).end();
        return;
      }
      const own: Record<string, string> = headers.range === undefined ? {} : { range: headers.range };
      const answer = await fetch(this.target + url, { headers: own, redirect: 'manual' });
      const body = Buffer.from(await answer.arrayBuffer());
      const sent = ['location', 'content-range'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      if (fault === 'wrong-byte') body[body.length >> 1]! ^= 1;
      response.writeHead(answer.status, { ...limits, ...Object.fromEntries(sent), 'content-length': body.length });
      if (fault === 'hangs') return void response.write(body.subarray(0, body.length >> 1));
      if (typeof fault !== 'object') return void response.end(body);
      response.write(body.subarray(0, fault.cutAt), () => response.destroy());
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** @returns headers about the quota, or undefined if it is used up */
  private count(): Record<string, string> | undefined {
    if (this.quota === Number.POSITIVE_INFINITY) return {};
    const second = Math.floor(performance.now() / 1000);
    if (this.window.second !== second) Object.assign(this.window, { second, requests: 0 });
    const left = this.quota - ++this.window.requests;
    if (left < 0) this.refused++;
    const headers = { 'ratelimit-policy': `"datasets";q=${this.quota};w=1`, ratelimit: `"datasets";r=${left};t=1` };
    return left < 0 ? undefined : headers;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    if (this.server?.listening) await new Promise((resolve) => this.server!.close(resolve));
  }
}
