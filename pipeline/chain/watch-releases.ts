/**
 * Writes a file for the server with the newest release, the node's version and a pending upgrade. If a value cannot be
 * fetched, the last known value stays.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Octokit } from '@octokit/core';
import type { PendingUpgrade, ReleaseWatch, UpstreamRelease } from '../../schemas/types.generated.js';
import { makeFolder } from '../base/disk/atomic-files.js';
import { type Config, releasesFile } from '../config.js';
import type { Reference } from '../reference.js';
import { ByteAllowance } from './nodes/ask-node.js';
import { type Endpoint, endpointsOf } from './nodes/endpoint.js';

function readWatch(dataDir: string): ReleaseWatch | undefined {
  try {
    return JSON.parse(readFileSync(releasesFile(dataDir), 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      console.error(`hubledger: ${releasesFile(dataDir)} is damaged and will be written again: ${message}`);
    return undefined;
  }
}

export async function watchReleases(
  config: Pick<Config, 'dataDir' | 'githubApiUrl' | 'githubToken' | 'lcdUrls' | 'nodeHeaders' | 'now'>,
  { nodeReleases }: Pick<Reference, 'nodeReleases'>,
): Promise<ReleaseWatch> {
  const before = readWatch(config.dataDir);
  const errors: string[] = [];
  const failed = (error: Error) => void errors.push(error.message);
  const { repository, releases } = nodeReleases;
  const known = new Map<string, { cosmos_sdk: string }>();
  for (const release of [...releases, ...(before?.upstream ?? [])]) known.set(release.version, release);
  const learned = before && { releases: before.upstream, etag: before.upstream_etag };
  const github = { baseUrl: config.githubApiUrl, token: config.githubToken, repository };
  const [found, node] = await Promise.all([
    githubReleases(github, known, learned).catch(failed),
    config.lcdUrls.length > 0 ? nodeState(endpointsOf(config.lcdUrls, config.nodeHeaders)).catch(failed) : undefined,
  ]);
  const { releases: upstream, etag } = found ?? learned ?? { releases: [], etag: undefined };
  const checked_at = `${config.now().toISOString().slice(0, 19)}Z`;
  const watch: ReleaseWatch = {
    checked_at,
    node_version: node?.node_version ?? before?.node_version ?? null,
    cosmos_sdk: node?.cosmos_sdk ?? before?.cosmos_sdk ?? null,
    newest_release: upstream[0]?.version ?? null,
    pending_upgrade: node ? node.pending_upgrade : (before?.pending_upgrade ?? null),
    height: node?.height ?? null,
    error: errors.length > 0 ? errors.join('; ') : null,
    succeeded_at: errors.length > 0 ? (before?.succeeded_at ?? null) : checked_at,
    upstream: [...upstream],
    ...(etag === undefined ? {} : { upstream_etag: etag }),
  };
  keep(config.dataDir, watch);
  return watch;
}

function keep(dataDir: string, watch: ReleaseWatch): void {
  makeFolder(dataDir);
  const aside = `${releasesFile(dataDir)}.${randomUUID()}`; // a random name, because the nightly run and `watch-releases` may run at the same time
  writeFileSync(aside, `${JSON.stringify(watch, null, 1)}\n`);
  renameSync(aside, releasesFile(dataDir));
}

const SDK = 'github.com/cosmos/cosmos-sdk';
const RELEASE = /^v\d+\.\d+\.\d+$/;
const GITHUB_TIMEOUT_MS = 15_000;
const NOT_MODIFIED = 304;

interface GithubOptions {
  readonly baseUrl: string;
  readonly token: string | undefined;
  readonly repository: string;
}

interface Listing {
  readonly releases: readonly UpstreamRelease[];
  readonly etag: string | undefined;
}

/**
 * Returns all releases except pre-releases, each with its SDK version.
 * @param before last result; returned again if GitHub answers 304 (not modified)
 */
async function githubReleases(
  { baseUrl, token, repository }: GithubOptions,
  known: ReadonlyMap<string, { readonly cosmos_sdk: string }>,
  before?: Listing,
): Promise<Listing> {
  const [owner, repo] = repository.split('/') as [string, string];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const octokit = new Octokit({ baseUrl, ...(token ? { auth: token } : {}), log: silent, userAgent: 'hubledger' });
  const request = () => ({ signal: AbortSignal.timeout(GITHUB_TIMEOUT_MS) });
  const headers = before?.etag ? { 'if-none-match': before.etag } : {};
  const reply = await octokit
    .request('GET /repos/{owner}/{repo}/releases', { owner, repo, per_page: 100, headers, request: request() })
    .catch((error) => {
      if (error.status === NOT_MODIFIED) return undefined;
      throw new Error(`GitHub: ${reasonOf(error)}`);
    });
  if (!reply && before) return before;
  const data = reply?.data;
  if (!Array.isArray(data)) throw new Error('GitHub: the answer is not a list of releases');
  const found: UpstreamRelease[] = [];
  for (const { tag_name: version, draft, prerelease, published_at } of data) {
    if (draft || prerelease || !RELEASE.test(version ?? '')) continue;
    const date = String(published_at).slice(0, 10);
    if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error(`GitHub: ${version} has no publication date`);
    const cosmos_sdk = known.get(version)?.cosmos_sdk || (await sdkOf(version));
    found.push({ version, date, cosmos_sdk });
  }
  const releases = found.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  return { releases, etag: reply?.headers.etag };

  async function sdkOf(ref: string): Promise<string> {
    const file = { owner, repo, path: 'go.mod', ref, mediaType: { format: 'raw' }, request: request() };
    const reply = await octokit
      .request('GET /repos/{owner}/{repo}/contents/{path}', file)
      .catch((error) => Promise.reject(new Error(`GitHub, go.mod of ${ref}: ${reasonOf(error)}`)));
    return moduleVersion(String(reply.data), SDK) ?? '';
  }
}

