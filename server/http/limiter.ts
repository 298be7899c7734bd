/**
 * Keeps clients apart. A client may run only a few tasks at the same time, and so may its address. Further tasks wait.
 * Free places go to the addresses in turn, and within an address to its clients in turn, so that many tasks of one
 * client never delay the first task of another client.
 */
import type { Problem } from './problem.js';

/** The sender of a task: an account, or else an address or a connection. */
export interface Client {
  readonly id: string | object;
  readonly address: string;
}

/** A client, and the signal that aborts when it leaves. */
export interface Sender {
  readonly client: Client;
  readonly signal: AbortSignal;
}

export interface Bounds {
  /** Running tasks in total. */
  readonly running: number;
  readonly runningOfAddress: number;
  readonly runningOfClient: number;
  /** Waiting tasks in total. Further tasks are refused. */
  readonly waiting: number;
  readonly waitingOfClient: number;
  /** Tasks that begin in one turn of the event loop, so that no turn is long. */
  readonly begunInTurn?: number;
  /** Time after which a waiting task is refused, in milliseconds. */
  readonly waitMs: number;
}

interface Task {
  readonly begin: () => void;
  readonly refuse: () => void;
  deadline?: NodeJS.Timeout;
}

interface Share {
  running: number;
  readonly waiting: Task[];
}

interface AddressShare {
  running: number;
  /** The clients of the address, the one that is next in turn first. */
  readonly clients: Map<string | object, Share>;
}

export const clientLeft = () => Object.assign(new Error('the client has left'), { code: 'ECONNABORTED' });

export class Limiter {
  /** Addresses with running or waiting tasks, the one that is next in turn first. */
  private readonly addresses = new Map<string, AddressShare>();
  private running = 0;
  private waiting = 0;
  private begunInTurn = 0;
  private left: Client[] = [];
  private isScheduled = false;

  constructor(private readonly bounds: Bounds) {}

  /**
   * Begins a task now or later, or refuses it. After the task, `leave` must be called.
   * @returns a function that withdraws the task if it still waits
   */
  enter(client: Client, begin: () => void, refuse: () => void): () => void {
    const { bounds } = this;
    const address = this.addresses.get(client.address) ?? { running: 0, clients: new Map() };
    this.addresses.set(client.address, address);
    const share = address.clients.get(client.id) ?? { running: 0, waiting: [] };
    address.clients.set(client.id, share);
    if (share.waiting.length === 0 && this.hasPlace(address, share)) {
      this.begin(address, share, begin);
      return NOTHING_WAITS;
    }
    if (this.waiting >= bounds.waiting || share.waiting.length >= bounds.waitingOfClient) {
      refuse();
      return NOTHING_WAITS;
    }
    const task: Task = { begin, refuse };
    const withdraw = () => this.withdraw(client, share, task);
    task.deadline = setTimeout(() => {
      withdraw();
      refuse();
    }, bounds.waitMs).unref();
    share.waiting.push(task);
    this.waiting++;
    return withdraw;
  }

  /** Runs a task when it has a place. @param refusal thrown if there is none in time */
  async run<Result>({ client, signal }: Sender, refusal: Problem, task: () => Promise<Result>): Promise<Result> {
    if (signal.aborted) throw clientLeft();
    await new Promise<void>((resolve, reject) => {
      const withdraw = this.enter(client, resolve, () => reject(refusal));
      signal.addEventListener('abort', () => {
        withdraw();
        reject(clientLeft()); // does nothing if the task has begun
      });
    });
    try {
      return await task();
    } finally {
      this.leave(client);
    }
  }

  /** Frees the place of a task. Waiting tasks begin in the next turn of the event loop. */
  leave(client: Client): void {
    this.left.push(client);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.continue());
  }

  private continue(): void {
    this.isScheduled = false;
    this.begunInTurn = 0;
    for (const client of this.left) {
      const address = this.addresses.get(client.address)!;
      const share = address.clients.get(client.id)!;
      this.running--;
      address.running--;
      share.running--;
      this.forget(client, share);
    }
    this.left = [];
    while (this.waiting > 0 && this.beginNext());
  }

  private hasPlace(address: AddressShare, share: Share): boolean {
    const { running, runningOfAddress, runningOfClient, begunInTurn } = this.bounds;
    if (begunInTurn !== undefined && this.begunInTurn >= begunInTurn) return false;
    return this.running < running && address.running < runningOfAddress && share.running < runningOfClient;
  }

  private begin(address: AddressShare, share: Share, begin: () => void): void {
    this.running++;
    address.running++;
    share.running++;
    if (this.bounds.begunInTurn !== undefined && this.begunInTurn++ === 0) this.schedule();
    begin();
  }

  /** Begins the waiting task whose address and client are next in turn. @returns false if none has a place */
  private beginNext(): boolean {
    for (const [name, address] of this.addresses) {
      for (const [id, share] of address.clients) {
        if (share.waiting.length === 0 || !this.hasPlace(address, share)) continue;
        moveToEnd(address.clients, id, share);
        moveToEnd(this.addresses, name, address);
        const { begin, deadline } = share.waiting.shift()!;
        clearTimeout(deadline);
        this.waiting--;
        this.begin(address, share, begin);
        return true;
      }
    }
    return false;
  }

  private withdraw(client: Client, share: Share, task: Task): void {
    const index = share.waiting.indexOf(task);
    if (index < 0) return;
    clearTimeout(task.deadline);
    share.waiting.splice(index, 1);
    this.waiting--;
    this.forget(client, share);
  }

  private forget(client: Client, share: Share): void {
    if (share.running > 0 || share.waiting.length > 0) return;
    const address = this.addresses.get(client.address)!;
    address.clients.delete(client.id);
    if (address.clients.size === 0) this.addresses.delete(client.address);
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

const NOTHING_WAITS = () => {};
