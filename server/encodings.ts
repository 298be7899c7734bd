/** Content codings: what a client takes, and bodies in it. */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import { FASTEST, gzipMember, type Part } from './gzip-member.js';

export type Coding = 'br' | 'gzip' | 'identity';

/** What is packed once and kept, best first, and what is packed for one answer: gzip takes half the time there. */
const KEPT: readonly Coding[] = ['br', 'gzip', 'identity'];
const ON_THE_FLY: readonly Coding[] = ['gzip', 'br', 'identity'];

/** Bodies below this many bytes fit a packet anyway. */
const WORTH_IT = 1024;
/** Up to here gzip at its fastest level takes a fraction of a millisecond; larger bodies go to the thread pool. */
const SYNCHRONOUS_UP_TO = 32 * 1024;
/** UTF-8 takes up to three bytes for one unit of a string. */
const MOST_BYTES_A_UNIT = 3;

/** How much a client wants each coding; 0 where it does not take it. */
type Weights = Readonly<Record<Coding, number>>;

const known = new Map<string, Weights>();

/** RFC 9110, 12.5.3. Identity counts as least wanted unless its weight is given. */
function weightsOf(header: string): Weights {
  let weights = known.get(header);
  if (!weights) {
    weights = parseAccepted(header);
    // Browsers send a handful of values; hostile clients must not fill the memory.
    if (known.size < 256 && header.length < 256) known.set(header, weights);
  }
  return weights;
}

function parseAccepted(header: string): Weights {
  const given = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    given.set(name === 'x-gzip' ? 'gzip' : name, weight ? Number(weight.slice(2)) || 0 : 1);
  }
  const others = given.get('*');
  return {
    br: given.get('br') ?? others ?? 0,
    gzip: given.get('gzip') ?? others ?? 0,
    identity: given.get('identity') ?? others ?? 0.0001,
  };
}

/** The coding of those on offer that the client wants most, the first of equals; identity when it takes none of them. */
function chooseCoding(header: string | undefined, offered: readonly Coding[]): Coding {
  if (!header) return 'identity';
  const weights = weightsOf(header);
  let best: Coding = 'identity';
  let most = 0;
  for (const coding of offered) {
    if (weights[coding] > most) [best, most] = [coding, weights[coding]];
  }
  return best;
}

/** The coding of an answer that is packed for one request. */
export const codingOnTheFly = (header: string | undefined): Coding => chooseCoding(header, ON_THE_FLY);

export interface EncodedBody {
  readonly coding: Coding;
  readonly body: Buffer;
}

const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const scratch = Buffer.allocUnsafeSlow(MOST_BYTES_A_UNIT * SYNCHRONOUS_UP_TO);

/** A text's bytes; those that are packed at once and then forgotten need no memory of their own. */
const bytesOf = (text: string, isPassing: boolean) =>
  isPassing ? scratch.subarray(0, scratch.write(text)) : Buffer.from(text);

/** A body that is sent once. */
export async function encodeOnce(content: Buffer | string, header: string | undefined): Promise<EncodedBody> {
  const coding = content.length < WORTH_IT ? 'identity' : codingOnTheFly(header);
  const isSmall = content.length <= SYNCHRONOUS_UP_TO;
  const body = typeof content === 'string' ? bytesOf(content, isSmall && coding !== 'identity') : content;
  switch (coding) {
    case 'identity':
      return { coding, body };
    case 'gzip':
      return { coding, body: isSmall ? gzipSync(body, FASTEST) : await promisify(gzip)(body) };
    case 'br':
      return {
        coding,
        body: isSmall ? brotliCompressSync(body, FAST_BROTLI) : await promisify(brotliCompress)(body, FAST_BROTLI),
      };
  }
}

/** New text that is sent as it stands beside kept text: packing so little takes longer than the rest of the answer. */
const UNPACKED_UP_TO = 4 * 1024;

/** A text of parts for a client that takes gzip; undefined where it had better be packed as a whole. */
export function encodeParts(parts: readonly Part[], header: string | undefined): EncodedBody | undefined {
  let anew = 0;
  for (const part of parts) if (typeof part === 'string') anew += part.length;
  const isMostlyKept = anew <= UNPACKED_UP_TO && parts.some((part) => typeof part !== 'string');
  return isMostlyKept && codingOnTheFly(header) === 'gzip' ? { coding: 'gzip', body: gzipMember(parts) } : undefined;
}

/** Packs a body as it is made; none where it goes out as it is. */
export function encodingStreams(coding: Coding): Transform[] {
  if (coding === 'identity') return [];
  return [coding === 'gzip' ? createGzip() : createBrotliCompress(FAST_BROTLI)];
}

/** A body that is sent again and again: packed once, as small as it gets. */
export class PrecompressedBody {
  private constructor(private readonly bodies: ReadonlyMap<Coding, Buffer>) {}

  static async of(body: Buffer): Promise<PrecompressedBody> {
    const bodies = new Map<Coding, Buffer>([['identity', body]]);
    if (body.length >= WORTH_IT) {
      const [br, gz] = await Promise.all([promisify(brotliCompress)(body), promisify(gzip)(body, { level: 9 })]);
      bodies.set('br', br).set('gzip', gz);
    }
    return new PrecompressedBody(bodies);
  }

  for(header: string | undefined): EncodedBody {
    const coding = this.bodies.size === 1 ? 'identity' : chooseCoding(header, KEPT);
    return { coding, body: this.bodies.get(coding)! };
  }
}
