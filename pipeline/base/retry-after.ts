/**
 * Converts a Retry-After header (seconds or a date) to milliseconds. Returns 1000 if the header is missing or invalid.
 */
export function retryAfter(header: string | null): number {
  const seconds = Number(header ?? 1);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header!) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 1000 : Math.max(0, milliseconds);
}
