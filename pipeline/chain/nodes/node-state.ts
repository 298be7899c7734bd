/** The state of a node by its REST endpoints: the program that it runs, and the upgrade that its chain has decided on. */
import type { PendingUpgrade } from '../../../schemas/types.generated.js';
import { askNode, ByteAllowance } from './ask-node.js';

/** Milliseconds for one answer. */
const TIMEOUT_MS = 10_000;
/** MiB for one answer, which may be a block. */
const ANSWER_MIB = 32;
/** A height's time is foretold from the pace of so many blocks. */
const PACE_BLOCKS = 10_000;

export interface NodeState {
  readonly node_version: string;
  readonly cosmos_sdk: string;
  readonly pending_upgrade: PendingUpgrade;
  /** Height of its newest block. */
  readonly height: number;
}

interface NodeInfo {
  readonly application_version: { readonly version: string; readonly cosmos_sdk_version: string };
}

interface Plan {
  readonly plan: { readonly name: string; readonly height: string } | null;
}

interface BlockAnswer {
  readonly block: { readonly header: { readonly height: string; readonly time: string } };
}

/**
 * Asks the first endpoint that answers.
 * @throws Error naming the host and what it answered
 */
export async function nodeState(urls: readonly string[]): Promise<NodeState> {
  const failures: string[] = [];
  for (const url of urls) {
    try {
      return await stateOf(url);
    } catch (error) {
      failures.push(`${new URL(url).host}: ${(error as Error).message.slice(0, 200)}`);
    }
  }
  throw new Error(`node: ${failures.join('; ')}`);
}

async function stateOf(url: string): Promise<NodeState> {
  const { application_version: application } = await get<NodeInfo>(url, 'base/tendermint/v1beta1/node_info');
  const { version, cosmos_sdk_version } = application ?? {};
  if (typeof version !== 'string' || typeof cosmos_sdk_version !== 'string') throw new Error('tells no version');
  const { plan } = await get<Plan>(url, 'upgrade/v1beta1/current_plan');
  const latest = await blockTime(url, 'latest');
  const pending_upgrade = plan ? await pendingUpgrade(url, plan.name, Number(plan.height), latest) : null;
  return { node_version: versionOf(version), cosmos_sdk: cosmos_sdk_version, pending_upgrade, height: latest.height };
}

/** Some nodes tell 28.0.0, tags are v28.0.0. */
const versionOf = (text: string) => (/^\d/.test(text) ? `v${text}` : text);

async function pendingUpgrade(url: string, name: string, height: number, latest: BlockTime): Promise<PendingUpgrade> {
  if (!Number.isSafeInteger(height) || height < 1) throw new Error('its upgrade plan has no height');
  if (latest.height >= height) return null;
  const earlier = await blockTime(url, String(Math.max(1, latest.height - PACE_BLOCKS))).catch(() => latest);
  const blocks = latest.height - earlier.height;
  const left = (height - latest.height) * ((latest.time - earlier.time) / blocks);
  const estimate = new Date(latest.time + left);
  const known = blocks > 0 && !Number.isNaN(estimate.getTime());
  return { name, height, estimated_time: known ? `${estimate.toISOString().slice(0, 19)}Z` : null };
}

interface BlockTime {
  readonly height: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

async function blockTime(url: string, height: string): Promise<BlockTime> {
  const { block } = await get<BlockAnswer>(url, `base/tendermint/v1beta1/blocks/${height}`);
  return { height: Number(block.header.height), time: Date.parse(block.header.time) };
}

async function get<Body>(url: string, path: string): Promise<Body> {
  const allowance = new ByteAllowance(ANSWER_MIB);
  const { status, text } = await askNode(`${url}/cosmos/${path}`, { timeoutMs: TIMEOUT_MS, allowance });
  if (status < 200 || status >= 300) throw new Error(`answers ${status}`);
  return JSON.parse(text) as Body;
}
