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

const ZEROS = Buffer.alloc(64 * 1024);

/**
 * The CRC-32 of two texts in a row from those of each; `length` is the second one's in bytes. CRCs are linear: the first text counts as if
 * zeros followed it. The complement undoes the one that every CRC-32 begins and ends with.
 */
function combineCrc(first: number, second: number, length: number): number {
  let complement = ~first >>> 0;
  for (let rest = length; rest > 0; rest -= ZEROS.length) complement = crc32(ZEROS.subarray(0, rest), complement);
  return (~complement ^ second) >>> 0;
}
