/** Content codings (RFC 9110, 8.4 and 12.5.3): which of them a client takes, and bodies that are compressed for many answers. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';

export type Coding = 'gzip' | 'br' | 'identity';

const CODINGS: readonly Coding[] = ['gzip', 'br', 'identity'];
/** Gzip named first and without a weight: nothing can be wanted more. Almost every client says so. */
const GZIP_FIRST = /^gzip(?:,|$)/;

/** Bodies below this many bytes fit a packet anyway, and go out as they are. */
export const COMPRESSION_THRESHOLD_BYTES = 1024;

export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** The coding that the client wants most, among equals the one that it names first; identity when it takes none of ours. */
export function negotiateCoding(request: IncomingMessage): Coding {
  const accepted = request.headers['accept-encoding'];
  if (!accepted) return 'identity';
  if (GZIP_FIRST.test(accepted)) return 'gzip';
  return (new Negotiator(request).encoding(CODINGS) as Coding | undefined) ?? 'identity';
}

/** Up to here gzip at its fastest takes a fraction of a millisecond, less than a thread of the pool costs. */
const AT_ONCE_MAX_BYTES = 32 * 1024;
/** Little memory to set up each time, which is most of the work for a few kilobytes; they come out no larger. */
const FASTEST = { level: 1, memLevel: 5, windowBits: 13 } as const;

/** The bytes in a coding; equal bytes give equal ones. */
export async function compress(bytes: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case 'identity':
      return bytes;
    case 'gzip':
      return bytes.length <= AT_ONCE_MAX_BYTES ? gzipSync(bytes, FASTEST) : gzipped(bytes);
    case 'br':
      return brotlied(bytes, BROTLI_OPTIONS);
  }
}
