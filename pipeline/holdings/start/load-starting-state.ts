import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { JsonPicker } from '../../base/json/json-picker.js';
import type { HoldingsState, Sha256 } from '../state.js';
import { JsonItem, StartingStateError } from '../values/json-item.js';
import { StartingState, type StartListener } from './starting-state.js';

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest();

/**
 * Loads a starting state. @param source path or URL (file:, http:, https:) of a genesis or `export` JSON, optionally
 * gzipped
 * @param listener receives the parts of the file that are not part of the state
 * @throws StartingStateError
 */
export async function loadStartingState(
  source: string,
  listener: Partial<StartListener> = {},
): Promise<{ chainId: string; state: HoldingsState }> {
  const starting = new StartingState(sha256, listener);
  const picker = new JsonPicker(new Set(Object.keys(starting.readers)), (path, place, value) =>
    starting.readers[path]!(new JsonItem(place, value)),
  );
  try {
    for await (const chunk of openChunks(source)) picker.push(chunk);
    picker.end();
    return { chainId: starting.chainId, state: starting.open() };
  } catch (error) {
    throw new StartingStateError(`${nameOf(source)}: ${reasonOf(error as Error)}`, { cause: error });
  }
}

/** Returns a name for messages. For a URL this is only the host, because path and query may contain secrets. */
const nameOf = (source: string) => (/^https?:/.test(source) ? new URL(source).host : source);

function reasonOf({ message, cause }: Error): string {
  const its = cause as NodeJS.ErrnoException | undefined;
  return its?.code ?? its?.message ?? message;
}

/** Returns the JSON of a file or URL, decompressed. */
export function openChunks(source: string): AsyncIterable<Uint8Array> {
  const stream = /^https?:/.test(source) ? readUrl(source) : openFile(source);
  return unpacked(stream[Symbol.asyncIterator]());
}

function openFile(source: string): AsyncIterable<Uint8Array> {
  return createReadStream(source.startsWith('file:') ? fileURLToPath(source) : source, { highWaterMark: 1 << 18 });
}

/** Minimum download speed: at least this many bytes in this time. */
const PACE = { ms: 60_000, bytes: 1 << 20 };

async function* readUrl(url: string): AsyncGenerator<Uint8Array> {
  const controller = new AbortController();
  const late = new Error(`the server sent less than ${PACE.bytes} bytes in ${PACE.ms / 1000} seconds`);
  const timer = setTimeout(() => controller.abort(late), PACE.ms);
  try {
    const response = await fetch(url, { signal: controller.signal });
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes >= PACE.bytes) {
        bytes = 0;
        timer.refresh();
      }
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Decompresses gzip. Detects it by the first bytes, because a server may already have decompressed a .gz file. */
async function* unpacked(chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  if (first.done) return;
  const all = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  const [magic, method] = first.value;
  // pipeline() forwards errors of the source, and closes the source when its consumer stops. pipe() does neither.
  if (magic === 0x1f && method === 0x8b) yield* pipeline(all, createGunzip(), () => {});
  else yield* all;
}
