import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { endSignal } from '../pipeline/base/disk/end-signal.js';
import { openLog } from '../pipeline/base/disk/log-output.js';
import type { Config } from '../pipeline/config.js';
import { Follower } from '../pipeline/publish/follow/follower.js';
import { loadReference } from '../pipeline/reference.js';
import { withServiceEndpoints } from './endpoints/all.js';
import { endpoints } from './endpoints/index.js';
import { LIMITS } from './http/limits.js';
import { listen } from './listen.js';
import { Store, scheduleCleanup } from './people/store/store.js';
import { applyDisclosures, syncDisclosures } from './people/submissions/disclosures.js';
import { openReviewDesk, storeDesk } from './people/submissions/review-desk.js';
import { startDeliveries } from './people/webhooks/deliver.js';
import { Datasets } from './tax/dataset/dataset-holder.js';

/**
 * Makes V8 collect garbage when the heap has grown by 60 %. By default, V8 waits for four times as much growth, so
 * large answers doubled the server's memory for hours.
 */
export const collectSooner = (): void => setFlagsFromString('--heap-growing-percent=60');

/** Starts other work beside the server. @returns a function that stops this work */
export type Companion = (log: Logger) => () => Promise<void>;

/**
 * Runs the server until a signal arrives, then finishes requests in progress.
 * @param ended resolves with the signal
 * @param companion work that starts with the server and ends with it
 */
export async function serve(config: Config, ended = endSignal(), companion?: Companion): Promise<void> {
  collectSooner();
  const { log, close } = openLog(config.logLevel);
  // An unhandled rejection affects at most one request, so it must not end the process.
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
  const follower = Follower.start(config, log);
  const datasets = new Datasets({ dataDir: config.dataDir, reference: loadReference(), log, follower });
  const store = new Store(config, log);
  // The first query opens the store. If the store cannot be opened, public data is still served.
  store.query('migrations/applied').catch(() => undefined);
  const endFollowing = await syncDisclosures(store, datasets, log);
  const options = { config, datasets, store, endpoints: withServiceEndpoints(config, endpoints, follower), log };
  const server = await listen(options).catch(async (error) => {
    endFollowing();
    follower?.close();
    await store.close();
    await close(); // the message about the error must come last
    throw error;
  });
  log.info({ host: config.host, port: server.port }, 'listening');
  server.warm();
  const closeDesk = config.databaseUrl === undefined ? await openDesk(config, store, datasets, log) : undefined;
  // With PostgreSQL, the scheduler delivers webhooks for all servers instead.
  const endDeliveries = config.databaseUrl === undefined ? startDeliveries(store, config, log) : undefined;
  const endTidying = scheduleCleanup(store, config.now, log);
  const endCompanion = companion?.(log);
  const signal = await ended;
  log.info({ signal }, 'draining');
  endFollowing();
  endTidying();
  closeDesk?.();
  const handOver = signal === 'SIGINT' ? undefined : wait(LIMITS.waits.handOver.max);
  const others = Promise.all([endDeliveries?.(), endCompanion?.()]);
  await server.close({ handOver, others });
  log.info('closed');
  await close();
}

/** Allows commands to review submissions while this server has opened the embedded store. Errors are only logged. */
async function openDesk(
  config: Config,
  store: Store,
  datasets: Datasets,
  log: Logger,
): Promise<(() => void) | undefined> {
  try {
    const take = () => applyDisclosures(store, datasets).catch((err) => log.debug({ err }, 'read again in a moment'));
    return await openReviewDesk(config.dataDir, storeDesk(store, config, take));
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, 'no review desk: submissions can be reviewed while no server runs');
    return undefined;
  }
}
