/** Checks the outcome of every client: a refusal that names pending receipts, and rows after their decisions. */

declare const process: { readonly argv: readonly string[] };

/** Where the interface is, and a wallet that waits for decisions. */
export const [baseUrl, address] = process.argv.slice(2) as [string, string];

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly pending?: number | undefined;
}

/** Requires a refusal for want of decisions about so many receipts. */
export function expectRefusal({ status, code, pending }: Refusal, receipts: number): void {
  if (status === 409 && code === 'asset_decisions_required' && pending === receipts && receipts > 0) return;
  throw new Error(`refused with ${status} ${code}, ${pending} of ${receipts} pending`);
}

/** Requires rows that name a category. */
export function expectRows(rows: readonly { readonly category: string }[]): void {
  if (rows.length === 0 || rows.some(({ category }) => category === '')) throw new Error(`${rows.length} rows`);
}
