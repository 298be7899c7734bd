import { edgesBetween } from '../../pipeline/base/values/edges.js';
import type { Config } from '../../pipeline/config.js';
import type { Reference } from '../../pipeline/reference.js';
import { recordedEdges } from '../../pipeline/tracked-wallets/edge-states.js';

const SECOND = 1_000_000_000n;
/** Time until nodes have the blocks around an edge. */
const DELAY = 30n * SECOND;
/** A failed run is repeated for this time. Afterwards, most nodes have pruned the state. */
const PATIENCE = 3600n * SECOND;

/** Returns true if a run for single wallets should take their state at an edge now. Later nodes do not have it any more. */
export function isEdgeDue(
  { wallets, dataDir, edges, nodeChainId, now }: Pick<Config, 'wallets' | 'dataDir' | 'edges' | 'nodeChainId' | 'now'>,
  { countries, chain }: Pick<Reference, 'countries' | 'chain'>,
): boolean {
  if (!wallets) return false;
  const until = BigInt(now().getTime()) * 1_000_000n - DELAY;
  const due = edgesBetween(countries, edges, { after: until - PATIENCE, until });
  if (due.length === 0) return false;
  const recorded = new Set(recordedEdges(dataDir, nodeChainId ?? chain.node_chain_id));
  return due.some(({ at }) => !recorded.has(at));
}
