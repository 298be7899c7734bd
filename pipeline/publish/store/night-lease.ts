/**
 * The lease of nightly runs: only one run works on a store at a time. The lease only avoids useless work. Publication is
 * safe without it, because CURRENT is replaced only if it has not changed.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { RunningError } from '../../base/config-error.js';
import type { ContentStore } from './content-store.js';

const LEASE = 'locks/night';

export interface LeaseTimes {
  readonly renewMs: number;
  /** Another run may take over a lease that has not been renewed for this time. */
  readonly staleMs: number;
}

const LEASE_TIMES: LeaseTimes = { renewMs: 10_000, staleMs: 30_000 };

interface Lease {
  readonly holder: string;
  readonly folder: string;
  readonly id: string;
  readonly etag: string;
}

/**
 * Takes the lease of nightly runs, and renews it until it is released.
 * @param folder id of the locked data folder; a lease with the same id belongs to a killed run, so it is taken over
 * @throws RunningError if another run is renewing its lease
 */
export async function takeLease(
  store: ContentStore,
  folder: string,
  times: LeaseTimes = LEASE_TIMES,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  const text = (beat: number) =>
    Buffer.from(JSON.stringify({ holder: `process ${process.pid} on ${hostname()}`, folder, id, beat }));
  let etag = await firstLease(store, text(0), folder, times);
  let [beat, beating] = [0, Promise.resolve()];
  const renew = async () => {
    const written = await store.objects.put(LEASE, text(++beat), { ifMatch: etag });
    if (typeof written !== 'string') etag = written.etag;
    else if ((await readLease(store))?.id !== id) {
      clearInterval(timer);
      store.patience.say(`${store.objects.url}: another nightly run has taken over the lease`);
    } else etag = (await store.objects.head(LEASE))?.etag ?? etag;
  };
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    beating = renew()
      .catch(() => {}) // the run itself reports an unreachable store
      .finally(() => {
        isBusy = false;
      });
  }, times.renewMs).unref();
  return async () => {
    clearInterval(timer);
    await beating;
    if ((await readLease(store))?.id === id) await store.objects.remove(LEASE);
  };
}

async function readLease(store: ContentStore): Promise<Lease | undefined> {
  const found = await store.readText(LEASE);
  return found && { ...JSON.parse(found.text), etag: found.etag };
}

async function firstLease(
  store: ContentStore,
  text: Buffer,
  folder: string,
  { renewMs, staleMs }: LeaseTimes,
): Promise<string> {
  let first: string | undefined;
  let since = performance.now();
  for (;;) {
    const written = await store.objects.put(LEASE, text, { ifNoneMatch: '*' });
    if (typeof written !== 'string') return written.etag;
    const lease = await readLease(store);
    if (lease === undefined) continue;
    if (lease.folder === folder || (lease.etag === first && performance.now() - since >= staleMs)) {
      const taken = await store.objects.put(LEASE, text, { ifMatch: lease.etag });
      if (typeof taken !== 'string') return taken.etag;
    } else if (first !== undefined && lease.etag !== first) {
      const place = `${store.objects.url}/${LEASE}`;
      throw new RunningError(`a nightly run is already in progress: ${lease.holder} (${place})`);
    }
    if (first === undefined) {
      since = performance.now();
      store.patience.say(`waiting up to ${staleMs / 1000} s for a life sign of ${lease.holder}`);
    }
    first = lease.etag;
    await wait(renewMs / 4);
  }
}
