/** Holdings before the index: a JSON object of denom → base units as text (pipeline/tables/event_lines.sql). */

/** @param text undefined if the wallet held nothing */
export function parseOpening(text: string | undefined): ReadonlyMap<string, bigint> {
  const amounts: Record<string, string> = text === undefined ? {} : JSON.parse(text);
  return new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));
}
