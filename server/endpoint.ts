/** What an endpoint is: data for routing, OpenAPI and llms.txt, and one function that knows nothing of HTTP. */
import type { Dataset } from './dataset.js';
import type { ParameterName, ValidParameters } from './parameters.js';
import type { ProblemCode } from './problem.js';
import type { PolicyName } from './quotas.js';
import type { Retirement } from './retirement.js';

/** What is said about a path; routes, OpenAPI and llms.txt are made from it. */
export interface Route {
  readonly method: 'GET';
  /** Matched exactly: case-sensitive, no trailing slash. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Names of schemas/parameters.json, in the order they are documented. */
  readonly parameters: readonly ParameterName[];
  /** Also answers POST with the parameters as a JSON body; invalid ones are then a 422 instead of a 400. */
  readonly post?: boolean;
  /** schemas/responses/<name>.json, 'text', or 'html'. */
  readonly response: string;
  /** Offers format=csv. */
  readonly csv?: boolean;
  /**
   * Its figures rest on classified and priced rows: 503 `replay_in_progress` while those of the dataset were made under
   * other versions than this program's.
   */
  readonly replayed?: boolean;
  /** The quota that requests are charged to. */
  readonly policy: PolicyName | 'none';
  /** Pages of which origins may read it: by default all, without credentials; `own`: the operator's, with them. */
  readonly access?: 'own';
  /** Of a page, which loads more than an answer of the API may. */
  readonly contentSecurityPolicy?: string;
  /** Set when it is announced that it goes. */
  readonly retirement?: Retirement;
  /** Beside those that follow from the rest. */
  readonly problems: readonly ProblemCode[];
  /** The answer changes with the clock: never cached, no ETag. */
  readonly volatile?: boolean;
}

export interface EndpointRequest {
  readonly parameters: ValidParameters;
  readonly dataset: Dataset;
  /** UTC day, YYYY-MM-DD. */
  readonly today: string;
  readonly now: Date;
}

/** Answers from the generation in hand; 503 `unavailable` while there is none. */
export interface Endpoint extends Route {
  /**
   * Refuses what has no answer, before anything is said about ETags: a 304 must not stand for a refusal.
   * @throws Problem
   */
  admit?(request: EndpointRequest): void;
  /** @throws Problem */
  handle(request: EndpointRequest): Answer | Promise<Answer>;
}

/** Answers about the service itself, with or without a dataset. */
export interface ServiceEndpoint extends Route {
  serve(): Answer;
}

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';

export type Answer =
  /** Written by toJson, so that exact numbers stay exact. */
  | { readonly json: unknown }
  | { readonly text: string; readonly type: string }
  /** A stored JSON body, one gzip member. */
  | { readonly gzip: Buffer }
  /** Written as it is made; each chunk takes a few milliseconds at the most. */
  | {
      readonly chunks: Iterable<string> | AsyncIterable<string>;
      readonly type: JsonType | CsvType;
      readonly fileName?: string;
    };
