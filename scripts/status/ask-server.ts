/** Asks the server at its configured address for its state. */
import type { Config } from '../../pipeline/config.js';
import type { Readiness } from '../../schemas/types.generated.js';

const TIMEOUT_MS = 3000;
/** Wildcard listen addresses and the matching loopback addresses. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface ServerAnswer {
  readonly url: string;
  /** HTTP status of /readyz; null if there is no answer. */
  readonly status: number | null;
  /** The served generation, if reported. */
  readonly generation: string | null;
}

/**
 * Asks /readyz.
 * @returns null if the system chooses the port
 */
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
