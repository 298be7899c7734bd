/** Text in front of a stored gzip member, as one member: not every client reads two in a row (RFC 1952, 2.2). */
import { crc32 } from 'node:zlib';

/** Header of the members that Node.js writes: no name, no comment, no time. */
const HEADER_BYTES = 10;
/** CRC-32 and length of the text, little-endian. */
const TRAILER_BYTES = 8;

/**
 * Puts a text before the text of a gzip member, whose compressed bytes are taken over as they are.
 * @param head UTF-8 text
 * @param member one gzip member as Node.js writes it
 */
export function joinGzip(head: string, member: Buffer): Buffer {
  const text = Buffer.from(head);
  const cut = member.length - TRAILER_BYTES;
  const length = member.readUInt32LE(cut + 4);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(combineCrc(crc32(text), member.readUInt32LE(cut), length));
  trailer.writeUInt32LE((text.length + length) % 2 ** 32, 4);
  return Buffer.concat([
    member.subarray(0, HEADER_BYTES),
    ...storedBlocks(text),
    member.subarray(HEADER_BYTES, cut),
    trailer,
  ]);
}

/** Bytes that one stored block holds at the most. */
const BLOCK_MAX_BYTES = 0xffff;

/**
 * Bytes as blocks that are not compressed (RFC 1951, 3.2.4) and end on a byte, so that others may follow. To compress the few hundred
 * bytes of a head would cost as much as the rest of the answer.
 */
function storedBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += BLOCK_MAX_BYTES) {
    const block = bytes.subarray(from, from + BLOCK_MAX_BYTES);
    const header = Buffer.alloc(5);
    header.writeUInt16LE(block.length, 1);
    header.writeUInt16LE(BLOCK_MAX_BYTES - block.length, 3);
    blocks.push(header, block);
  }
  return blocks;
}

/** The polynomial of CRC-32, its bits reversed: the highest bit stands for x⁰. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
/** x⁸, by which a byte that follows multiplies a CRC. */
const BYTE = 0x00800000;

/** The CRC-32 of two texts in a row from those of each; `length` is the second one's in bytes. */
function combineCrc(first: number, second: number, length: number): number {
  let shift = ONE;
  let power = BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shift, power);
    power = multiply(power, power);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** The product of two polynomials over GF(2), modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}
