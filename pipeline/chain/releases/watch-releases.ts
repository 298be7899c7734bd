/**
 * The release watcher keeps one small file in the data directory that the server reads: what is newest upstream, what the node runs
 * and which upgrade is coming. What a run cannot learn stays as the run before knew it.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ReleaseWatch } from '../../../schemas/types.generated.js';
import { type Config, releasesFile } from '../../config.js';
import { makeFolder } from '../../disk/atomic-files.js';
import type { Reference } from '../../reference.js';
import { nodeState } from '../nodes/node-state.js';
import { githubReleases } from './github-releases.js';

/** Reads what the watcher knew last; undefined before its first run. A damaged file is told of, and counts as none. */
function readWatch(dataDir: string): ReleaseWatch | undefined {
  try {
    return JSON.parse(readFileSync(releasesFile(dataDir), 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') console.error(`hubledger: ${releasesFile(dataDir)} is damaged and made anew: ${message}`);
    return undefined;
  }
}

/** Runs the watcher once. It never fails: what could not be learned is in `error`. */
export async function watchReleases(
  config: Pick<Config, 'dataDir' | 'githubApiUrl' | 'githubToken' | 'lcdUrls' | 'now'>,
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
    config.lcdUrls.length > 0 ? nodeState(config.lcdUrls).catch(failed) : undefined,
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
  const aside = `${releasesFile(dataDir)}.${randomUUID()}`; // a night and the watcher may do so at the same time
  writeFileSync(aside, `${JSON.stringify(watch, null, 1)}\n`);
  renameSync(aside, releasesFile(dataDir));
}
