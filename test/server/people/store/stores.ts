/** Both kinds of store: one suite runs on each. On a machine without PostgreSQL only the embedded one is there to be tested. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { programs as programsOf } from '../../../requirements.js';
import { layStore } from './made-store.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';

/** Members of the configuration that choose a store, as variables of the environment. */
export interface StoreVariables {
  readonly HUBLEDGER_DATA_DIR: string;
  readonly HUBLEDGER_DATABASE_URL: string;
}

type Suite = (variables: () => StoreVariables) => void;

/**
 * Runs the suite once on each kind.
 * @param suite is given a function that holds the store's variables when its tests run: they are on an empty database
 */
export const onBothStores = (name: string, suite: Suite): void => describeBoth(name, suite, layStore);

/** Runs the suite once on each kind, as onBothStores does, but leaves it to the suite to make the embedded one. */
export const onBothUnmade = (name: string, suite: Suite): void => describeBoth(name, suite, async () => {});

function describeBoth(name: string, suite: Suite, lay: (dataDir: string) => Promise<void>): void {
  for (const programs of [undefined, ...programsOf('postgres')]) {
    describe(`${name}, ${programs ? 'on PostgreSQL' : 'embedded'}`, () => {
      let dataDir: string;
      let server: PostgresServer | undefined;
      before(async () => {
        dataDir = mkdtempSync(join(tmpdir(), 'hubledger-store-'));
        if (programs) server = await startPostgres(programs);
        else await lay(dataDir);
      });
      after(async () => {
        await server?.stop();
        rmSync(dataDir, { recursive: true });
      });
      suite(() => ({ HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_DATABASE_URL: server?.url ?? '' }));
    });
  }
}
