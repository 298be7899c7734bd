/** Deliveries by the server itself, beside the embedded store: no other program can open it while the server runs. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { readReleases } from '../dataset/releases.js';
import { StoreUnavailable } from '../store/session.js';
import type { Transactions } from '../store/store.js';
import { type DeliveryOptions, deliverDue } from './deliver.js';

/** Time between two rounds: the shortest wait before a repetition. */
const PAUSE_MS = 10_000;

/**
 * Makes the deliveries that are due, round after round from now on. A round that fails is tried again; the log has the first such one
 * after a round that did not.
 * @returns a function that ends them: it begins no attempt any more, and resolves when none is under way
 */
export function deliverSteadily(
  store: Transactions,
  { now, dataDir }: Pick<Config, 'now' | 'dataDir'>,
  log: Logger,
  send?: DeliveryOptions['send'],
): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const options = send ? { send, signal } : { signal };
  const rounds = async () => {
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await deliverDue(store, now, readReleases(dataDir), options);
        isFailing = false;
      } catch (err) {
        const told = err instanceof StoreUnavailable ? { reason: err.message } : { err };
        log[isFailing ? 'debug' : 'error'](told, 'webhooks are not delivered');
        isFailing = true;
      }
      await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = rounds();
  return () => {
    ending.abort();
    return ended;
  };
}
