import { parentPort, workerData } from 'node:worker_threads';
import { openFolder } from './pglite-folder.js';
import { type Row, reasonOf, StatementError, storeError, type Value } from './session.js';

export type Order =
  | { readonly kind: 'run'; readonly sql: string; readonly values: readonly Value[] }
  | { readonly kind: 'script'; readonly sql: string }
  | { readonly kind: 'vacuum' }
  | { readonly kind: 'close' };

export interface Request {
  readonly id: number;
  readonly order: Order;
}

export interface Reply {
  readonly id: number;
  readonly rows?: Row[];
  readonly error?: { readonly message: string; readonly sqlState: string };
}

const session = await openFolder(workerData).catch((error) => {
  throw new Error(reasonOf(error)); // only the message of an error reaches the main thread
});

async function execute(order: Order): Promise<Row[]> {
  if (order.kind === 'run') return session.run(order.sql, order.values);
  if (order.kind === 'script') await session.script(order.sql);
  else await session[order.kind]();
  return [];
}

parentPort!.on('message', async ({ id, order }: Request) => {
  try {
    parentPort!.postMessage({ id, rows: await execute(order) } satisfies Reply);
  } catch (failure) {
    const error = storeError(failure);
    if (!(error instanceof StatementError)) throw error;
    parentPort!.postMessage({ id, error: { message: error.message, sqlState: error.sqlState } } satisfies Reply);
  }
  if (order.kind === 'close') parentPort!.close();
});
