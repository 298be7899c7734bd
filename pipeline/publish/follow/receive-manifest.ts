/** Fetches an upstream's current manifest, and decides whether its generation may replace the local one. */
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { harmless, quoted } from '../../base/json/quoted.js';
import { otherVersions } from '../../books/reports/versions.js';
import { AHEAD_MAX_MS } from '../../chain/check-block.js';
import type { Reference } from '../../reference.js';
import { expectUsable, parseManifest, readableCurrent } from '../generation.js';
import { receivedFault } from '../manifest-schema.js';
import { isSignedBy } from '../signature.js';
import { untilRight, WrongBytesError } from '../store/object-store.js';
import type { Upstream } from './upstream.js';

export interface ReceiveOptions {
  readonly dataDir: string;
  readonly reference: Reference;
  readonly say: (text: string) => void;
  /** Current time in milliseconds. */
  readonly now: number;
  /** Public keys (PEM). If undefined, manifests need no signature. */
  readonly followKeys: readonly string[] | undefined;
}

export interface ReceivedManifest {
  readonly manifest: Manifest;
  readonly text: string;
  readonly signature: string | undefined;
}

/** No Cosmos chain that this program indexes is older. */
const FIRST_BLOCK = Date.parse('2019-03-13T00:00:00Z');
/** No chain makes blocks faster on average. */
const BLOCK_MIN_MS = 1000;

/**
 * Fetches the manifest of the upstream's current generation, and checks that this version of the program can serve the
 * generation.
 * @throws ConfigError if the generation is not signed by a required key, if it is of another chain or version, or if
 * its height or time is impossible
 */
export async function receiveManifest(
  upstream: Upstream,
  generation: string,
  { dataDir, reference, say, now, followKeys }: ReceiveOptions,
): Promise<ReceivedManifest> {
  const place = `${upstream.url}: the manifest of ${generation}`;
  const { text, manifest } = await untilRight(async () => {
    const received = await upstream.manifest(generation);
    const parsed = parseManifest(received, (why) => new WrongBytesError(`${place} is damaged: ${why}`));
    if (parsed.generation !== generation) throw new WrongBytesError(`${place} belongs to ${parsed.generation}`);
    return { text: received, manifest: parsed };
  }, say);
  const refuse = (why: string) => new ConfigError(`${upstream.url}: ${generation} ${why}`);
  const signature = await upstream.signature(generation);
  if (followKeys !== undefined && !isSignedBy(followKeys, text, signature)) {
    const fault = signature === undefined ? 'is not signed' : 'is not signed by a key of HUBLEDGER_FOLLOW_KEY';
    throw refuse(`${fault}: check the URL, that key, and HUBLEDGER_SIGNING_KEY of its nightly runs`);
  }
  expectUsable(manifest, 'upgrade the older program');
  const fault = receivedFault(manifest);
  if (fault !== undefined) throw refuse(`has an invalid manifest: ${harmless(quoted(fault, 200)).slice(1, -1)}`);
  const current = readableCurrent(dataDir)?.manifest;
  if (manifest.chain_id !== reference.chain.chain_id)
    throw refuse(`is of ${manifest.chain_id}, not ${reference.chain.chain_id}`);
  const [ours, theirs] = [current?.node_chain_id ?? manifest.node_chain_id, manifest.node_chain_id];
  if (ours !== theirs)
    throw refuse(`is of ${theirs}, but ${dataDir} has ${ours}: check the URL, or use another HUBLEDGER_DATA_DIR`);
  const others = otherVersions(manifest, reference);
  if (others.length > 0 && current && otherVersions(current, reference).length === 0)
    throw refuse(`has ${others.join(', ')}: upgrade the older program`);
  const impossible = impossibleTime(manifest, current, now);
  if (impossible !== undefined) throw refuse(`${impossible}: check the URL, and the clock of this machine`);
  return { manifest, text, signature };
}

/** Returns what is impossible about the height and the time of a manifest's last block; undefined if nothing is. */
function impossibleTime(
  { height, time }: Pick<Manifest, 'height' | 'time'>,
  current: Pick<Manifest, 'height' | 'time'> | undefined,
  now: number,
): string | undefined {
  const latest = now + AHEAD_MAX_MS;
  if (Date.parse(time) > latest) return `ends at ${time}, which is in the future`;
  const since = current ? Date.parse(current.time) : FIRST_BLOCK;
  const highest = (current?.height ?? 0) + Math.max(0, Math.floor((latest - since) / BLOCK_MIN_MS));
  if (height <= highest) return undefined;
  return `ends at block ${height}, but the chain cannot have more than ${highest} blocks yet`;
}

/**
 * Returns true if a generation ends before the current one. Compares times before heights, because an upstream cannot
 * claim a later time than now. A generation with a false height therefore stays current only until the next block.
 */
export function isOlder(
  { height, time }: Pick<Manifest, 'height' | 'time'>,
  current: Pick<Manifest, 'height' | 'time'>,
): boolean {
  const ahead = Date.parse(time) - Date.parse(current.time);
  return ahead < 0 || (ahead === 0 && height < current.height);
}
