/**
 * The review desk allows `hubledger submissions` and `hubledger keys` to work while a server has the embedded store open.
 * The server listens on a Unix socket in the data folder. A request and its response are one JSON text each
 * (decisions, "Reviews while a server runs").
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { makeFolder } from '../../../pipeline/base/disk/atomic-files.js';
import { withAddress } from '../../../pipeline/base/disk/socket-address.js';
import type { Config } from '../../../pipeline/config.js';
import type { ApiKey, Disclosure, Scope, Submission } from '../../../schemas/types.generated.js';
import { ensureNamedAccount } from '../accounts/accounts.js';
import { createKey, type KeyLimit, type ListedKey, limitKey, listAllKeys, revokeKey } from '../accounts/keys.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { Parameters, Queries, Transactions } from '../store/store.js';

/** A key for the account with this name. The account is created if it is missing. */
interface KeyRequest {
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** RFC 3339; null if the key does not expire. */
  readonly expires: string | null;
}

export interface ReviewDesk {
  queue(): Promise<Submission[]>;
  waiting(id: string): Promise<Submission | null>;
  settle(id: string, status: 'accepted' | 'rejected', disclosure: Disclosure | null): Promise<Submission | null>;
  createKey(wanted: KeyRequest): Promise<Pick<ApiKey, 'id' | 'key'>>;
  listKeys(): Promise<ListedKey[]>;
  /** @returns false if there is no such key */
  revokeKey(id: string): Promise<boolean>;
  /** @returns false if there is no such key */
  limitKey(id: string, limit: KeyLimit): Promise<boolean>;
}

const ACTS = [
  'queue',
  'waiting',
  'settle',
  'createKey',
  'listKeys',
  'revokeKey',
  'limitKey',
] as const satisfies (keyof ReviewDesk)[];

interface Order {
  readonly act: keyof ReviewDesk;
  readonly arguments: readonly unknown[];
}

type Reply = { readonly result: unknown } | { readonly error: string };

const ORDER_BYTES_MAX = 256 * 1024;
const IDLE_MS_MAX = 10_000;

const deskFolder = (dataDir: string) => join(dataDir, 'review-desk');

const query = async (store: Queries, name: string, values: Parameters): Promise<Submission[]> =>
  (await store.query<RowOf<Submission>>(name, values)).map(toResponse<Submission>);

const waitingSubmission = async (store: Queries, id: string): Promise<Submission | undefined> =>
  (await query(store, 'submissions/waiting', { id }))[0];

export const storeDesk = (
  store: Transactions,
  { now, tiers }: Pick<Config, 'now' | 'tiers'>,
  onSettled = async () => {},
): ReviewDesk => ({
  queue: () => query(store, 'submissions/with-status', { status: 'received' }),
  waiting: async (id) => (await waitingSubmission(store, id)) ?? null,
  async settle(id, status, disclosure) {
    const [settled] = await query(store, 'submissions/review', { id, status, now: now(), disclosure });
    if (settled) await onSettled();
    return settled ?? null;
  },
  async createKey({ account, name, scopes, expires }) {
    const at = now();
    const owner = await ensureNamedAccount(store, account, at);
    const wanted = { account: owner, name, scopes, expires: expires === null ? undefined : new Date(expires) };
    const { id, key } = await createKey(store, wanted, at);
    return { id, key };
  },
  listKeys: () => listAllKeys(store, tiers),
  revokeKey: (id) => revokeKey(store, null, id, now()),
  limitKey: (id, limit) => limitKey(store, id, limit),
});

const endSilence = (socket: Socket) =>
  socket.setTimeout(IDLE_MS_MAX, () => socket.destroy(new Error('the other side does not respond')));

async function readOrder(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // The option is needed because leaving this loop would otherwise close the socket before the response is sent.
  for await (const part of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > ORDER_BYTES_MAX) throw new Error(`more than ${ORDER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function carryOut(desk: ReviewDesk, text: string): Promise<unknown> {
  const { act, arguments: given } = JSON.parse(text) as Order;
  if (!ACTS.includes(act)) throw new Error(`the review desk has no action ${JSON.stringify(act)}`);
  return (desk[act] as (...given: readonly unknown[]) => Promise<unknown>)(...given);
}

async function serveDesk(socket: Socket, desk: ReviewDesk): Promise<void> {
  let reply: Reply;
  try {
    reply = { result: await carryOut(desk, await readOrder(socket)) };
  } catch (error) {
    reply = { error: (error as Error).message };
  }
  socket.end(JSON.stringify(reply));
}

/**
 * Starts the review desk in a server. The open socket does not keep the process alive. @returns a function that stops
 * the desk
 */
export async function openReviewDesk(dataDir: string, desk: ReviewDesk): Promise<() => void> {
  const folder = deskFolder(dataDir);
  makeFolder(folder);
  chmodSync(folder, 0o700); // corrects the mode if the folder already exists or the umask changed it
  for (const name of readdirSync(folder)) if (!(await isOpen(folder, name))) rmSync(join(folder, name));
  const name = randomBytes(8).toString('hex');
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    void serveDesk(endSilence(socket), desk);
  });
  server.on('error', () => {});
  await withAddress(folder, name, (path) => once(server.listen({ path, exclusive: true }), 'listening'));
  server.unref();
  return () => {
    rmSync(join(folder, name), { force: true });
    server.close();
  };
}

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
  return (await json(socket)) as Reply; // no size limit, because the server is trusted
}

export async function serverDesk(dataDir: string): Promise<ReviewDesk | undefined> {
  const folder = deskFolder(dataDir);
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // The folder does not exist, so no server has created it yet.
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
      createKey: (wanted) => order('createKey', wanted),
      listKeys: () => order('listKeys'),
      revokeKey: (id) => order('revokeKey', id),
      limitKey: (id, limit) => order('limitKey', id, limit),
    };
    // A server that cannot open the store responds with an error. In this case, the next server is queried.
    const isServing = await desk.queue().then(
      () => true,
      () => false,
    );
    if (isServing) return desk;
  }
  return undefined;
}
