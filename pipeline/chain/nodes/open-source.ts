import { ConfigError } from '../../config-error.js';
import type { ChainSource } from './chain-source.js';
import { NodePool } from './node-pool.js';
import { Recording } from './recording.js';

/**
 * The source that HUBLEDGER_RPC_URLS names: one recording, or nodes in order of preference.
 * @throws ConfigError for a recording beside other URLs
 */
export function openSource(urls: readonly string[]): ChainSource {
  const recording = urls.find((url) => url.startsWith('file:'));
  if (!recording) return new NodePool(urls);
  if (urls.length === 1) return new Recording(recording);
  throw new ConfigError(`HUBLEDGER_RPC_URLS: a recording (${recording}) cannot stand beside other URLs`);
}
