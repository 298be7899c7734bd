/** The reading of one request's parameters: where values come from, what was found, what was wrong. */
import { MemberFault, parseJson } from '../../pipeline/json/exact-json.js';
import { quoted } from '../../pipeline/json/quoted.js';
import { type Decisions, noDecisions } from '../../pipeline/ledger/decisions/decisions.js';
import type { ReachedRows } from '../../pipeline/ledger/decisions/reached-rows.js';
import type { OpeningLot } from '../../pipeline/ledger/opening/opening-lots.js';
import type { Reference } from '../../pipeline/reference.js';
import type { EventType } from '../../pipeline/reports/event-list.js';
import { LIMITS } from '../limits.js';
import type { ParameterFault } from './faults.js';
import {
  bodySource,
  givenMembers,
  type Lengths,
  memberNames,
  PARAMETERS,
  type ParameterName,
  QUERY,
  type Source,
} from './parameter-schemas.js';
import { ALL_TIME, type TimeRange } from './time-range.js';

/** The values of a request's parameters; those that are not given, or that the endpoint does not list, have their defaults. */
class Values {
  addresses: readonly string[] = [];
  /** Id of the chain, never one of its aliases. */
  chain: string;
  type: EventType = 'all';
  range: TimeRange = ALL_TIME;
  /** UTC day, or '' where the endpoint takes none or none is given and that means the latest. */
  date = '';
  /** Whether that day was asked for, and is not today for want of one. */
  isDated = false;
  /** Whether every day is asked for instead of one. */
  history = false;
  denom: string;
  /** Operator address, or '' where the endpoint takes none. */
  validator = '';
  format: 'json' | 'csv' | 'pdf' = 'json';
  /** Program whose form the answer has; '' for none. */
  profile = '';
  /** The caller's accounts by those of the journal. */
  accounts: ReadonlyMap<string, string> = new Map();
  /** Rows of the whole wallet, or only those that concern the validator of a widget key. */
  scope: 'wallet' | 'validator' = 'wallet';
  decisions: Decisions = noDecisions;
  /** Lots of what the wallets held before the index, as the caller states them. */
  openingLots: readonly OpeningLot[] = [];
  /** Whether opening lots that the caller's account has saved count: the endpoint takes some, and the request states none. */
  takesSavedLots = false;
  /** Number of saved opening lots that count, once decisions are resolved; undefined where the account has saved none or none are asked for. */
  savedLots: number | undefined = undefined;
  /** Whether lots travel by transfers between the wallets. */
  ownWallets: 'separate' | 'carry' = 'separate';
  /** The rows that each tag of the request reached, once decisions are resolved. */
  tagged: readonly ReachedRows[] = [];
  /** Names that were given and that the endpoint does not know, the first few as sent. */
  ignored: readonly string[] = [];
  /** Whether the caller brought tags, asset decisions or a key: the answer is for nobody else. */
  personal = false;
  /** A name of a network of the contract API. */
  network = '';
  /** Address of a contract in lower case. */
  contract = '';
  /** Smart query message as it is written. */
  message = '';
  /** Block after which a network's state is read; undefined: the latest. */
  height: number | undefined = undefined;
  /** Most items of a page. */
  limit = 0;
  /** Key of the first item of a page; undefined: the first of all. */
  pageKey: string | undefined = undefined;
  /** Id in a path: of a key, a submission or a webhook. */
  id = '';
  /** Secret in a path, that of a sign-in link. */
  token = '';
  /** State that an OpenID provider sends back, or ''. */
  state = '';

  constructor(
    { chain }: Reference,
    /** Place that the parameters came from: it decides how the answer names a fault. */
    readonly source: Source,
  ) {
    this.chain = chain.chain_id;
    this.denom = chain.native_denom;
  }
}

/** The parameters that an endpoint gets. */
export type ValidParameters = Readonly<Values>;

/** The networks of the contract API, as far as parameters name them. */
export interface NetworkNames {
  readonly names: readonly string[];
  /** @param name one of the names, or an alias */
  get(name: string): { readonly bech32Prefix: string | undefined } | undefined;
}

export interface ParameterContext {
  readonly reference: Reference;
  readonly networks: NetworkNames;
  /** UTC day. */
  readonly today: string;
  /** Default last day of a price series. Undefined: today. */
  readonly seriesEnd?: string;
}

/** The parameters as a request gives them, by where they stand. A body stands in place of a query. */
export interface Given {
  /** Values by the `{name}`s of the path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Values of the query by name: all that are given, so that one given twice is seen. */
  readonly query?: ReadonlyMap<string, readonly string[]>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body as it is written. */
  readonly bodyText?: string;
  /** Whether the caller accepts JSON rather than CSV; it counts where CSV is what is usual and nothing else is asked for. */
  readonly acceptsJson?: boolean;
}

export class Reading {
  readonly faults: ParameterFault[] = [];
  readonly source: Source;
  readonly values: Values;
  /** Names that are given, and that another parameter of the request leaves without a meaning. */
  readonly unused = new Set<ParameterName>();

