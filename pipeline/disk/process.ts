/** Other processes of this machine, by their ids. */
import { readFileSync } from 'node:fs';

/** State and start of a process as Linux tells them; undefined elsewhere, and when there is no such process. */
function statOf(processId: number): { state: string; start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold anything
    return { state: fields[0]!, start: fields[19]! };
  } catch {
    return undefined;
  }
}

/** Whether a process of that id runs. One that was killed and that nobody has waited for yet does not. */
export function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId < 1) return false;
  try {
    process.kill(processId, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false; // EPERM: there, but another user's
  }
  const state = statOf(processId)?.state;
  return state !== 'Z' && state !== 'X';
}

/** When a process began, in clock ticks since boot: tells it from a later one with the same id. '' where unknown. */
export const startOf = (processId: number): string => statOf(processId)?.start ?? '';
