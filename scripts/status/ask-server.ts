/** A question to the server at its configured address: whether it answers, and what it serves. */
import type { Config } from '../../pipeline/config.js';
import type { Readiness } from '../../schemas/types.generated.js';

/** Milliseconds that a server has to answer. */
const TIMEOUT_MS = 3000;
/** Addresses on which a server listens for everybody, and those by which this machine reaches it. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface ServerAnswer {
  readonly url: string;
  /** HTTP status of /readyz; null where nobody answers. */
  readonly status: number | null;
  /** The generation that it serves; null where it says none. */
  readonly generation: string | null;
}

/** Asks /readyz. @returns null where the system chooses the port */
export async function askServer({ host, port }: Pick<Config, 'host' | 'port'>): Promise<ServerAnswer | null> {
  if (port === 0) return null;
  const name = LOOPBACK[host] ?? host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { generation } = (await response.json()) as Partial<Readiness>;
    return { url, status: response.status, generation: generation ?? null };
  } catch {
    return { url, status: null, generation: null };
  }
}