interface RequestFailure {
  readonly status?: number;
  readonly message: string;
  readonly response?: { readonly headers: Readonly<Record<string, string | undefined>> };
}

/** Describes an error without details that may contain the access token. */
function reasonOf({ status, message, response }: RequestFailure): string {
  const headers = response?.headers ?? {};
  if ((status === 403 || status === 429) && headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset']);
    const until = Number.isFinite(reset) ? ` until ${new Date(reset * 1000).toISOString()}` : '';
    return `too many requests${until}`;
  }
  return response && status ? `answers ${status}` : message.slice(0, 200);
}

interface Lines {
  readonly require: readonly string[];
  readonly replace: readonly string[];
}

function linesOf(text: string): Lines {
  const lines = { require: [] as string[], replace: [] as string[] };
  let block: string[] | undefined;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\/\/.*$/, '').trim();
    const [, directive, rest] = /^(require|replace)\s+(.*)$/.exec(line) ?? [];
    if (directive) {
      const list = lines[directive as keyof Lines & ('require' | 'replace')];
      if (rest === '(') block = list;
      else list.push(rest!);
    } else if (line === ')') block = undefined;
    else if (/^\w+\s*\($/.test(line)) block = [];
    else if (line !== '') block?.push(line);
  }
  return lines;
}

/**
 * Returns the version of a Go module that a build uses. `replace M => N v2` gives v2; `replace M v1 => N v2` only if v1
 * is required.
 * @returns undefined if the module is not required, or is replaced by a local folder
 */
function moduleVersion(goMod: string, module: string): string | undefined {
  const { require, replace } = linesOf(goMod);
  const required = require.map((line) => line.split(/\s+/)).find(([name]) => name === module)?.[1];
  for (const line of replace) {
    const [from = '', to = ''] = line.split(/\s*=>\s*/);
    const [name, only] = from.split(/\s+/);
    if (required === undefined || name !== module || (only !== undefined && only !== required)) continue;
    return to.split(/\s+/)[1];
  }
  return required;
}

const NODE_TIMEOUT_MS = 10_000;
const REPLY_MIB = 32;
const PACE_BLOCKS = 10_000;

interface NodeState {
  readonly node_version: string;
  readonly cosmos_sdk: string;
  readonly pending_upgrade: PendingUpgrade;
  readonly height: number;
}

interface NodeInfo {
  readonly application_version: { readonly version: string; readonly cosmos_sdk_version: string };
}

interface Plan {
  readonly plan: { readonly name: string; readonly height: string } | null;
}

interface BlockReply {
  readonly block: { readonly header: { readonly height: string; readonly time: string } };
}

async function nodeState(endpoints: readonly Endpoint[]): Promise<NodeState> {
  const failures: string[] = [];
  for (const endpoint of endpoints) {
    try {
      return await stateOf(endpoint);
    } catch (error) {
      failures.push(`${endpoint.name}: ${(error as Error).message.slice(0, 200)}`);
    }
  }
  throw new Error(`node: ${failures.join('; ')}`);
}

async function stateOf(endpoint: Endpoint): Promise<NodeState> {
  const { application_version: application } = await get<NodeInfo>(endpoint, 'base/tendermint/v1beta1/node_info');
  const { version, cosmos_sdk_version } = application ?? {};
  if (typeof version !== 'string' || typeof cosmos_sdk_version !== 'string') throw new Error('reports no version');
  const { plan } = await get<Plan>(endpoint, 'upgrade/v1beta1/current_plan');
  const latest = await blockTime(endpoint, 'latest');
  const pending_upgrade = plan ? await pendingUpgrade(endpoint, plan.name, Number(plan.height), latest) : null;
  return { node_version: versionOf(version), cosmos_sdk: cosmos_sdk_version, pending_upgrade, height: latest.height };
}

const versionOf = (text: string) => (/^\d/.test(text) ? `v${text}` : text);

async function pendingUpgrade(
  endpoint: Endpoint,
  name: string,
  height: number,
  latest: BlockTime,
): Promise<PendingUpgrade> {
  if (!Number.isSafeInteger(height) || height < 1) throw new Error('its upgrade plan has no height');
  if (latest.height >= height) return null;
  const earlier = await blockTime(endpoint, String(Math.max(1, latest.height - PACE_BLOCKS))).catch(() => latest);
  const blocks = latest.height - earlier.height;
  const left = (height - latest.height) * ((latest.time - earlier.time) / blocks);
  const estimate = new Date(latest.time + left);
  const known = blocks > 0 && !Number.isNaN(estimate.getTime());
  return { name, height, estimated_time: known ? `${estimate.toISOString().slice(0, 19)}Z` : null };
}

interface BlockTime {
  readonly height: number;
  readonly time: number;
}

async function blockTime(endpoint: Endpoint, height: string): Promise<BlockTime> {
  const { block } = await get<BlockReply>(endpoint, `base/tendermint/v1beta1/blocks/${height}`);
  return { height: Number(block.header.height), time: Date.parse(block.header.time) };
}

async function get<Body>(endpoint: Endpoint, path: string): Promise<Body> {
  const allowance = new ByteAllowance(REPLY_MIB);
  const { status, text } = await endpoint.send(`/cosmos/${path}`, { timeoutMs: NODE_TIMEOUT_MS, allowance });
  if (status < 200 || status >= 300) throw new Error(`answers ${status}`);
  return JSON.parse(text) as Body;
}
