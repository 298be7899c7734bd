/** HTTP client with keep-alive connections. */
import { Agent, get, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Still compressed. */
  readonly body: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

const CONNECTIONS = 10;

/** Sends one GET that accepts gzip. */
export function ask(url: string, own: Headers = {}, agent?: Agent): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip', ...own };
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

/** Sends one GET. @throws Error for another status */
export async function askFor(status: number, url: string, own: Headers = {}, agent?: Agent): Promise<HttpAnswer> {
  const answer = await ask(url, own, agent);
  if (answer.status !== status) throw new Error(`${url} answers ${answer.status}: ${answer.body}`);
  return answer;
}

/**
 * Keeps this process from sleeping. On a virtual machine, each wake-up costs the server a tenth of a millisecond of CPU time; with many
 * clients, one is always awake.
 * @returns a function that allows it to sleep again
 */
function stayAwake(): () => void {
  let isOver = false;
  const turn = () => void (isOver || setImmediate(turn));
  turn();
  return () => {
    isOver = true;
  };
}

/** Requests the URLs, ten at a time. @returns the number of answers @throws Error for an answer of another status */
export async function load(urls: Generator<string>, own: Headers = {}, status = 200): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let answers = 0;
  const client = async () => {
    for (const url of urls) {
      await askFor(status, url, own, agent);
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
