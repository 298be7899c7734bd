/** The server's contract API before two stand-ins of nodes, each in a process of its own. */
import { Agent } from 'node:http';
import { answerTo, nextMessage, start, stop } from '../measured.js';
import { ask } from '../requests/load.js';
import { type Running, startServer } from '../requests/servers.js';
import type { Settings } from '../settings.js';
import type { Sickness } from './node-process.js';

const NODE = new URL('./node-process.js', import.meta.url);
const CONTRACT = 'cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs2zhgh2';

export const SICKNESSES: readonly Sickness[] = [
  'dead',
  'slow',
  'malformed',
  'of another chain',
  'an hour behind',
  'limiting requests',
];
/** The network of two nodes that only this sickness befalls, so that none remembers another. Of mainnet the right chain is known. */
export const pairOf = (sickness: Sickness) =>
  sickness === 'of another chain' ? 'mainnet' : sickness.replaceAll(' ', '-');
/** The network of one of these nodes alone: it answers while the node's circuit is closed. */
export const aloneOf = (sickness: Sickness, node: number) => `${pairOf(sickness)}-${node}`;
/** The network that stays well. */
export const WELL = 'well';

async function startNode(): Promise<Running> {
  const process = start(NODE);
  const { port } = await nextMessage<{ port: number }>(process);
  return { process, url: `http://127.0.0.1:${port}` };
}

/** Makes a node well or sick. @returns how many queries it was asked since the last time */
export function become({ process }: Running, sick?: Sickness): Promise<number> {
  return answerTo<number>(process, { sick });
}

let messages = 0;
/** Makes a message that nobody has asked before. */
const newMessage = () => JSON.stringify({ at: ++messages });

/** Asks for a URL, and measures the milliseconds until its answer. */
async function timed(url: string, agent: Agent) {
  const began = performance.now();
  const { status, body } = await ask(url, {}, agent);
  return { took: performance.now() - began, status, body };
}

/** The API of a server that asks two nodes. */
export class ContractApi {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    readonly server: Running,
    readonly nodes: readonly Running[],
  ) {}

  url(network: string, message = newMessage()): string {
    return `${this.server.url}/api/v1/query?network=${network}&contract=${CONTRACT}&query=${encodeURIComponent(message)}`;
  }

  /** Asks a query of the API. @returns milliseconds @throws Error when it is not answered by a node that may answer */
  async query(network: string, except?: Running): Promise<number> {
    const { took, status, body } = await timed(this.url(network), this.agent);
    if (status !== 200) throw new Error(`${network} answers ${status}`);
    if (except?.url.endsWith(`:${JSON.parse(body.toString()).data.port}`)) throw new Error(`${network}: a sick answer`);
    return took;
  }

  async isAnswered(network: string): Promise<boolean> {
    return (await timed(this.url(network), this.agent)).status === 200;
  }

  async direct(node: Running): Promise<number> {
    const message = encodeURIComponent(Buffer.from(newMessage()).toString('base64'));
    return (await timed(`${node.url}/cosmwasm/wasm/v1/contract/${CONTRACT}/smart/${message}`, this.agent)).took;
  }

  /** The index of the node that a network asks first. */
  async favourite(network: string): Promise<number> {
    for (const node of this.nodes) await become(node);
    for (let i = 0; i < 5; i++) await this.query(network);
    const asked = await Promise.all(this.nodes.map((node) => become(node)));
    return asked[0]! >= asked[1]! ? 0 : 1;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await Promise.all([this.server, ...this.nodes].map(({ process }) => stop(process)));
  }
}

/** Starts two nodes, and a server whose networks they are. */
export async function startApi(settings: Settings, dataDir: string): Promise<ContractApi> {
  const nodes = [await startNode(), await startNode()];
  const urls = nodes.map(({ url }) => url);
  const pairs = [WELL, ...SICKNESSES.map(pairOf)].map((name) => [name, urls]);
  const alone = SICKNESSES.flatMap((name) => urls.map((url, i) => [aloneOf(name, i), [url]]));
  const networks = JSON.stringify(Object.fromEntries([...pairs, ...alone]));
  const server = await startServer(settings, dataDir, { HUBLEDGER_NETWORKS: networks, HUBLEDGER_RATE_LIMIT: '0' });
  return new ContractApi(server, nodes);
}
