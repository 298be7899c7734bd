import type { ParameterName } from '../tax/parameters/parameter-schemas.js';

export type QueryKind = 'smart' | 'codes' | 'contract';

export interface NodeQuery {
  readonly kind: QueryKind;
  readonly path: string;
  readonly height: number | undefined;
  readonly member: string;
}

/** An error of the node or contract that the query itself caused. A retry would not help. */
export interface Refusal {
  readonly code: 'not_found' | 'validation_failed' | 'bad_request';
  readonly detail: string;
  readonly parameter?: ParameterName;
  /**
   * True if another node may be able to answer, because this node lacks the state at the height or rejects long paths.
   */
  readonly elsewhere?: true;
}

export type Reply = { readonly body: Buffer } | { readonly refusal: Refusal };

/** Reason why a node failed. `unclear`: a healthy node returned an error of unknown meaning. */
export type FaultKind = 'down' | 'busy' | 'timeout' | 'invalid_response' | 'unclear';

export class UpstreamFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}
