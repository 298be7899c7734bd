/** Parses byte ranges (RFC 9110, section 14). Supports one range, as readers of Parquet files request. */

/** Positions of the first and last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Ignores other units, invalid values and several ranges.
 * @param size bytes of the file
 * @returns undefined for the whole file
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
