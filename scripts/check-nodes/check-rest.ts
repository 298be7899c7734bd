/** Finds out what a REST endpoint can do. */
import { NodeFailure } from '../../pipeline/chain/nodes/ask-node.js';
import type { Endpoint } from '../../pipeline/chain/nodes/endpoint.js';
import { asking, burst, patiently } from './check-rpc.js';
import { DISTANCES, type NodeReport } from './report.js';

const LATEST = '/cosmos/base/tendermint/v1beta1/blocks/latest';
/** The state of this module is small, and every node has it. */
const STATE = '/cosmos/staking/v1beta1/params';
const HEIGHT_HEADERS = ['x-cosmos-block-height', 'grpc-metadata-x-cosmos-block-height'];

interface LatestBlock {
  readonly block?: { readonly header?: Readonly<Record<'chain_id' | 'height' | 'time', string>> };
}

/**
 * Returns what a REST endpoint can do.
 * @throws NodeFailure if the endpoint is not the REST endpoint of a node
 */
export async function checkRest(endpoint: Endpoint, now: number): Promise<Partial<NodeReport>> {
  const { status, text } = await patiently(() => endpoint.send(LATEST, asking()));
  if (status !== 200) throw new NodeFailure(`HTTP ${status}`);
  const { chain_id, height, time } = latestHeader(text) ?? {};
  if (chain_id === undefined || !Number.isSafeInteger(Number(height))) {
    throw new NodeFailure('its newest block has no chain or no height');
  }
  const latest = Number(height);
  const state = await states(endpoint, latest);
  const lag_seconds = Math.round((now - Date.parse(time ?? '')) / 1000);
  return { chain: chain_id, latest, lag_seconds, ...state, limit: await burst(() => endpoint.send(LATEST, asking())) };
}

function latestHeader(text: string) {
  try {
    return (JSON.parse(text) as LatestBlock).block?.header;
  } catch {
    return undefined;
  }
}

/** A node that ignores the height would give wrong opening coins, so the height of the answer is compared. */
async function states(endpoint: Endpoint, latest: number): Promise<Partial<NodeReport>> {
  let found: Partial<NodeReport> = { states: null, height_honoured: null };
  for (const distance of DISTANCES.filter((one) => one < latest)) {
    const height = latest - distance;
    const reply = await stateAt(endpoint, height);
    if (reply === undefined) continue;
    const heightHeader = HEIGHT_HEADERS.flatMap((name) => reply.headers.get(name) ?? [])[0];
    if (heightHeader === undefined) return { states: null, height_honoured: null };
    if (Number(heightHeader) !== height) return { states: 0, height_honoured: false };
    found = { states: distance, height_honoured: distance > 0 || null };
  }
  return found;
}

async function stateAt(endpoint: Endpoint, height: number) {
  try {
    const headers = { 'x-cosmos-block-height': String(height) };
    const reply = await patiently(() => endpoint.send(STATE, asking(), { headers }));
    return reply.status === 200 ? reply : undefined;
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}
