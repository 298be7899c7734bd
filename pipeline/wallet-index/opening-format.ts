/** Parses denom → base units (pipeline/tables/event_lines.sql). */

export function parseOpening(text: string | undefined): ReadonlyMap<string, bigint> {
  const amounts: Record<string, string> = text === undefined ? {} : JSON.parse(text);
  return new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));
}
