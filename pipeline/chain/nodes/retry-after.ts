/** Reads Retry-After, which is seconds or a date, as milliseconds: at least a second where the header says nothing. */
export function retryAfter(header: string | null): number {
  const seconds = Number(header ?? 1);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header!) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 1000 : Math.max(0, milliseconds);
}
