/** What is asked of a node's REST endpoint, and what it can have answered. */
import type { ParameterName } from '../parameters/parameters.js';
import type { Network } from './network.js';

/** Decides how a node's refusals are understood, and how long an answer is kept. */
export type QuestionKind = 'smart' | 'codes' | 'contract';

export interface Question {
  readonly kind: QuestionKind;
  readonly network: Network;
  /** Path and query below the endpoint's URL, encoded. */
  readonly path: string;
  /** Block after which the state is read; undefined: the latest. */
  readonly height: number | undefined;
  /** The member without which an answer is none. */
  readonly member: string;
}

/** Why there is no answer to a question: the node's state says so, or the contract. */
export interface Refusal {
  readonly code: 'not_found' | 'validation_failed' | 'bad_request';
  readonly detail: string;
  /** What is wrong with the request. */
  readonly parameter?: ParameterName;
  /** Another node may know: this one lacks the state of that height. */
  readonly elsewhere?: true;
}

export type Reply = { readonly body: Buffer } | { readonly refusal: Refusal };

/** `unclear`: the node is well, but nobody knows what it means by its answer to this one request. */
export type FaultKind = 'down' | 'busy' | 'timeout' | 'nonsense' | 'unclear';

/** A node that gave no answer. */
export class UpstreamFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    /** Seconds that the node asks for. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}
