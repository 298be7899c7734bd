import { VariableError } from '../../base/config-error.js';
import { FileStore, fileError } from './file-store.js';
import { type Condition, type ObjectStore, type Patience, retrying } from './object-store.js';
import { S3Store } from './s3-store.js';

/**
 * Opens the store at HUBLEDGER_STORE_URL.
 * @throws VariableError if the S3 driver is not installed
 */
export async function openObjectStore(
  url: string,
  s3Endpoint: string | undefined,
  patience: Patience,
): Promise<ObjectStore> {
  const store = url.startsWith('s3:') ? await S3Store.open(url, s3Endpoint) : new FileStore(url);
  const again = <Result>(act: () => Promise<Result>) =>
    retrying(() => act().catch((error) => Promise.reject(fileError(error, url))), patience);
  return {
    url,
    get: (key, from) => again(() => store.get(key, from)),
    put: (key, body, condition) => again(() => store.put(key, body, condition)),
    head: (key) => again(() => store.head(key)),
    async *list(prefix) {
      for (let page = await again(() => store.page(prefix)); ; ) {
        yield* page.objects;
        const { next } = page;
        if (next === undefined) return;
        page = await again(() => store.page(prefix, next));
      }
    },
    remove: (key) => again(() => store.remove(key)),
  };
}

/**
 * Writes small objects to check that the store supports conditional writes.
 * @throws VariableError if the store does not support them, or if the bucket or credentials are wrong
 */
export async function probe(store: ObjectStore): Promise<void> {
  const key = `probes/${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const write = (text: string, condition: Condition) => store.put(key, Buffer.from(text), condition);
  const lacks = new VariableError(
    `HUBLEDGER_STORE_URL: ${store.url} has no conditional writes (If-None-Match, If-Match)`,
  );
  try {
    const first = await write('1', { ifNoneMatch: '*' });
    if (typeof first === 'string') throw lacks;
    if ((await write('2', { ifNoneMatch: '*' })) !== 'exists') throw lacks;
    const second = await write('3', { ifMatch: first.etag });
    if (typeof second === 'string' || (await write('4', { ifMatch: first.etag })) !== 'changed') throw lacks;
  } finally {
    await store.remove(key);
  }
}
