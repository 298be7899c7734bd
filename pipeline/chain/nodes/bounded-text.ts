/** Texts of answers, bounded: a node or what stands before it may send without end, and a night would take the whole machine's memory. */

/** Five blocks with their results, which are some hundred kilobytes each on a busy day, have a hundred times less. */
const MIB_MAX = 128;

/** Thrown for an answer that is too large. */
export class TooLarge extends Error {
  constructor() {
    super(`its answer is larger than ${MIB_MAX} MiB`);
  }
}

/** Reads an answer to its end. @throws TooLarge */
export async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MIB_MAX * 1024 * 1024) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
