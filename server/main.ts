/** The server as a program, with its log, its dataset and the signals that end it. */
import type { Config } from '../pipeline/config.js';
import { openLog } from '../pipeline/disk/log-output.js';
import { loadReference } from '../pipeline/reference.js';
import { Datasets } from './dataset/dataset-holder.js';
import { withServiceEndpoints } from './endpoints/all.js';
import { endpoints } from './endpoints/index.js';
import { listen } from './listen.js';
import { Store } from './store/store.js';
import { followDisclosures } from './submissions/disclosures.js';
import { deliverSteadily } from './webhooks/deliver-steadily.js';

/**
 * Serves until SIGTERM or SIGINT, then drains; the process may end with exit code 0 when this resolves.
 * @throws ConfigError with one line when the port cannot be opened
 */
export async function serve(config: Config): Promise<void> {
  const { log, close } = openLog(config.logLevel);
  const datasets = new Datasets({ dataDir: config.dataDir, reference: loadReference(), log });
  const store = new Store(config);
  const server = await listen({ config, datasets, store, endpoints: withServiceEndpoints(config, endpoints), log });
  log.info({ host: config.host, port: server.port }, 'listening');
  // Public data is served while the store opens, and without it.
  store.open().catch((error) => log.error({ err: error }, 'no store: nobody can sign in or use a key'));
  const endFollowing = followDisclosures(store, datasets, log);
  // With PostgreSQL the schedule delivers, once for all servers.
  const endDeliveries = config.databaseUrl === undefined ? deliverSteadily(store, config, log) : undefined;
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, resolve);
  });
  log.info({ signal }, 'draining');
  endFollowing();
  await server.close(endDeliveries?.());
  log.info('closed');
  await close();
}
