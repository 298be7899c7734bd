import type { CrossCheck } from '../cross-check.js';
import type { ChainSource } from './chain-source.js';
import { NodePool } from './node-pool.js';
import { Recording } from './recording.js';

export function openSource(urls: readonly string[], crossCheck?: CrossCheck): ChainSource {
  const recording = urls.find((url) => url.startsWith('file:'));
  return recording ? new Recording(recording) : new NodePool(urls, {}, crossCheck);
}
