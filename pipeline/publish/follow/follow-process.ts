/**
 * Runs in a separate process. Follows an upstream server or store, or builds one wallet index (see follower.ts). Ends
 * when its parent process ends.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { makeFolder } from '../../base/disk/atomic-files.js';
import { type Release, tryLock } from '../../base/disk/lock.js';
import { loadReference, type Reference } from '../../reference.js';
import {
  currentFile,
  damagedGenerationFile,
  generationDir,
  manifestFile,
  readableCurrent,
  readManifest,
} from '../generation.js';
import { StoreAway } from '../store/object-store.js';
import type { FollowConfig, FollowJob, FromFollower } from './messages.js';
import { isTaken, prepareIndex, pullGeneration } from './pull.js';
import { isOlder, receiveManifest } from './receive-manifest.js';
import { openUpstream, type Upstream } from './upstream.js';

const POLL_MS = 5000;
/** Maximum pause between attempts after errors that a person must fix, such as a full disk. */
const POLL_MAX_MS = 60_000;
const SAY_INTERVAL_MS = 60_000;
/** If a transfer receives no byte for this time, the attempt fails. The next attempt continues the transfer. */
const PATIENCE_MS = 30_000;
const STATE_INTERVAL_MS = 200;

const send = (message: FromFollower, sent = () => {}) => void process.send?.(message, sent);
const log = (level: 'info' | 'warn', text: string, facts = {}) => send({ log: level, text, facts });

async function prepare(dataDir: string, generation: string): Promise<void> {
  const folder = generationDir(dataDir, generation);
  const text = readFileSync(manifestFile(folder), 'utf8');
  const damaged = await damagedGenerationFile(folder, readManifest(folder), text);
  if (damaged !== undefined) throw new ConfigError(`${damaged} is missing or damaged: copy it again`);
  await prepareIndex(dataDir, generation, loadReference());
}

/**
 * A store has one publisher, which may publish an older generation on purpose. Another server may be the wrong one, or
 * may have lost its disk.
 */
function expectNotOlder(manifest: Manifest, url: string, dataDir: string): void {
  const here = readableCurrent(dataDir)?.manifest;
  if (here === undefined || !isOlder(manifest, here)) return;
  const advice = `if it shall replace it, remove ${currentFile(dataDir)}`;
  throw new ConfigError(`${url} has ${manifest.generation}, which is older than ${here.generation}: ${advice}`);
}

class Following {
  private failures = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;
  private lock: Release | undefined;

  constructor(
    private readonly upstream: Upstream,
    private readonly config: FollowConfig,
    private readonly reference: Reference,
  ) {}

  /**
   * Polls the upstream until it has a new generation. Random pauses (jitter) keep several servers from switching at the
   * same moment.
   */
  async untilUpdated(): Promise<void> {
    for (;;) {
      let pause = POLL_MS;
      try {
        const isNew = await this.update();
        if (this.failures > 0) log('info', 'following again', { upstream: this.upstream.url });
        this.failures = 0;
        const state = { last_success: new Date().toISOString(), failures: 0, error: null, fetched: null };
        if (isNew) return new Promise((resolve) => send({ state }, resolve));
        send({ state });
      } catch (error) {
        this.fail((error as Error).message);
        if (error instanceof StoreAway) pause = Math.max(pause, Math.min(error.pauseMs, POLL_MAX_MS));
        else pause = Math.min(POLL_MS * 2 ** (this.failures - 1), POLL_MAX_MS);
      }
      await wait(pause * (0.8 + 0.4 * Math.random()));
    }
  }

  private fail(message: string): void {
    const [error] = message.split('\n');
    this.failures++;
    send({ state: { failures: this.failures, error: error!, fetched: null } });
    const now = performance.now();
    if (now - this.loggedAt < SAY_INTERVAL_MS) return;
    this.loggedAt = now;
    log('warn', `the upstream's dataset cannot be taken over: ${error}`, { failures: this.failures });
  }

  /** @returns true if a new generation is now current */
  private async update(): Promise<boolean> {
    const { upstream, reference } = this;
    const { dataDir, cacheBytes, followUrl, followKeys } = this.config;
    makeFolder(dataDir);
    if (followUrl !== undefined) await this.lockFolder();
    const generation = await upstream.current();
    send({ state: { generation: generation ?? null } });
    if (generation === undefined) throw new ConfigError(`${upstream.url} has no dataset yet`);
    if (isTaken(dataDir, generation, followKeys)) return false;
    const attempt = await tryLock(dataDir, 'night', () => {});
    if ('holder' in attempt) throw new ConfigError(`another process publishes into this folder: ${attempt.holder}`);
    try {
      if (isTaken(dataDir, generation, followKeys)) return false;
      let sentAt = Number.NEGATIVE_INFINITY;
      const update = (done: number, total: number) => {
        if (done < total && performance.now() - sentAt < STATE_INTERVAL_MS) return;
        sentAt = performance.now();
        send({ state: { fetched: total === 0 ? 1 : done / total, error: null } });
      };
      const say = (text: string) => log('warn', text);
      const progress = { update, begin: () => update(1, 1) };
      const now = Math.max(Date.now(), this.config.startedAt);
      const options = { dataDir, reference, cacheBytes, say, progress, now, followKeys };
      const began = performance.now();
      const received = await receiveManifest(upstream, generation, options);
      if (followUrl !== undefined) expectNotOlder(received.manifest, upstream.url, dataDir);
      await pullGeneration(upstream, received, options);
      log('info', 'took over a generation', { generation, ms: Math.round(performance.now() - began) });
      return true;
    } finally {
      attempt.release();
    }
  }

  /**
   * Locks the data folder against nightly runs. If several servers follow in one folder, only one of them needs the
   * lock.
   */
  private async lockFolder(): Promise<void> {
    if (this.lock !== undefined) return;
    const attempt = await tryLock(this.config.dataDir, 'follow', () => {});
    if ('release' in attempt) this.lock = attempt.release;
  }

  end(): void {
    this.lock?.();
  }
}

async function follow(config: FollowConfig): Promise<void> {
  const reference = loadReference();
  const warn = (text: string) => log('warn', text);
  // Does not log pauses of single transfers. A failed attempt logs the outage once.
  const patience = { forMs: PATIENCE_MS, say: (error: string) => send({ state: { error } }), warn };
  const upstream = await openUpstream(config, reference.chain.chain_id, patience);
  const following = new Following(upstream, config, reference);
  await following.untilUpdated();
  following.end();
}

const job: FollowJob = JSON.parse(process.argv[2]!);
process.once('disconnect', () => process.exit());
// Ctrl+C and systemd also signal the parent process, which then ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
try {
  await ('follow' in job ? follow(job.follow) : prepare(job.dataDir, job.prepare));
  process.exit();
} catch (error) {
  send({ log: 'warn', text: (error as Error).message.split('\n')[0]!, facts: {} }, () => process.exit(1));
}
