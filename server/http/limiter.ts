/**
 * Keeps clients apart. A client may run only a few tasks at the same time, and so may its address. Further tasks wait.
 * Free places go to the addresses in turn, and within an address to its clients in turn, so that many tasks of one
 * client never delay the first task of another client. If too many tasks wait, the address with the most loses its
 * newest.
 */
import type { Problem } from './problem.js';

/** The sender of a task: an account, or else an address or a connection. */
export interface Client {
  readonly id: string | object;
  readonly address: string;
}

/** The signal aborts when the client leaves. */
export interface Sender {
  readonly client: Client;
  readonly signal: AbortSignal;
}

export interface Bounds {
  /** Running tasks in total. */
  readonly running: number;
  readonly runningOfAddress: number;
  readonly runningOfClient: number;
  /** Waiting tasks in total. */
  readonly waiting: number;
  readonly waitingOfClient: number;
  /** Tasks that begin in one turn of the event loop, so that no turn is long. */
  readonly begunInTurn?: number;
  /** Time after which a waiting task is refused, in milliseconds. */
  readonly waitMs: number;
}

/** Tasks of an address or of a client. */
interface Share {
  running: number;
  waiting: number;
  /** Number of its task that began last. */
  last: number;
}

interface Task {
  readonly client: Client;
  readonly ofAddress: Share;
  readonly ofClient: Share;
  readonly begin: () => void;
  /** Stops waiting, and refuses the task. */
  readonly giveUp: () => void;
  deadline?: NodeJS.Timeout;
}

const TURNS_PUT_OFF_MAX = 50;

export const clientLeft = () => Object.assign(new Error('the client has left'), { code: 'ECONNABORTED' });

export class Limiter {
  private readonly addresses = new Map<string, Share>();
  private readonly clients = new Map<string | object, Share>();
  private readonly waiting = new Set<Task>();
  private running = 0;
  private begun = 0;
  private begunInTurn = 0;
  private left: Client[] = [];
  private turn: NodeJS.Immediate | undefined;
  private isPutOff = false;
  private turnsPutOff = 0;

  constructor(private readonly bounds: Bounds) {}

  /**
   * Begins a task now or later, or refuses it. After the task, `leave` must be called.
   * @returns a function that withdraws the task if it still waits
   */
  enter(client: Client, begin: () => void, refuse: () => void): () => void {
    const ofAddress = shareOf(this.addresses, client.address);
    const ofClient = shareOf(this.clients, client.id);
    const withdraw = () => {
      if (!this.waiting.has(task)) return;
      this.stopWaiting(task);
      this.forget(client);
    };
    const giveUp = () => {
      withdraw();
      refuse();
    };
    const task: Task = { client, ofAddress, ofClient, begin, giveUp };
    if (ofClient.waiting === 0 && this.hasPlace(task)) this.begin(task);
    else if (ofClient.waiting >= this.bounds.waitingOfClient || !this.mayWait(ofAddress)) {
      this.forget(client);
      refuse();
    } else {
      task.deadline = setTimeout(giveUp, this.bounds.waitMs).unref();
      this.waiting.add(task);
      ofAddress.waiting++;
      ofClient.waiting++;
    }
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
    this.turn ??= setImmediate(() => this.continue());
  }

  /**
   * Puts off waiting tasks by a turn of the event loop, at most TURNS_PUT_OFF_MAX times in a row. Node.js accepts one
   * connection in a turn, so thousands of busy clients would delay new connections (attack "overload").
   */
  putOff(): void {
    this.isPutOff = true;
    this.turn ??= setImmediate(() => this.continue());
  }

  private continue(): void {
    this.turn = undefined;
    if (this.isPutOff && this.turnsPutOff++ < TURNS_PUT_OFF_MAX) {
      this.isPutOff = false;
      this.turn = setImmediate(() => this.continue());
      return;
    }
    this.turnsPutOff = 0;
    this.begunInTurn = 0;
    for (const client of this.left) {
      this.running--;
      this.addresses.get(client.address)!.running--;
      this.clients.get(client.id)!.running--;
      this.forget(client);
    }
    this.left = [];
    for (let next = this.next(); next; next = this.next()) {
      this.stopWaiting(next);
      this.begin(next);
    }
  }

  /**
   * If too many tasks wait, makes room for a task whose address has fewer waiting tasks than the average. Other tasks are
   * refused without the search, which is too slow for floods (attack "pipelined flood").
   */
  private mayWait(ofAddress: Share): boolean {
    if (this.waiting.size < this.bounds.waiting) return true;
    if ((ofAddress.waiting + 1) * this.addresses.size >= this.waiting.size) return false;
    [...this.waiting].reduce((a, b) => (b.ofAddress.waiting >= a.ofAddress.waiting ? b : a)).giveUp();
    return true;
  }

  private hasPlace({ ofAddress, ofClient }: Task): boolean {
    const { running, runningOfAddress, runningOfClient, begunInTurn = Number.POSITIVE_INFINITY } = this.bounds;
    const isFree = this.running < running && this.begunInTurn < begunInTurn;
    return isFree && ofAddress.running < runningOfAddress && ofClient.running < runningOfClient;
  }

  /** Returns the task whose address, and then whose client, has waited longest since its last task began. */
  private next(): Task | undefined {
    let next: Task | undefined;
    for (const task of this.waiting) if (this.hasPlace(task) && (!next || isBefore(task, next))) next = task;
    return next;
  }

  private begin({ ofAddress, ofClient, begin }: Task): void {
    this.running++;
    this.begunInTurn++;
    for (const share of [ofAddress, ofClient]) {
      share.running++;
      share.last = this.begun;
    }
    this.begun++;
    if (this.bounds.begunInTurn !== undefined) this.turn ??= setImmediate(() => this.continue());
    begin();
  }

  private stopWaiting(task: Task): void {
    clearTimeout(task.deadline);
    this.waiting.delete(task);
    task.ofAddress.waiting--;
    task.ofClient.waiting--;
  }

  private forget({ address, id }: Client): void {
    if (isUnused(this.addresses.get(address)!)) this.addresses.delete(address);
    if (isUnused(this.clients.get(id)!)) this.clients.delete(id);
  }
}

function shareOf<Key>(shares: Map<Key, Share>, key: Key): Share {
  const share = shares.get(key) ?? { running: 0, waiting: 0, last: -1 };
  shares.set(key, share);
  return share;
}

const isUnused = ({ running, waiting }: Share) => running === 0 && waiting === 0;

const isBefore = (a: Task, b: Task) =>
  a.ofAddress.last === b.ofAddress.last ? a.ofClient.last < b.ofClient.last : a.ofAddress.last < b.ofAddress.last;
