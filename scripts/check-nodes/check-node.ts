import { NodeFailure } from '../../pipeline/chain/nodes/ask-node.js';
import type { Endpoint } from '../../pipeline/chain/nodes/endpoint.js';
import { checkRest } from './check-rest.js';
import { RpcCheck } from './check-rpc.js';
import { emptyReport, type NodeReport } from './report.js';

export interface Expected {
  /** Network ids of the chain, usually one. */
  readonly chainIds: readonly string[];
  /** Current time in milliseconds. */
  readonly now: number;
  /** Address whose transactions are searched. */
  readonly searched: string;
}

/** Finds out whether a URL is an RPC or a REST endpoint, and what it can do. */
export async function checkNode(endpoint: Endpoint, { chainIds, now, searched }: Expected): Promise<NodeReport> {
  const empty = emptyReport(endpoint);
  const rpc = new RpcCheck(endpoint, searched);
  const status = await rpc.status().catch(asFailure);
  if (!(status instanceof NodeFailure)) {
    const { chain, earliest, latest, latestTime } = status;
    const known = {
      ...empty,
      kind: 'RPC',
      chain,
      earliest,
      latest,
      lag_seconds: secondsSince(latestTime, now),
    } as const;
    if (!chainIds.includes(chain)) return { ...known, fault: otherChain(chain, chainIds) };
    return { ...known, ...(await rpc.check(status)) };
  }
  const rest = await checkRest(endpoint, now).catch(asFailure);
  if (rest instanceof NodeFailure) return { ...empty, fault: status.message };
  const known: NodeReport = { ...empty, ...rest, kind: 'REST' };
  return chainIds.includes(known.chain!) ? known : { ...known, fault: otherChain(known.chain, chainIds) };
}

const otherChain = (chain: string | null, expected: readonly string[]) =>
  `it is a node of ${chain}, not ${expected.join(' or ')}`;

const secondsSince = (time: number, now: number): number | null =>
  Number.isNaN(time) ? null : Math.round((now - time) / 1000);

function asFailure(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  throw error;
}
