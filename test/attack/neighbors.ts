/** Neighbors: clients that send short requests during an attack and compare every answer with the right bytes. */
import { Agent, get } from 'node:http';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Faults that neighbors saw. All are zero if the attack harms nobody. */
export interface Seen {
  readonly answers: number;
  /** Answers with a status or bytes that belong to another request. */
  readonly wrong: number;
  /** Connections that ended before the answer was complete. */
  readonly reset: number;
  /** Answers that refuse the request for now (429, 503). */
  readonly refused: number;
}

const REFUSALS = [429, 503];

/** Sends a request on the agent's connection. @throws Error if the connection ends before the answer is complete */
export function read(url: string, agent: Agent, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part)).on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(parts).toString('latin1') }),
      );
    }).on('error', reject);
  });
}

/** Clients with an address and a connection of their own, each of which requests /healthz and one short path in turn. */
export class Neighbors {
  private readonly counts = { answers: 0, wrong: 0, reset: 0, refused: 0 };
  private isOver = false;
  private readonly clients: Promise<void>[] = [];

  private constructor(private readonly base: string) {}

  /**
   * Starts neighbors.
   * @param paths one path for each neighbor; its right answer is read now, before the attack
   */
  static async start(base: string, paths: readonly string[]): Promise<Neighbors> {
    const neighbors = new Neighbors(base);
    const one = new Agent();
    const right = await Promise.all(['/healthz', ...paths].map((path) => read(base + path, one, {})));
    const odd = right.find(({ status }) => status !== 200);
    if (odd) throw new Error(`a neighbor's request is answered with ${odd.status}: ${odd.body.slice(0, 200)}`);
    const [health, ...answers] = right;
    paths.forEach((path, i) => {
      const asked = [
        { path: '/healthz', right: health!.body },
        { path, right: answers[i]!.body },
      ];
      neighbors.clients.push(neighbors.client(i, asked));
    });
    return neighbors;
  }

  private async client(number: number, asked: readonly { readonly path: string; readonly right: string }[]) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { 'x-forwarded-for': `198.51.100.${number + 1}` };
    for (let i = 0; !this.isOver; i++) {
      const { path, right } = asked[i % asked.length]!;
      const answer = await read(this.base + path, agent, headers).catch(() => undefined);
      if (!answer) this.counts.reset++;
      else if (REFUSALS.includes(answer.status)) this.counts.refused++;
      else if (answer.status !== 200 || answer.body !== right) this.counts.wrong++;
      else this.counts.answers++;
    }
    agent.destroy();
  }

  /** Returns what the neighbors have seen so far. */
  get seen(): Seen {
    return { ...this.counts };
  }

  /** Waits for the running requests and closes all connections. */
  async stop(): Promise<Seen> {
    this.isOver = true;
    await Promise.all(this.clients);
    return this.seen;
  }
}
