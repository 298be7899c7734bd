/**
 * Inflates raw DEFLATE data (RFC 1951) to a text. Stops as soon as the text is too long, so that a short link cannot
 * fill the memory: DEFLATE may shrink a text to a thousandth.
 * @param max maximum length of the text in bytes of UTF-8
 * @returns undefined if the text is too long
 * @throws Error if the data is damaged or incomplete
 */
export async function inflate(packed: Uint8Array<ArrayBuffer>, max: number): Promise<string | undefined> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > max) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}
