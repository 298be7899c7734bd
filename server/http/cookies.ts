/** The request header Cookie (RFC 6265, 4.2). */

/** `a=1; b=2` → {a → 1, b → 2}; of a name given twice the first, which browsers send for the longer path. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header?.split(';') ?? []) {
    const cut = pair.indexOf('=');
    const name = pair.slice(0, cut).trim();
    if (cut > 0 && !cookies.has(name)) cookies.set(name, pair.slice(cut + 1).trim());
  }
  return cookies;
}
