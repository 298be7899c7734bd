import { ConfigError } from '../config.js';
import type { ChainSource } from './chain-source.js';
import { Recording } from './recording.js';

/**
 * The source that a list of URLs names.
 * @throws ConfigError for a recording that is not the only one
 */
export function openSource(urls: readonly string[]): ChainSource {
  const recordings = urls.filter((url) => url.startsWith('file:'));
  if (urls.length === 1 && recordings.length === 1) return new Recording(recordings[0]!);
  throw new ConfigError(`HUBLEDGER_RPC_URLS names a recording, ${recordings[0]}, beside other URLs`);
}
