import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';

const CONNECTIONS = 30;
const BEFORE_MS = 500;
const AFTER_MS = 3000;

/** Asks over a kept connection. @returns the error by which the request was lost; undefined for an answer, or a refused connection */
function ask(base: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    get(`${base}/api/tax/v1/tags`, { agent }, (response) => response.resume().on('close', () => resolve(undefined))).on(
      'error',
      ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? undefined : code),
    );
  });
}

export const sigterm: Attack = {
  name: 'SIGTERM',
  what: `SIGTERM while ${CONNECTIONS} kept connections go on asking`,
  isShort: false,
  mayEnd: true,
  async run(victim) {
    const lost: string[] = [];
    let isAsked = true;
    const client = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (isAsked) {
        const error = await ask(victim.base, agent);
        if (error) lost.push(error);
        await wait(10);
      }
      agent.destroy();
    };
    const clients = Array.from({ length: CONNECTIONS }, client);
    await wait(BEFORE_MS);
    victim.terminate();
    await wait(AFTER_MS);
    isAsked = false;
    await Promise.all(clients);
    return { lost: `${lost.length} requests lost${lost[0] ? ` (${lost[0]})` : ''}`, holds: lost.length === 0 };
  },
};
