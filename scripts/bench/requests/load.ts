/** A client that asks URLs over kept-alive connections. */
import { Agent, get, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came, still compressed. */
  readonly body: Buffer;
}

/** Request headers by name. */
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

/** Sends one GET to which only one status will do. @throws Error for another */
export async function askFor(status: number, url: string, own: Headers = {}, agent?: Agent): Promise<HttpAnswer> {
  const answer = await ask(url, own, agent);
  if (answer.status !== status) throw new Error(`${url} answers ${answer.status}: ${answer.body}`);
  return answer;
}

/** Gives URLs for so many milliseconds. */
export function* during(milliseconds: number, nextUrl: () => string): Generator<string> {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) yield nextUrl();
}

/**
 * Keeps this process from sleeping. Each answer of a server that is slower than its only client would wake it, which on a virtual machine
 * takes a tenth of a millisecond of the server's processor time; with many clients one is always awake.
 * @returns what lets it sleep again
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
 * Asks one URL after the other, ten at a time, and gives the number of answers.
 * @throws Error for the first answer of another status
 */
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
