/** Queries to a node's REST endpoint, and the kinds of its answers. */
import type { ParameterName } from '../parameters/parameters.js';

/** The kind of a query decides how a node's refusals are understood, and how long an answer is kept. */
export type QueryKind = 'smart' | 'codes' | 'contract';

/** Writes a path with its values encoded, so that none of them can name another path of the node. */
export const nodePath = (texts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent));

export interface NodeQuery {
  readonly kind: QueryKind;
  /** Path and query below the endpoint's URL, encoded. */
  readonly path: string;
  /** Block after which the state is read; undefined: the latest. */
  readonly height: number | undefined;
  /** The member of the JSON answer that an answer must have. */
  readonly member: string;
}

/** A refusal: the node's state, or the contract, says that there is no answer to a query. */
export interface Refusal {
  readonly code: 'not_found' | 'validation_failed' | 'bad_request';
  readonly detail: string;
  /** The parameter that is wrong, where the request is at fault. */
  readonly parameter?: ParameterName;
  /** Set when another node may have an answer: this one lacks the state of that height, or takes no path that long. */
  readonly elsewhere?: true;
}

export type Reply = { readonly body: Buffer } | { readonly refusal: Refusal };

/** Ways in which a node gives no answer. `unclear`: it is well, but nobody knows what it means by its answer to this one question. */
export type FaultKind = 'down' | 'busy' | 'timeout' | 'invalid_response' | 'unclear';

/** The fault of a node that gave no answer. */
export class UpstreamFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    /** Seconds that the node asks its callers to wait; 0 when it says nothing. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}
