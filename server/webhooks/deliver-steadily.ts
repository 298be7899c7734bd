/** Delivers webhooks within the server, if it has the embedded store open: no other process can open it then. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { readReleases } from '../dataset/releases.js';
import { StoreUnavailable } from '../store/session.js';
import type { Transactions } from '../store/store.js';
import { type DeliveryOptions, deliverDue } from './deliver.js';

/** Pause between rounds: the shortest retry delay. */
const PAUSE_MS = 10_000;

/**
 * Starts delivery rounds. Logs the first of consecutive failed rounds as an error.
 * @returns a function that stops them; resolves when attempts in progress have ended
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
        const fields = err instanceof StoreUnavailable ? { reason: err.message } : { err };
        log[isFailing ? 'debug' : 'error'](fields, 'webhooks are not delivered');
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
