/** Hostile requests: what takes longest to read at each place that takes a body, a query or a header, whether right or wrong. */
export interface HostileRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Wallets of the dataset under attack, whose rows are tagged and decided about. */
export interface Wallets {
  /** The one with the most rows. */
  readonly largest: string;
  /** The ones with the most rows, as many as a request takes. */
  readonly many: readonly string[];
  /** Rows of the largest wallet that received coins. */
  readonly rows: readonly { readonly id: string; readonly txHash: string }[];
}

export const EVENTS = '/api/tax/v1/events';

/** Characters of a body that is as long as it may be, with some room for an address. */
export const BODY_CHARACTERS = 1024 * 1024 - 8192;

/** Makes as many items as fit a body, up to a number of them, with commas. */
export function fill(item: (i: number) => string, most = Number.POSITIVE_INFINITY): string {
  const items: string[] = [];
  for (let i = 0, left = BODY_CHARACTERS; i < most; i++) {
    const text = item(i);
    left -= text.length + 1;
    if (left < 0) break;
    items.push(text);
  }
  return items.join(',');
}

/** A hash of no transaction. */
export const hash = (i: number): string => i.toString(16).padStart(64, '0');
