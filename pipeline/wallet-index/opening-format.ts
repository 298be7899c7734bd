/** The format of what a wallet held before the index: a JSON object of denom → base units as text (pipeline/tables/event_lines.sql). */

/** Parses such a text. @param text undefined for a wallet that held nothing */
export function parseOpening(text: string | undefined): ReadonlyMap<string, bigint> {
  const amounts: Record<string, string> = text === undefined ? {} : JSON.parse(text);
  return new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));
}