  constructor(
    readonly given: Given,
    readonly context: ParameterContext,
  ) {
    this.source = given.body ? bodySource(given.body) : QUERY;
    this.values = new Values(context.reference, this.source);
  }

  fault(name: ParameterName, message: string, path = ''): void {
    if (this.faults.length <= LIMITS.input.faults.max) this.faults.push({ name, path, message });
  }

  /** The given value, or undefined when none counts as given. In a path or query it is a text. */
  take(name: ParameterName): unknown {
    const parameter = PARAMETERS[name];
    const values = this.valuesOf(name);
    const [value] = values;
    const isBody = this.source.kind === 'body';
    if (values.length > 1) {
      const names = memberNames(parameter).join(' and ');
      this.fault(name, isBody ? `is given by both names, ${names}` : `is given ${values.length} times`);
    }
    if (value === '' && parameter.isEmptyAbsent) return undefined;
    if (value === undefined && parameter.required) this.fault(name, 'is required');
    if (value === '') this.fault(name, 'must not be empty');
    const overlong = lengthFault(isBody ? parameter.member.schema : parameter.schema, value);
    if (overlong) this.fault(name, overlong);
    return value === '' || overlong ? undefined : value;
  }

  /** The values given where the parameter stands. */
  private valuesOf(name: ParameterName): readonly unknown[] {
    const { path = {}, query, body } = this.given;
    const parameter = PARAMETERS[name];
    if (parameter.in === 'path') return [path[name]];
    if (!body) return query?.get(parameter.name) ?? [];
    return givenMembers(body, name).map((member) => body[member]);
  }

  /** The value as text for another parameter's reader, without a word about its faults. */
  peek(name: ParameterName): string {
    return String(this.valuesOf(name)[0] ?? '');
  }

  /** A text, or undefined with a fault when the body has something else. */
  text(name: ParameterName): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    this.fault(name, 'must be a string');
    return undefined;
  }

  /** A choice among the values that the schema lists; its default when none is given. */
  choice(name: ParameterName): string | undefined {
    const { enum: allowed, default: usual } = PARAMETERS[name].schema;
    const value = this.text(name) ?? usual;
    if (value === undefined || allowed!.includes(value)) return value;
    this.fault(name, `must be ${allowed!.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${quoted(value)}`);
    return undefined;
  }

  /** A JSON object or list: text of a query, a member of a body. */
  json(name: ParameterName): unknown {
    const value = this.take(name);
    if (value === undefined || this.source.kind === 'body') return value;
    return this.parsed(name, value as string);
  }

  /** The value of a JSON text, or undefined with a fault. */
  parsed(name: ParameterName, text: string): unknown {
    try {
      return parseJson(text);
    } catch (error) {
      if (error instanceof MemberFault) this.fault(name, error.message, error.path);
      else this.fault(name, `is not JSON: ${(error as Error).message}`);
      return undefined;
    }
  }
}

/** Ignored names that are told at the most, and characters of each: a header has room for them in any script. */
const IGNORED_MAX = { names: 20, characters: 40 };

/**
 * The names that a request gives and nobody reads, in their order (decision R3). Beside a body that is every parameter of the query,
 * since the body stands in its place.
 * @param names the parameters that the endpoint knows
 */
export function ignoredNames(names: readonly ParameterName[], { query, body }: Given): string[] {
  const inQuery = [...(query?.keys() ?? [])];
  const isKnown = (given: string) =>
    names.some((name) => {
      const parameter = PARAMETERS[name];
      const own = body ? memberNames(parameter) : [parameter.name];
      return parameter.in === 'query' && own.includes(given);
    });
  const unknown = (body ? Object.keys(body) : inQuery).filter((name) => !isKnown(name));
  return toldNames(body ? [...unknown, ...inQuery] : unknown);
}

/** The names that are told of those that were ignored; a character that the cut goes through is left out. */
export const toldNames = (names: readonly string[]): string[] =>
  [...new Set(names)]
    .slice(0, IGNORED_MAX.names)
    .map((name) => name.slice(0, IGNORED_MAX.characters).replace(/\p{Surrogate}$/u, ''));

/**
 * The canonical text of parameters: the same for requests that mean the same. Every value is in it, also the decisions and opening lots
 * that count, so that nothing that changes an answer is forgotten.
 */
export const canonical = (parameters: ValidParameters): string =>
  JSON.stringify(parameters, parameters.personal ? exactValue : undefined); // what nobody told about itself has neither

function exactValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map ? [...value] : value;
}

/**
 * Says that a text, a list or an object is longer than its schema allows, before anything of it is compared, matched or decoded.
 * @returns undefined where it is not
 */
export function lengthFault(schema: Lengths, value: unknown): string | undefined {
  const { maxLength = Infinity, maxItems = Infinity, maxProperties = Infinity } = schema;
  if (typeof value === 'string') return value.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
  if (Array.isArray(value)) return value.length > maxItems ? `has more than ${maxItems} items` : undefined;
  if (typeof value !== 'object' || value === null || maxProperties === Infinity) return undefined;
  return Object.keys(value).length > maxProperties ? `has more than ${maxProperties} members` : undefined;
}
