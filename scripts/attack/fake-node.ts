/** A node of the contract API on a loopback port, behind a gateway that takes request lines of eight kilobytes, as nginx does. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LINE_BYTES_MAX = 8192;
const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';

export class FakeNode {
  /** Paths that were asked for, without those for its health. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param answer answers questions in place of the usual answer */
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
