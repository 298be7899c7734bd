/**
 * Writes the address of a generation's files into its catalog. The catalog of a generation has a field for the address,
 * which is empty there: its bytes must not depend on the server. The server fills in its own address (decision F1).
 */

export const BLOCK_BYTES = 32_768;
/** DuckDB's file begins with three headers of this size. Blocks follow, and each begins with its checksum. */
const HEADER_BYTES = 4096;
const CHECKSUM_BYTES = 8;
/** A block has up to 64 metadata blocks of this size. Each begins with a pointer, and its text follows. */
const METADATA_BYTES = 504;
const POINTER_BYTES = 8;
/** Bytes of text in a metadata block. */
export const METADATA_TEXT = METADATA_BYTES - POINTER_BYTES;

/** Text before the field. It occurs once in the file. */
const MARK = 'files of this catalog:';
/** Longest address of files. */
export const ADDRESS_MAX = 256;
/** The mark and the empty field, as the text of a macro. */
const EMPTY_FIELD = MARK + ' '.repeat(ADDRESS_MAX);

/** Returns SQL that reads the address from the field; null if it is empty. */
export const ADDRESS_SQL = `nullif(rtrim(substr('${EMPTY_FIELD}', ${MARK.length + 1})), '')`;

/** Returns true if the field is in one piece. DuckDB splits texts that do not fit the rest of a metadata block. */
export const hasWholeField = (catalog: Buffer): boolean => catalog.includes(EMPTY_FIELD);

/**
 * Returns the place of the field within the text of a metadata block whose end cuts the field. Undefined if the end cuts
 * the mark, or nothing.
 */
export function placeOfCutField(catalog: Buffer): number | undefined {
  const mark = catalog.indexOf(MARK);
  if (mark === -1) return undefined;
  const inBlock = ((mark - 3 * HEADER_BYTES) % BLOCK_BYTES) - CHECKSUM_BYTES;
  return (inBlock % METADATA_BYTES) - POINTER_BYTES;
}

/**
 * Returns a copy of a catalog with the address of its files.
 * @param address ASCII that ends with a slash
 * @throws RangeError if the address is longer than the field, or if the file has no field
 */
export function withAddress(catalog: Buffer, address: string): Buffer {
  const mark = catalog.indexOf(MARK);
  if (mark === -1) throw new RangeError('the catalog has no field for the address of its files');
  if (address.length > ADDRESS_MAX) throw new RangeError(`${address} is longer than ${ADDRESS_MAX} characters`);
  const copy = Buffer.from(catalog);
  copy.write(address.padEnd(ADDRESS_MAX), mark + MARK.length, 'latin1');
  const headers = 3 * HEADER_BYTES;
  const block = headers + Math.floor((mark - headers) / BLOCK_BYTES) * BLOCK_BYTES;
  copy.writeBigUInt64LE(checksum(copy.subarray(block + CHECKSUM_BYTES, block + BLOCK_BYTES)), block);
  return copy;
}

/** Returns DuckDB's checksum of a block: the exclusive or of its words, each times a constant. */
function checksum(bytes: Buffer): bigint {
  let sum = 5381n;
  for (let i = 0; i < bytes.length; i += 8) sum ^= BigInt.asUintN(64, bytes.readBigUInt64LE(i) * 0xbf58476d1ce4e5b9n);
  return sum;
}
