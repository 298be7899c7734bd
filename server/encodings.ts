/** Content codings: what a client takes, and bodies in it. */
import { promisify } from 'node:util';
import { brotliCompress, gzip, gzipSync } from 'node:zlib';

export type Coding = 'br' | 'gzip' | 'identity';

const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];

/** Bodies below this many bytes fit a packet anyway. */
const WORTH_IT = 1024;
/** Up to here gzip at its fastest level takes a fraction of a millisecond; larger bodies go to the thread pool. */
const SYNCHRONOUS_UP_TO = 32 * 1024;

const known = new Map<string, readonly Coding[]>();

/** The codings a client takes, best first (RFC 9110, 12.5.3). Identity counts as least wanted unless its weight is given. */
export function acceptedCodings(header: string | undefined): readonly Coding[] {
  if (!header) return ['identity'];
  let codings = known.get(header);
  if (!codings) {
    codings = parseAccepted(header);
    // Browsers send a handful of values; hostile clients must not fill the memory.
    if (known.size < 256 && header.length < 256) known.set(header, codings);
  }
  return codings;
}

function parseAccepted(header: string): readonly Coding[] {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight ? Number(weight.slice(2)) || 0 : 1);
  }
  const others = weights.get('*');
  const weightOf = (coding: Coding) => weights.get(coding) ?? others ?? (coding === 'identity' ? 0.0001 : 0);
  return CODINGS.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
}

/** The best coding of those on offer; identity when the client takes none of them. */
export function chooseCoding(header: string | undefined, offered: readonly Coding[]): Coding {
  return acceptedCodings(header).find((coding) => offered.includes(coding)) ?? 'identity';
}

export interface EncodedBody {
  readonly coding: Coding;
  readonly body: Buffer;
}

/** Little memory to set up each time, which is most of the work for a few kilobytes; they come out no larger. */
const FASTEST = { level: 1, memLevel: 5, windowBits: 13 } as const;

/** A body that is sent once. */
export async function encodeOnce(body: Buffer, header: string | undefined): Promise<EncodedBody> {
  if (body.length < WORTH_IT || chooseCoding(header, ['gzip', 'identity']) === 'identity') {
    return { coding: 'identity', body };
  }
  const packed = body.length <= SYNCHRONOUS_UP_TO ? gzipSync(body, FASTEST) : await promisify(gzip)(body);
  return { coding: 'gzip', body: packed };
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
    const coding = chooseCoding(header, [...this.bodies.keys()]);
    return { coding, body: this.bodies.get(coding)! };
  }
}
