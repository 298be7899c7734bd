import { BlockError } from '../chain/block-error.js';
import { ConfigError, isSystemFault, SpanError } from '../config-error.js';

export type JobError =
  | { readonly block: Pick<BlockError, 'height' | 'hash' | 'reason'> }
  | { readonly config: string }
  | { readonly span: string }
  | { readonly message: string };

export function serializeError(error: unknown): JobError {
  if (error instanceof BlockError) {
    const { height, hash, reason } = error;
    return { block: { height, hash, reason } };
  }
  if (error instanceof SpanError) return { span: error.message };
  if (error instanceof ConfigError || isSystemFault(error)) return { config: error.message };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Restores the error class, which is lost between threads. */
export function deserializeError(error: JobError): Error {
  if ('block' in error) {
    const { height, hash, reason } = error.block;
    return new BlockError(height, hash, reason);
  }
  if ('span' in error) return new SpanError(error.span);
  return 'config' in error ? new ConfigError(error.config) : new Error(error.message);
}
