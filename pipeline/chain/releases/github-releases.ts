/** Releases of the node software on GitHub. */
import { Octokit } from '@octokit/core';
import type { UpstreamRelease } from '../../../schemas/types.generated.js';
import { moduleVersion } from './go-mod.js';

const SDK = 'github.com/cosmos/cosmos-sdk';
const RELEASE = /^v\d+\.\d+\.\d+$/;
const TIMEOUT = 15_000;
const NOT_MODIFIED = 304;

export interface GithubOptions {
  readonly baseUrl: string;
  readonly token: string | undefined;
  /** owner/name */
  readonly repository: string;
}

/** A list of releases as GitHub has it. */
export interface Listing {
  /** Newest first. */
  readonly releases: readonly UpstreamRelease[];
  /** The tag by which GitHub knows the list again. */
  readonly etag: string | undefined;
}

/**
 * Releases that are no drafts and no pre-releases, each with its SDK.
 * @param known releases whose SDK need not be asked for again
 * @param before the listing that was learned last: it stands where GitHub says that nothing is new, which it charges to no quota
 * @throws Error saying what GitHub answered
 */
export async function githubReleases(
  { baseUrl, token, repository }: GithubOptions,
  known: ReadonlyMap<string, { readonly cosmos_sdk: string }>,
  before?: Listing,
): Promise<Listing> {
  const [owner, repo] = repository.split('/') as [string, string];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const octokit = new Octokit({ baseUrl, ...(token ? { auth: token } : {}), log: silent, userAgent: 'hubledger' });
  const request = () => ({ signal: AbortSignal.timeout(TIMEOUT) });
  const headers = before?.etag ? { 'if-none-match': before.etag } : {};
  const answer = await octokit
    .request('GET /repos/{owner}/{repo}/releases', { owner, repo, per_page: 100, headers, request: request() })
    .catch((error) => {
      if (error.status === NOT_MODIFIED) return undefined;
      throw new Error(`GitHub: ${reasonOf(error)}`);
    });
  if (!answer && before) return before;
  const data = answer?.data;
  if (!Array.isArray(data)) throw new Error('GitHub: the list of releases is no list');
  const found: UpstreamRelease[] = [];
  for (const { tag_name: version, draft, prerelease, published_at } of data) {
    if (draft || prerelease || !RELEASE.test(version ?? '')) continue;
    const date = String(published_at).slice(0, 10);
    if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error(`GitHub: ${version} has no day of publication`);
    const cosmos_sdk = known.get(version)?.cosmos_sdk || (await sdkOf(version));
    found.push({ version, date, cosmos_sdk });
  }
  const releases = found.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  return { releases, etag: answer?.headers.etag };

  async function sdkOf(ref: string): Promise<string> {
    const file = { owner, repo, path: 'go.mod', ref, mediaType: { format: 'raw' }, request: request() };
    const answer = await octokit
      .request('GET /repos/{owner}/{repo}/contents/{path}', file)
      .catch((error) => Promise.reject(new Error(`GitHub, go.mod of ${ref}: ${reasonOf(error)}`)));
    return moduleVersion(String(answer.data), SDK) ?? '';
  }
}

interface RequestFailure {
  readonly status?: number;
  readonly message: string;
  readonly response?: { readonly headers: Readonly<Record<string, string | undefined>> };
}

/** Says what went wrong in a few words, without the caller's token or the whole answer. */
function reasonOf({ status, message, response }: RequestFailure): string {
  const headers = response?.headers ?? {};
  if ((status === 403 || status === 429) && headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset']);
    const until = Number.isFinite(reset) ? ` until ${new Date(reset * 1000).toISOString()}` : '';
    return `too many requests${until}`;
  }
  return response && status ? `answers ${status}` : message.slice(0, 200);
}
