/** Endpoints: each is data for routing, OpenAPI and llms.txt, and one function that knows nothing of HTTP. */
import type { Config } from '../pipeline/config.js';
import type { Reference } from '../pipeline/reference.js';
import type { Coverage, StatementCoverage } from '../schemas/types.generated.js';
import type { BrowserSecrets } from './accounts/browser-cookies.js';
import type { Caller, CallerKind } from './accounts/caller.js';
import type { WidgetKey } from './accounts/widget-keys.js';
import type { NodeQuery } from './contracts/node-query.js';
import type { Dataset } from './dataset/dataset.js';
import type { Lease } from './dataset/dataset-holder.js';
import type { DecisionRule } from './decisions/resolve-decisions.js';
import type { GivenDecisions } from './decisions/saved-entries.js';
import type { Retirement } from './http/deprecation.js';
import type { RequestName } from './parameters/body-schemas.js';
import type { ActionParameters, ContractParameters, ParameterName, ValidParameters } from './parameters/parameters.js';
import type { ProblemCode } from './problem.js';
import type { Transactions } from './store/store.js';

/** A quota that requests are charged to. */
export type PolicyName = 'tax' | 'contract' | 'sign-in';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The web pages that may read an answer. Undefined: those of every origin, without credentials; `own`: the operator's, with them;
 * `widget`: those that the key in the query was made for, which every request needs.
 */
export type Access = 'own' | 'widget';

/** A route: one method of one path as data, from which the router, OpenAPI and llms.txt are made. */
export interface Route {
  readonly method: Method;
  /** Path that is matched exactly: case-sensitive, no trailing slash. `{name}` stands for one segment that is not empty. */
  readonly path: string;
  /** Callers who may use it; undefined: anyone. A key or session that is sent is checked everywhere. */
  readonly caller?: CallerKind;
  readonly summary: string;
  readonly description?: string;
  /** Names of schemas/parameters.json in the order they are documented; those in braces in the path are known from it. */
  readonly parameters: readonly ParameterName[];
  /** Whether it also answers POST with the parameters as a JSON body; invalid ones are then a 422 instead of a 400. */
  readonly post?: boolean;
  /** Name of the answer's schema, schemas/responses/<name>.json; else 'text' or 'html'. */
  readonly response: string;
  /** Whether it offers format=csv. */
  readonly csv?: boolean;
  /** Media types that a profile has beside CSV. */
  readonly profileTypes?: readonly ('text/plain' | 'application/pdf')[];
  /** Name of the schema of the JSON that a profile has in place of `response`. */
  readonly profileResponse?: string;
  /**
   * Whether its figures rest on classified and priced rows: it answers 503 `replay_in_progress` while those of the dataset were made
   * under other versions than this program's.
   */
  readonly replayed?: boolean;
  /** Rule for flagged receipts: whose decisions are needed; absent where the answer does not rest on decisions. */
  readonly decisions?: DecisionRule;
  /** The quota that requests are charged to. */
  readonly policy: PolicyName | 'none';
  readonly access?: Access;
  /** Content-Security-Policy of a page, which loads more than an answer of the API may. */
  readonly contentSecurityPolicy?: string;
  /** Whether people sign in by it: a browser that asks for a page is shown its refusals as one. */
  readonly forPeople?: true;
  /** Dates of its end; present once that is announced. */
  readonly retirement?: Retirement;
  /** Problem codes this endpoint can return besides those implied by its other members; none when absent. */
  readonly problems?: readonly ProblemCode[];
  /** Whether the answer changes with the clock: such a one is never cached and has no ETag. */
  readonly volatile?: boolean;
}

export interface EndpointRequest {
  readonly parameters: ValidParameters;
  readonly dataset: Dataset;
  /** UTC day, YYYY-MM-DD. */
  readonly today: string;
  readonly now: Date;
  /** Whether the server is about to end. */
  readonly isEnding: boolean;
  /** Key of the page that asks; there is one wherever the endpoint's access is `widget`. */
  readonly widget: WidgetKey | undefined;
}

/** A dataset endpoint answers from the generation in hand; 503 `unavailable` while there is none. */
export interface Endpoint extends Route {
  readonly kind: 'dataset';
  /**
   * Refuses a request that has no answer, before anything is said about ETags: a 304 must not stand for a refusal.
   * @throws Problem
   */
  admit?(request: EndpointRequest): void;
  /** Returns whether an answer is expensive however few rows it has: a worker thread then makes it. */
  isExpensive?(parameters: ValidParameters): boolean;
  /** Makes the answer. @throws Problem */
  handle(request: EndpointRequest): Answer | Promise<Answer>;
}

