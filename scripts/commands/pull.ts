/** `hubledger pull`: fetches the current generation of another server or of an object store into the data folder. */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { makeFolder } from '../../pipeline/base/disk/atomic-files.js';
import { takeLock } from '../../pipeline/base/disk/lock.js';
import { httpUrl, readConfig } from '../../pipeline/config.js';
import { openProgress, type Progress } from '../../pipeline/night/progress.js';
import { isTaken, pullGeneration } from '../../pipeline/publish/follow/pull.js';
import { isOlder, receiveManifest } from '../../pipeline/publish/follow/receive-manifest.js';
import { GoneError, ServerUpstream, type Upstream } from '../../pipeline/publish/follow/upstream.js';
import { readableCurrent } from '../../pipeline/publish/generation.js';
import { retrying, STORE_PATIENCE_MS, StoreAway } from '../../pipeline/publish/store/object-store.js';
import { loadReference } from '../../pipeline/reference.js';

const MB = 1e6;
const FIRST_REPLY_MS = 5000;
/**
 * Maximum number of times that a pull starts again. A pull must start again if the server publishes a new generation
 * before the pull has finished.
 */
const ROUNDS_MAX = 5;

function baseUrl(text: string): string {
  try {
    return httpUrl(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

async function pull(url: string, { json }: { readonly json?: true }): Promise<void> {
  const { dataDir, cacheBytes, logLevel, now, followKeys } = readConfig();
  const progress = openProgress(logLevel, json);
  const reference = loadReference();
  const say = (text: string) => progress.say(text);
  const upstream = new ServerUpstream(url, reference.chain.chain_id, { forMs: STORE_PATIENCE_MS, say });
  makeFolder(dataDir);
  const release = await takeLock(dataDir, 'night', 'a nightly run or another pull works in this folder');
  const steps = stepsOf(progress);
  try {
    for (let round = 1; ; round++) {
      try {
        const at = Math.max(Date.now(), now().getTime());
        const options = { dataDir, reference, cacheBytes, say, progress: steps, now: at, followKeys };
        await pullOnce(upstream, options, progress);
        steps.end();
        return;
      } catch (error) {
        if (!(error instanceof GoneError) || round === ROUNDS_MAX) throw error;
      }
    }
  } finally {
    release();
    await upstream.close();
  }
}

type Options = Parameters<typeof pullGeneration>[2];

async function pullOnce(upstream: Upstream, options: Options, progress: Progress): Promise<void> {
  const { dataDir } = options;
  const generation = await currentOf(upstream, options.say);
  if (generation === undefined)
    throw new ConfigError(`${upstream.url} has no dataset yet: try again after its first nightly run`);
  const current = readableCurrent(dataDir);
  const stays = (why: string) => progress.say(why, { generation: current!.manifest.generation, is_new: false });
  if (current && isTaken(dataDir, generation, options.followKeys))
    return stays(`nothing new: ${upstream.url} has ${generation}, which is in force here`);
  const received = await receiveManifest(upstream, generation, options);
  const { height } = received.manifest;
  if (current && isOlder(received.manifest, current.manifest))
    return stays(`nothing new: ${upstream.url} has ${generation}, which is older than ${current.manifest.generation}`);
  await pullGeneration(upstream, received, options);
  progress.say(`${generation} is in force`, { generation, height, is_new: true });
}

/**
 * Returns the upstream's current generation. Retries for ten minutes if the server is busy, but reports a wrong URL
 * after a few seconds.
 */
async function currentOf(upstream: Upstream, say: (text: string) => void): Promise<string | undefined> {
  const ask = () => upstream.current();
  const unlessBusy = async () => {
    try {
      return { generation: await ask() };
    } catch (error) {
      if (error instanceof StoreAway && error.pauseMs > 0) return undefined;
      throw error;
    }
  };
  const first = await retrying(unlessBusy, { forMs: FIRST_REPLY_MS, say });
  return first ? first.generation : retrying(ask, { forMs: STORE_PATIENCE_MS, say });
}

/** Shows the progress of a pull as two steps, each with its duration. */
function stepsOf(progress: Progress): Options['progress'] & { end(): void } {
  let running: { readonly step: string; readonly began: number } | undefined;
  const end = () => {
    if (running) progress.end(running.step, performance.now() - running.began);
    running = undefined;
  };
  const begin = (step: string) => {
    if (running?.step === step) return;
    end();
    running = { step, began: performance.now() };
    progress.begin(step);
  };
  return {
    end,
    begin,
    update(done, total) {
      begin('files (MB)');
      progress.update('files (MB)', Math.ceil(done / MB), Math.ceil(total / MB));
    },
  };
}

export const examples = ['https://tax.example'];

export function declare(command: Command): void {
  command
    .argument('<base URL>', 'base URL of the other server', baseUrl)
    .option('--json', 'print JSON lines also on a terminal, for programs')
    .action(pull);
}
