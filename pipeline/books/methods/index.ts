import { fifo } from './fifo.js';
import { hifo } from './hifo.js';
import { lifo } from './lifo.js';
import type { LotMethod } from './method.js';

/** The values of the parameter `method`, the default first. */
export const LOT_METHODS: readonly LotMethod[] = [fifo, lifo, hifo];

/** @throws RangeError for an unknown name */
export function methodNamed(name: string): LotMethod {
  const found = LOT_METHODS.find((method) => method.name === name);
  if (!found) throw new RangeError(`there is no lot method ${name}`);
  return found;
}
