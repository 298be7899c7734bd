/** Endpoints: data for routing, OpenAPI and llms.txt, and one function without HTTP. */
import type { Config } from '../../pipeline/config.js';
import type { Reference } from '../../pipeline/reference.js';
import type { Answer } from '../http/answer.js';
import type { Retirement } from '../http/deprecation.js';
import type { ProblemCode } from '../http/problem.js';
import type { BrowserSecrets } from '../people/accounts/browser-cookies.js';
import type { Caller, CallerKind } from '../people/accounts/caller.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import type { NodeQuery } from '../people/contracts/node-query.js';
import type { DecisionRule } from '../people/saved/resolve-decisions.js';
import type { GivenDecisions } from '../people/saved/saved-entries.js';
import type { Transactions } from '../people/store/store.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import type { Lease } from '../tax/dataset/dataset-holder.js';
import type { RequestName } from '../tax/parameters/body-schemas.js';
import type {
  ActionParameters,
  ContractParameters,
  ParameterName,
  ValidParameters,
} from '../tax/parameters/parameters.js';

/** A quota that requests are charged to. */
export type PolicyName = 'tax' | 'contract' | 'sign-in';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Pages that may read a response. Undefined: any origin, without credentials. `own`: the operator's origins, with
 * credentials. `widget`: the origins of the key in the query, which is required.
 */
export type Access = 'own' | 'widget';

/** One method of one path. */
export interface Route {
  readonly method: Method;
  /** Matched exactly: case-sensitive, no trailing slash. `{name}` is one non-empty segment. */
  readonly path: string;
  /** Required caller; undefined: anyone. A sent key or session is always checked. */
  readonly caller?: CallerKind;
  readonly summary: string;
  readonly description?: string;
  /** Keys of schemas/parameters.json in documentation order, without those in the path. */
  readonly parameters: readonly ParameterName[];
  /** Whether POST takes the parameters as a JSON body; errors are then 422 instead of 400. */
  readonly post?: boolean;
  /** Response schema, schemas/responses/<name>.json; otherwise 'text' or 'html'. */
  readonly response: string;
  /** Supports format=csv. */
  readonly csv?: boolean;
  /** Media types of profiles besides CSV. */
  readonly profileTypes?: readonly ('text/plain' | 'application/pdf')[];
  /** Response schema of a profile's JSON. */
  readonly profileResponse?: string;
  /**
   * Whether figures depend on classified and priced rows. The response is then 503 `replay_in_progress` while the
   * dataset has other versions than this program.
   */
  readonly replayed?: boolean;
  /** Rule for flagged receipts; absent if the response does not depend on decisions. */
  readonly decisions?: DecisionRule;
  readonly policy: PolicyName | 'none';
  readonly access?: Access;
  /** Content-Security-Policy of a page. */
  readonly contentSecurityPolicy?: string;
  /** Whether people sign in here: browsers then see refusals as pages. */
  readonly forPeople?: true;
  /** Dates of its announced end. */
  readonly retirement?: Retirement;
  /** Problem codes besides those that other members imply. */
  readonly problems?: readonly ProblemCode[];
  /** Whether the response changes with time; then it has no ETag and is never cached. */
  readonly volatile?: boolean;
}

export interface EndpointRequest {
  readonly parameters: ValidParameters;
  readonly dataset: Dataset;
  /** UTC day, YYYY-MM-DD. */
  readonly today: string;
  readonly now: Date;
  /** Whether the server is shutting down. */
  readonly isEnding: boolean;
  /** Widget key; present if access is `widget`. */
  readonly widget: WidgetKey | undefined;
}

/** Answers from the current generation; 503 `unavailable` without one. */
export interface Endpoint extends Route {
  readonly kind: 'dataset';
  /**
   * Refuses a request before its ETag is compared: a 304 must not replace a refusal.
   * @throws Problem
   */
  admit?(request: EndpointRequest): void;
  /** Returns whether an answer is expensive however few rows it has: a worker thread then makes it. */
  isExpensive?(parameters: ValidParameters): boolean;
  /** Makes the answer. @throws Problem */
  handle(request: EndpointRequest): Answer | Promise<Answer>;
}

/** Answers about the service itself, also without a dataset. */
export interface ServiceEndpoint extends Route {
  readonly kind: 'service';
  /** Whether caches must revalidate the response. */
  readonly revalidated?: true;
  /** Returns what the response depends on besides the program. */
  dependsOn?(): unknown;
  /**
   * @param reference the program's own reviewed data
   * @param path `{name}` segments; only for volatile endpoints
   * @throws Problem
   */
  serve(reference: Reference, path?: Readonly<Record<string, string>>): Answer | Promise<Answer>;
}

interface Browser {
  /** Session token. */
  readonly session?: string | undefined;
  /** States of visits to the OpenID provider. */
  readonly visits: readonly string[];
  /** The request header User-Agent. */
  readonly userAgent?: string | undefined;
}

export interface ActionRequest {
  /** Present if the endpoint requires a caller. */
  readonly caller: Caller | undefined;
  readonly parameters: ActionParameters;
  /** Query as sent, without the question mark. */
  readonly query: string;
  /** Value of If-Match, for conditional actions. */
  readonly ifMatch: string | undefined;
  /** JSON body, valid by schemas/requests/<body>.json; otherwise empty. */
  readonly body: unknown;
  readonly browser: Browser;
  readonly store: Transactions;
  /** Reviewed data, also available without a dataset. */
  readonly reference: Reference;
  /** Leases the current generation; the caller releases it. */
  lease(): Lease | undefined;
  /** Does the same as readDecisions in a worker thread, for wallets with many rows. @throws Problem validation_failed */
  fitDecisions(given: GivenDecisions, address: string, dataset: Dataset): Promise<GivenDecisions>;
  readonly config: Config;
  readonly now: Date;
}

/** Reads or changes data of people in the store. Responses are private and never cached. */
export interface ActionEndpoint extends Route {
  readonly kind: 'action';
  /** Schema of the JSON body, schemas/requests/<name>.json. */
  readonly body?: RequestName;
  /** Runs once per Idempotency-Key; it must only use the given store. */
  readonly idempotent?: true;
  /** Obeys If-Match. */
  readonly conditional?: true;
  /** Success status; by default 204 if the response is 'none', otherwise 200. */
  readonly status?: 201 | 303;
  /** @throws Problem */
  act(request: ActionRequest): Promise<Outcome>;
}

export const successOf = ({ status, response }: ActionEndpoint): number => status ?? (response === 'none' ? 204 : 200);

export interface Outcome {
  readonly json?: unknown;
  /** Strong ETag for a later If-Match. */
  readonly etag?: string;
  /** Secrets to set in the browser; '' removes one. */
  readonly browser?: BrowserSecrets;
  /** Target of a 303. */
  readonly location?: string;
}

/** Answers with a node's reply to a query. */
export interface ContractEndpoint extends Route {
  readonly kind: 'contract';
  /** Returns the query for a node of the network. */
  ask(parameters: ContractParameters): NodeQuery;
}

export type AnyEndpoint = Endpoint | ServiceEndpoint | ActionEndpoint | ContractEndpoint;
