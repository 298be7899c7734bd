import type { ParameterName } from '../parameters/parameters.js';

/** Determines how refusals are interpreted and how long answers are cached. */
export type QueryKind = 'smart' | 'codes' | 'contract';

/** Encodes values, so that none can change the path. */
export const nodePath = (texts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent));

export interface NodeQuery {
  readonly kind: QueryKind;
  readonly path: string;
  readonly height: number | undefined;
  readonly member: string;
}

/** A definite negative answer of the node or the contract. */
export interface Refusal {
  readonly code: 'not_found' | 'validation_failed' | 'bad_request';
  readonly detail: string;
  readonly parameter?: ParameterName;
  /** Another node may answer: this one lacks the state of the height, or refuses so long a path. */
  readonly elsewhere?: true;
}

export type Reply = { readonly body: Buffer } | { readonly refusal: Refusal };

/** `unclear`: a healthy node returned an error of unknown meaning. */
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
