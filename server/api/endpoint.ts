/** An endpoint consists of data for routing, OpenAPI and llms.txt, and of a function that does not depend on HTTP. */
import type { Config } from '../../pipeline/config.js';
import type { Reference } from '../../pipeline/reference.js';
import type { Schemas, Scope } from '../../schemas/types.generated.js';
import type { NodeQuery } from '../contracts/node-query.js';
import type { Answer } from '../http/answer.js';
import type { ProblemCode } from '../http/problem.js';
import type { KeyHolder } from '../people/accounts/keys.js';
import type { BrowserSecrets } from '../people/accounts/sessions.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import type { DecisionRule } from '../people/decisions.js';
import type { GivenDecisions } from '../people/saved-entries.js';
import type { Transactions } from '../people/store/store.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import type { Lease } from '../tax/dataset/dataset-holder.js';
import type { ParameterName } from '../tax/parameters/parameter-schemas.js';
import type { ActionParameters, ContractParameters, ValidParameters } from '../tax/parameters/parameters.js';

export type RequestName = NameIn<keyof Schemas>;

type NameIn<Path> = Path extends `/schemas/requests/${infer Name}.json` ? Name : never;

export type PolicyName = 'tax' | 'contract' | 'sign-in';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Which web pages may read the response. `own`: only pages of this service, with cookies. `widget`: pages at the
 * origins of the required widget key. Undefined: all pages, without cookies.
 */
export type Access = 'same-origin' | 'widget';

/**
 * Required credentials. `session`: a browser session; `account`: a session or any key; a scope: a session or a key with
 * that scope.
 */
export type CallerKind = 'session' | 'account' | Scope;

export interface Caller extends KeyHolder {
  readonly by: 'session' | 'key';
}

export interface Retirement {
  readonly deprecatedOn: string;
  readonly sunsetOn: string;
  readonly successor?: string;
  readonly changelog: string;
}

export interface Route {
  readonly method: Method;
  /** Case-sensitive, without trailing slash. `{name}` matches one non-empty segment. */
  readonly path: string;
  /**
   * Required credentials. If undefined, credentials are optional, but a key or session in the request is still checked.
   */
  readonly caller?: CallerKind;
  readonly summary: string;
  readonly description?: string;
  /** Parameters outside the path, as keys of schemas/parameters.json, in the order of the documentation. */
  readonly parameters: readonly ParameterName[];
  /** True if the parameters may also be sent as JSON by POST. Errors in the JSON have status 422 instead of 400. */
  readonly post?: boolean;
  /** Name of the schema in schemas/responses/, or 'text', 'html' or 'none'. */
  readonly response: string;
  readonly csv?: boolean;
  /** Media types of export profiles in addition to CSV. */
  readonly profileTypes?: readonly ('text/plain' | 'application/pdf' | 'application/zip')[];
  readonly profileResponse?: string;
  /**
   * True if the response contains amounts that the nightly run computes. If another program version computed them, the
   * response is the problem `replay_in_progress` (status 503).
   */
  readonly replayed?: boolean;
  /** Which decisions about flagged receipts affect the response; absent if none do. */
  readonly decisions?: DecisionRule;
  readonly policy: PolicyName | 'none';
  readonly access?: Access;
  readonly contentSecurityPolicy?: string;
  /** True if people open the path in a browser. Errors are then sent as HTML pages. */
  readonly forPeople?: true;
  readonly retirement?: Retirement;
  /** Codes of further problems. Most codes follow from the endpoint's other members. */
  readonly problems?: readonly ProblemCode[];
  /** True if the response also depends on the UTC day, which is then a part of its ETag. */
  readonly daily?: boolean;
  /** True if the response changes with time. It has no ETag and is never cached. */
  readonly volatile?: boolean;
}

export interface EndpointRequest {
  readonly parameters: ValidParameters;
  readonly dataset: Dataset;
  readonly today: string;
  readonly now: Date;
  readonly isEnding: boolean;
  readonly widget: WidgetKey | undefined;
}

/** An endpoint that reads the dataset. Before the first publication, its responses have status 503. */
export interface Endpoint extends Route {
  readonly kind: 'dataset';
  /**
   * Throws a Problem to refuse a request. It is called before ETags are compared, so that a refused request never gets
   * status 304.
   */
  admit?(request: EndpointRequest): void;
  /** Returns true if making the answer takes long even with few rows. A worker thread then makes it. */
  isExpensive?(parameters: ValidParameters): boolean;
  handle(request: EndpointRequest): Answer | Promise<Answer>;
}

export interface ReferenceRequest {
  /** Reviewed data, with accepted disclosures. */
  readonly reference: Reference;
  /** Undefined before the first publication. */
  readonly dataset: Dataset | undefined;
}

/** An endpoint about reviewed data. It also answers before the first publication (decision A15). */
export interface ReferenceEndpoint extends Route {
  readonly kind: 'reference';
  /** Returns the JSON object of the answer. */
  handle(request: ReferenceRequest): object;
}

/** An endpoint about the service itself. It needs no dataset. */
export interface ServiceEndpoint extends Route {
  readonly kind: 'service';
  readonly revalidated?: true;
  /** Returns a value on which the response depends. The cached response is replaced when this value changes. */
  dependsOn?(): unknown;
  /**
   * @param reference the program's own reviewed data
   * @param path values of `{name}` in the path; only for volatile endpoints
   */
  serve(reference: Reference, path?: Readonly<Record<string, string>>): Answer | Promise<Answer>;
}

interface Browser {
  readonly session?: string | undefined;
  readonly visits: readonly string[];
  readonly userAgent?: string | undefined;
}

export interface ActionRequest {
  readonly caller: Caller | undefined;
  readonly parameters: ActionParameters;
  readonly query: string;
  readonly ifMatch: string | undefined;
  /** JSON body that matches its schema; empty if the endpoint has no body. */
  readonly body: unknown;
  readonly browser: Browser;
  readonly store: Transactions;
  readonly reference: Reference;
  /** Keeps the current dataset open until the caller releases the lease. */
  lease(): Lease | undefined;
  /** Calls readDecisions in a worker thread, because a wallet may have many rows. */
  fitDecisions(given: GivenDecisions, address: string, dataset: Dataset): Promise<GivenDecisions>;
  readonly config: Config;
  readonly now: Date;
}

/** An endpoint that reads or changes user data. Responses are private and never cached. */
export interface ActionEndpoint extends Route {
  readonly kind: 'action';
  readonly body?: RequestName;
  /** True if requests with the same Idempotency-Key run only once. `act` must use only the store that it receives. */
  readonly idempotent?: true;
  readonly conditional?: true;
  /** Status of a successful response. Default: 204 if `response` is 'none', otherwise 200. */
  readonly status?: 201 | 303;
  act(request: ActionRequest): Promise<Outcome>;
}

export const successOf = ({ status, response }: ActionEndpoint): number => status ?? (response === 'none' ? 204 : 200);

export interface Outcome {
  readonly json?: unknown;
  /** ETag of the response. Clients send it back as If-Match. */
  readonly etag?: string;
  readonly browser?: BrowserSecrets;
  readonly location?: string;
}

export interface ContractEndpoint extends Route {
  readonly kind: 'contract';
  ask(parameters: ContractParameters): NodeQuery;
}

export type AnyEndpoint = Endpoint | ReferenceEndpoint | ServiceEndpoint | ActionEndpoint | ContractEndpoint;
