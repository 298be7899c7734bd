/** Finds the process that listens on a TCP port. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { harmless, quoted } from '../../pipeline/base/json/quoted.js';

/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A';
const COMMAND_LENGTH = 80;

/**
 * Returns the id and the command line of the process, for an error message; undefined if it belongs to another user or
 * if the system has no /proc.
 */
export function portHolder(port: number): string | undefined {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(table, port)));
    const id = readdirSync('/proc').find((name) => /^\d+$/.test(name) && opensAny(name, sockets));
    if (id === undefined) return undefined;
    const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return `process ${id} (${harmless(quoted(command, COMMAND_LENGTH)).slice(1, -1)})`;
  } catch {
    return undefined;
  }
}

/** Returns the names of open files of the sockets that listen on the port, in the form of links in /proc/<id>/fd. */
function listeningSockets(table: string, port: number): string[] {
  const [, ...lines] = readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    const isMeant = state === LISTENING && Number.parseInt(local!.split(':')[1]!, 16) === port;
    return isMeant ? [`socket:[${inode}]`] : [];
  });
}

function opensAny(id: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${id}/fd`;
  return filesOf(folder).some((name) => sockets.has(targetOf(join(folder, name))));
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the process belongs to another user, or has ended
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ''; // the file has been closed
  }
}
