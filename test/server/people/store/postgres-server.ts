/** A PostgreSQL server of a test's own, from the system's packages, on a free loopback port. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../remove-folder.js';
import { freePort } from '../../processes/free-port.js';

/** User id of "nobody", as whom the server runs where tests run as root: it refuses to be root. */
const NOBODY = 65534;

export interface PostgresServer {
  readonly url: string;
  /** Ends the server at once; its data stay for when it begins again. */
  end(): Promise<void>;
  begin(): Promise<void>;
  /** Freezes all its processes: it is there then, and silent, as behind a lost network. */
  freeze(): void;
  thaw(): void;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server. @param programs the folder that has initdb and postgres */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'hubledger', '-A', 'trust', '--no-sync', '--no-instructions', '-E', 'UTF8', '--locale=C'],
    { cwd: folder, encoding: 'utf8', ...as },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...as },
    );
    const { stderr } = server;
    let log = '';
    while (!log.includes('ready to accept connections')) {
      const [text] = await Promise.race([once(stderr, 'data'), once(server, 'exit').then(() => [undefined])]);
      if (text === undefined) throw new Error(`postgres: ${log}`);
      log += text;
    }
    stderr.resume();
    return server;
  };
  let server = await launch();
  /** Each connection has a process in a session of its own, which the first process knows as its child. */
  const signalAll = (signal: NodeJS.Signals) => {
    const children = spawnSync('sh', ['-c', `ps -A -o pid= -o ppid= | awk '$2 == ${server.pid} { print $1 }'`]);
    for (const id of [server.pid!, ...String(children.stdout).split(/\s+/).filter(Boolean).map(Number)]) {
      try {
        process.kill(id, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended since
      }
    }
  };
  const end = async () => {
    const ended = once(server, 'exit');
    signalAll('SIGCONT');
    server.kill('SIGQUIT');
    await ended;
  };
  return {
    url: `postgres://hubledger@127.0.0.1:${port}/postgres`,
    end,
    async begin() {
      server = await launch();
    },
    freeze: () => void signalAll('SIGSTOP'),
    thaw: () => void signalAll('SIGCONT'),
    async stop() {
      await end();
      await removeFolder(folder);
    },
  };
}
