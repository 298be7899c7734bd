/** Prepends text to a stored gzip member as a single member, because not every client reads several (RFC 1952, 2.2). */
import { crc32 } from 'node:zlib';

/** Node.js writes no name, comment or time. */
const HEADER_BYTES = 10;
/** CRC-32 and length of the text, little-endian. */
const TRAILER_BYTES = 8;

/**
 * Prepends text to a gzip member; its compressed bytes are copied.
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

/** Most bytes in a stored block. */
const BLOCK_MAX_BYTES = 0xffff;

/**
 * Wraps bytes in stored (uncompressed) blocks (RFC 1951, 3.2.4), which end on a byte boundary. Compressing a short head
 * would cost as much as the rest of the response.
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

const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Combines the CRC-32 of two consecutive texts; `length` is the second text's in bytes. CRCs are linear: the first one
 * is shifted as if zeros followed. The complement undoes CRC-32's initial and final inversion.
 */
function combineCrc(first: number, second: number, length: number): number {
  let complement = ~first >>> 0;
  for (let rest = length; rest > 0; rest -= ZEROS.length) complement = crc32(ZEROS.subarray(0, rest), complement);
  return (~complement ^ second) >>> 0;
}