/** A service endpoint answers about the service itself, with or without a dataset. */
export interface ServiceEndpoint extends Route {
  readonly kind: 'service';
  /** Whether a browser that has kept the answer asks whether it is still the same. */
  readonly revalidated?: true;
  /** Names what the answer depends on beside the program: while it is the same, the answer is. */
  dependsOn?(): unknown;
  /**
   * @param reference the program's own reviewed data
   * @param path the `{name}` segments of the path, where the answer is volatile
   * @throws Problem
   */
  serve(reference: Reference, path?: Readonly<Record<string, string>>): Answer | Promise<Answer>;
}

/** The browser that asks. */
interface Browser {
  /** Token of the session that it is signed in by. */
  readonly session?: string | undefined;
  /** States of visits to the OpenID provider. */
  readonly visits: readonly string[];
  /** The request header User-Agent. */
  readonly userAgent?: string | undefined;
}

export interface ActionRequest {
  /** The caller; there is one wherever the endpoint asks for one. */
  readonly caller: Caller | undefined;
  readonly parameters: ActionParameters;
  /** Query as it was sent, without the leading question mark. */
  readonly query: string;
  /** Value of If-Match, which conditional actions heed. */
  readonly ifMatch: string | undefined;
  /** JSON body, valid by schemas/requests/<body>.json; empty where the endpoint takes none. */
  readonly body: unknown;
  readonly browser: Browser;
  readonly store: Transactions;
  /** The reviewed data, also before anything is published. */
  readonly reference: Reference;
  /** Leases the generation in hand, if there is one; the caller releases it. */
  lease(): Lease | undefined;
  /** Does the same as readDecisions in a worker thread, for wallets with many rows. @throws Problem validation_failed */
  fitDecisions(given: GivenDecisions, address: string, dataset: Dataset): Promise<GivenDecisions>;
  readonly config: Config;
  readonly now: Date;
}

/** An action endpoint reads or changes what people gave, in the store. Its answers are for nobody else and never cached. */
export interface ActionEndpoint extends Route {
  readonly kind: 'action';
  /** Name of the schema of the JSON body that it takes, schemas/requests/<name>.json. */
  readonly body?: RequestName;
  /** The action is carried out once for an Idempotency-Key; all that it does, it does by the store that it is given. */
  readonly idempotent?: true;
  /** Whether it is carried out only on what If-Match names, where that is sent. */
  readonly conditional?: true;
  /** Status of a success; absent: 204 where the response is 'none', else 200. */
  readonly status?: 201 | 303;
  /** Carries the action out. @throws Problem */
  act(request: ActionRequest): Promise<Outcome>;
}

/** The status with which an action succeeds. */
export const successOf = ({ status, response }: ActionEndpoint): number => status ?? (response === 'none' ? 204 : 200);

/** The outcome of an action. */
export interface Outcome {
  readonly json?: unknown;
  /** Strong ETag of what a read shows, where a later change may name it. */
  readonly etag?: string;
  /** Secrets that the browser keeps from now on; '' takes a secret away from it. */
  readonly browser?: BrowserSecrets;
  /** URL that a 303 leads to. */
  readonly location?: string;
}

/** A contract endpoint answers with a node's answer to a query. */
export interface ContractEndpoint extends Route {
  readonly kind: 'contract';
  /** Makes the query that a node of the named network answers. */
  ask(parameters: ContractParameters): NodeQuery;
}

export type AnyEndpoint = Endpoint | ServiceEndpoint | ActionEndpoint | ContractEndpoint;

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';
export type TextType = 'text/plain; charset=utf-8';

/** Coverage as a header tells it; the note for people stays out, since its length has no bound. */
export type CoverageHeader = Coverage | StatementCoverage;

/** An endpoint's answer as a value; routing/ makes bytes and headers of it. */
export type Answer =
  /** A value, which toJson writes, so that exact numbers stay exact. */
  | { readonly json: unknown }
  /** A page or a text. */
  | { readonly text: string; readonly type: string }
  /** A file that is made as a whole. */
  | {
      readonly bytes: Uint8Array;
      readonly type: 'application/pdf';
      readonly fileName: string;
      readonly coverage: CoverageHeader;
    }
  /** A list of rows, written as they are made. */
  | {
      readonly chunks: Iterable<string>;
      readonly type: JsonType | CsvType | TextType;
      readonly fileName?: string;
      /** Coverage of a list without room for members: CSV tells it by header. */
      readonly coverage?: CoverageHeader;
    };
