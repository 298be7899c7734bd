/**
 * A gzip member (RFC 1952) put together from parts of a text: those that come again were deflated once, and those that are new go in
 * as they stand. Packing a few kilobytes anew costs half of an answer that is otherwise at hand.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Little memory to set up each time, which is most of the work for a few kilobytes; they come out no larger. */
export const FASTEST = { level: 1, memLevel: 5, windowBits: 13 } as const;

/** A text that comes again in other answers. What is needed to send it is made when it is first asked for. */
export class KeptText {
  private packed: Packed | undefined;

  constructor(readonly text: string) {}

  /** Ready to be put behind other parts of a member. */
  get deflated(): Packed {
    this.packed ??= packedPart(this.text);
    return this.packed;
  }
}

interface Packed {
  /** Deflate blocks up to a whole byte, the last of the stream not among them. They look back at nothing before them. */
  readonly blocks: Buffer;
  /** Bytes of the text. */
  readonly length: number;
  readonly checksum: number;
  /** See checksumBehind. */
  readonly shift: number;
}

function packedPart(text: string): Packed {
  const bytes = Buffer.from(text);
  const blocks = deflateRawSync(bytes, { ...FASTEST, finishFlush: constants.Z_SYNC_FLUSH });
  return { blocks, length: bytes.length, checksum: crc32(bytes), shift: shiftBy(bytes.length) };
}

/** A piece of text: new, or kept. */
export type Part = string | KeptText;

export const textOfParts = (parts: readonly Part[]) =>
  parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');

/** ID1, ID2, deflate, no flags, no time, fastest, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** A last block that holds nothing. */
const LAST = Buffer.from([3, 0]);
/** Most bytes of a block that is stored as it stands. */
const STORED_BLOCK = 0xffff;

/** The member; gunzip gives the parts' text in UTF-8. */
export function gzipMember(parts: readonly Part[]): Buffer {
  const pieces: Buffer[] = [HEADER];
  let anew = '';
  let checksum = 0;
  let length = 0;
  const store = () => {
    if (anew === '') return;
    const bytes = Buffer.from(anew);
    pieces.push(...storedBlocks(bytes));
    checksum = crc32(bytes, checksum);
    length += bytes.length;
    anew = '';
  };
  for (const part of parts) {
    if (typeof part === 'string') anew += part;
    else {
      store();
      const { deflated } = part;
      pieces.push(deflated.blocks);
      checksum = checksumBehind(checksum, deflated);
      length += deflated.length;
    }
  }
  store();
  pieces.push(LAST, littleEndian(checksum, length));
  return Buffer.concat(pieces);
}

/** Blocks that begin at a whole byte: what they are, their length and its complement, the bytes. */
function* storedBlocks(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += STORED_BLOCK) {
    const block = bytes.subarray(start, start + STORED_BLOCK);
    const { length } = block;
    yield Buffer.from([0, length, length >> 8, ~length, ~length >> 8]);
    yield block;
  }
}

/** Each number modulo 2^32. */
function littleEndian(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, i) => {
    bytes.writeUInt32LE(number % 2 ** 32, 4 * i);
  });
  return bytes;
}

/*
 * CRC-32 is the rest of the text, taken as a polynomial over the field of two elements, by one of degree 32. What stands before n more
 * bytes is multiplied by x^(8n), which is known of a kept text: its bytes need not be gone through again. Highest powers stand in the
 * lowest bits, as in zlib.
 */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000;

/** The checksum of a text and a kept one behind it. */
const checksumBehind = (before: number, { checksum, shift }: Packed) => (product(shift, before) ^ checksum) >>> 0;

/** x^(8 × bytes) */
function shiftBy(bytes: number): number {
  let power = ONE;
  for (let square = ONE_BYTE, rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(power, square);
    square = product(square, square);
  }
  return power;
}

/** The rest of a product of two polynomials. */
function product(one: number, other: number): number {
  let sum = 0;
  for (let bit = ONE, multiple = other; bit !== 0; bit >>>= 1) {
    if (one & bit) sum ^= multiple;
    multiple = multiple & 1 ? (multiple >>> 1) ^ POLYNOMIAL : multiple >>> 1;
  }
  return sum;
}
