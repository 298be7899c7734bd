/** Embedded stores of tests, which begin empty: to make one takes ten times as long as to copy one that is made. */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../../../pipeline/base/disk/lock.js';
import { Store } from '../../../../server/people/store/store.js';
import { sharedFolder } from '../../../shared-folder.js';

/** Lays an empty store into a data folder that has none, unless another process makes one there. */
export async function layStore(dataDir: string): Promise<void> {
  const store = join(dataDir, 'store');
  if (process.env.TEST_RUN_FOLDER === undefined || existsSync(store)) return;
  const laying = mkdtempSync(join(dataDir, '.laying-'));
  await sharedFolder('store', laying, makeStore);
  const attempt = await tryLock(dataDir, 'store');
  if ('release' in attempt) {
    if (!existsSync(store)) renameSync(join(laying, 'store'), store);
    attempt.release();
  }
  rmSync(laying, { recursive: true });
}

async function makeStore(dataDir: string): Promise<object> {
  const store = new Store({ dataDir, databaseUrl: undefined });
  await store.open();
  await store.close();
  return {};
}

/** The server's store, which lays what it opens instead of making it. */
export class LaidStore extends Store {
  constructor(...[options, log]: ConstructorParameters<typeof Store>) {
    super(options, log);
    this.laid = options.databaseUrl === undefined ? () => layStore(options.dataDir) : async () => {};
  }

  private readonly laid: () => Promise<void>;

  protected override async begin() {
    await this.laid();
    return super.begin();
  }
}
