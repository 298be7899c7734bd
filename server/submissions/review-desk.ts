/**
 * The review desk: the operator's way to submissions, also while a server has the embedded store open, which one process owns. That
 * server answers on a unix socket below the data directory, in a folder that nobody but its user can enter. A request is one JSON text
 * until the client ends its side, and so is the answer (decisions, "Reviews while a server runs").
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { makeFolder } from '../../pipeline/disk/atomic-files.js';
import { withAddress } from '../../pipeline/disk/socket-address.js';
import type { Disclosure, Submission } from '../../schemas/types.generated.js';
import type { Queries } from '../store/store.js';
import { review, reviewQueue, waitingSubmission } from './submissions.js';

export interface ReviewDesk {
  /** Submissions that wait for a review, the oldest first. */
  queue(): Promise<Submission[]>;
  /** A submission that waits; null when none with that id does. */
  waiting(id: string): Promise<Submission | null>;
  /** Settles one that waits; null when none with that id does. @param disclosure the registry's entry that it makes */
  settle(id: string, status: 'accepted' | 'rejected', disclosure: Disclosure | null): Promise<Submission | null>;
}

/** The acts of a desk, which are all that its socket offers. */
const ACTS = ['queue', 'waiting', 'settle'] as const;

interface Order {
  readonly act: (typeof ACTS)[number];
  readonly arguments: readonly unknown[];
}

type Reply = { readonly result: unknown } | { readonly error: string };

/** Bytes of a request at the most: a note and a disclosure are a few thousand. */
const ORDER_BYTES_MAX = 256 * 1024;
/** Time that either side waits for the other. */
const SILENCE_MS_MAX = 10_000;

const deskFolder = (dataDir: string) => join(dataDir, 'review-desk');

/** The desk of an open store. @param onSettled called before a settled submission is answered */
export const storeDesk = (store: Queries, now: () => Date, onSettled = async () => {}): ReviewDesk => ({
  queue: () => reviewQueue(store),
  waiting: async (id) => (await waitingSubmission(store, id)) ?? null,
  async settle(id, status, disclosure) {
    const settled = await review(store, id, status, now(), disclosure);
    if (settled) await onSettled();
    return settled ?? null;
  },
});

/** Ends a connection whose other side falls silent. */
const endSilence = (socket: Socket) =>
  socket.setTimeout(SILENCE_MS_MAX, () => socket.destroy(new Error('the other side is silent')));

/** Reads a request until its sender ends. @throws Error when that sends too much */
async function readOrder(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // The socket stays open, since the answer is yet to come.
  for await (const part of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > ORDER_BYTES_MAX) throw new Error(`more than ${ORDER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function carryOut(desk: ReviewDesk, text: string): Promise<unknown> {
  const { act, arguments: given } = JSON.parse(text) as Order;
  if (!ACTS.includes(act)) throw new Error(`the review desk has no act ${JSON.stringify(act)}`);
  return (desk[act] as (...given: readonly unknown[]) => Promise<unknown>)(...given);
}

async function answer(socket: Socket, desk: ReviewDesk): Promise<void> {
  let reply: Reply;
  try {
    reply = { result: await carryOut(desk, await readOrder(socket)) };
  } catch (error) {
    reply = { error: (error as Error).message };
  }
  socket.end(JSON.stringify(reply));
}

/**
 * Answers `hubledger submissions` for this desk from now on. It does not keep the process running.
 * @returns a function that ends it
 * @throws Error where the data directory bears no unix sockets
 */
export async function openReviewDesk(dataDir: string, desk: ReviewDesk): Promise<() => void> {
  const folder = deskFolder(dataDir);
  makeFolder(folder);
  chmodSync(folder, 0o700); // also one of an earlier start, and whatever the process's umask
  for (const name of readdirSync(folder)) if (!(await isOpen(folder, name))) rmSync(join(folder, name));
  const name = randomBytes(8).toString('hex');
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}); // of a client that went away
    void answer(endSilence(socket), desk);
  });
  server.on('error', () => {}); // of a connection that cannot be accepted; that it cannot listen is thrown
  await withAddress(folder, name, (path) => once(server.listen({ path, exclusive: true }), 'listening'));
  server.unref();
  return () => {
    rmSync(join(folder, name), { force: true });
    server.close();
  };
}

/** Connects to a desk. @throws Error when nobody listens */
const reach = (folder: string, name: string): Promise<Socket> =>
  withAddress(folder, name, async (path) => {
    const socket = connect({ path, allowHalfOpen: true });
    await once(socket, 'connect');
    return endSilence(socket);
  });

async function isOpen(folder: string, name: string): Promise<boolean> {
  const socket = await reach(folder, name).catch(() => undefined);
  socket?.destroy();
  return socket !== undefined;
}

async function ask(folder: string, name: string, order: Order): Promise<Reply> {
  const socket = await reach(folder, name);
  socket.end(JSON.stringify(order));
  return (await json(socket)) as Reply; // a queue may be long, and its server is trusted
}

/** The desk of a server that has the store of this data directory open; undefined when none answers. */
export async function serverDesk(dataDir: string): Promise<ReviewDesk | undefined> {
  const folder = deskFolder(dataDir);
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // No server has made it yet.
  }
  for (const name of names) {
    const order = async (act: Order['act'], ...given: readonly unknown[]) => {
      const reply = await ask(folder, name, { act, arguments: given });
      if ('error' in reply) throw new Error(reply.error);
      return reply.result as never;
    };
    const desk: ReviewDesk = {
      queue: () => order('queue'),
      waiting: (id) => order('waiting', id),
      settle: (id, status, disclosure) => order('settle', id, status, disclosure),
    };
    // One without the store, beside another server that has it, says so.
    const isServing = await desk.queue().then(
      () => true,
      () => false,
    );
    if (isServing) return desk;
  }
  return undefined;
}
