/** A client that asks one URL again and again over kept-alive connections. */
import { Agent, get, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came, still compressed. */
  readonly body: Buffer;
}

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** One GET that accepts gzip. */
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

/**
 * Asks for so many milliseconds and gives the number of answers.
 * @throws Error for the first answer that is not 200
 */
export async function load(url: string, milliseconds: number, own: Headers = {}, connections = 10): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + milliseconds;
  let answers = 0;
  const client = async () => {
    while (performance.now() < end) {
      const { status } = await ask(url, own, agent);
      if (status !== 200) throw new Error(`${url} answers ${status}`);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return answers;
}
