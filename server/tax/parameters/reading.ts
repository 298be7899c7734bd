import { MemberFault, parseJson } from '../../../pipeline/base/json/exact-json.js';
import { quoted } from '../../../pipeline/base/json/quoted.js';
import type { Currency } from '../../../pipeline/books/currencies/currency.js';
import type { ExchangeRates } from '../../../pipeline/books/currencies/exchange-rates.js';
import { type Decisions, type GivenTags, noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { OpeningLot } from '../../../pipeline/books/ledger/opening-lots.js';
import type { TimeRange } from '../../../pipeline/books/reports/coverage.js';
import type { IncomeRule } from '../../../pipeline/books/reports/tax-year/income-rule.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { CountryRules, TaggedRows } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import type { ParameterFault } from './faults.js';
import { lengthFault, PARAMETERS, type Parameter, type ParameterName, type Source } from './parameter-schemas.js';
import { ALL_TIME } from './time-range.js';

const QUERY: Source = { kind: 'query', nameOf: (name) => PARAMETERS[name].name };

/**
 * Describes a body as the source of parameters. Errors about absent parameters contain the member's name (decision R5).
 */
const bodySource = (body: Readonly<Record<string, unknown>>): Source => ({
  kind: 'body',
  nameOf: (name) => givenMembers(body, name)[0] ?? PARAMETERS[name].member.name,
});

/** Returns the names under which a body contains the parameter. A member with the value null counts as absent. */
const givenMembers = (body: Readonly<Record<string, unknown>>, name: ParameterName): string[] =>
  memberNames(PARAMETERS[name]).filter((member) => Object.hasOwn(body, member) && body[member] !== null);

export const memberNames = ({ name, member }: Parameter): string[] => [...new Set([member.name, name])];

/** The rules of a tax year, after the request's own terms took the place of the country's. */
export interface TaxYearTerms {
  /** ISO 3166-1 alpha-2 code; null if the request states all terms. */
  readonly country: string | null;
  readonly currency: string;
  readonly timezone: string;
  readonly method: CountryRules['method'];
  readonly income: IncomeRule;
  /** First and last day of the year in the zone. */
  readonly first: string;
  readonly last: string;
  /** True if the owner says that the wallets are all that he has of these coins. */
  readonly isComplete: boolean;
}

class Values {
  chain: string;
  addresses: readonly string[] = [];
  range: TimeRange = ALL_TIME;
  /** UTC day. '' means the latest day. Endpoints without the parameter `date` also have ''. */
  date = '';
  /** True if `date` is before today. */
  isPast = false;
  /** Nanoseconds since 1970 as text; '' means after the last block. */
  at = '';
  history = false;
  currency: Currency = USUAL.currency;
  denom: string;
  /** Id of a generation, or UTC day; '' if absent. */
  since = '';
  validator = '';
  format: 'json' | 'csv' | 'pdf' = 'json';
  profile = '';
  /** True if a CSV file begins with a byte order mark. */
  bom = false;
  /** Name of the tax rate that every line of a Xero file contains. */
  taxRate = 'NONE';
  /**
   * Number of the requested file, from 1, if the journal is split into several files. Undefined requests the only file.
   */
  part: number | undefined = undefined;
  accounts: ReadonlyMap<string, string> = new Map();
  fees: 'each' | 'daily' | 'monthly' = 'each';
  group: '' | 'day' | 'month' = '';
  givenTags: GivenTags = new Map();
  decisions: Decisions = noDecisions;
  openingLots: readonly OpeningLot[] = [];
  opening: 'deposit' | 'none' = 'none';
  /** True if saved opening lots apply, because the request itself contains none. */
  usesSavedLots = false;
  /** Number of saved opening lots that apply; undefined if none do. */
  taxYear: TaxYearTerms | undefined = undefined;
  section: '' | 'income' | 'disposals' | 'holdings' = '';
  /** Name of the time zone; undefined if the request names none, which means UTC. */
  timezone: string | undefined = undefined;
  savedLots: number | undefined = undefined;
  tagged: readonly TaggedRows[] = [];
  /** Unknown parameter names in the request, truncated. */
  ignored: readonly string[] = [];
  /** True if the response depends on the caller and must not be cached for other callers. */
  personal = false;
  network = '';
  contract = '';
  message = '';
  /** Block height of the queried state; undefined means the latest. */
  height: number | undefined = undefined;
  limit = 0;
  pageKey: string | undefined = undefined;

  constructor(
    { chain }: Reference,
    readonly source: Source,
  ) {
    this.chain = chain.chain_id;
    this.denom = chain.native_denom;
  }
}

export type ValidParameters = Readonly<Values>;

export interface NetworkNames {
  readonly names: readonly string[];
  get(name: string): { readonly bech32Prefix: string | undefined } | undefined;
}

export interface ParameterContext {
  readonly reference: Reference;
  readonly networks: NetworkNames;
  readonly now: Date;
  readonly seriesEnd?: string;
  readonly rates?: ExchangeRates;
}

/** The unparsed parameters of a request. If there is a body, the query is ignored, except credentials. */
export interface Given {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: ReadonlyMap<string, readonly string[]>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly bodyText?: string;
}

export class Reading {
  readonly faults: ParameterFault[] = [];
  readonly source: Source;
  readonly values: Values;
  /** Parameters without effect because of another parameter. */
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

  take(name: ParameterName): unknown {
    const parameter = PARAMETERS[name];
    const values = this.valuesOf(name);
    const [value] = values;
    const isBody = this.source.kind === 'body';
    if (values.length > 1) {
      const names = memberNames(parameter).join(' and ');
      this.fault(name, isBody ? `is given under both names, ${names}` : `is given ${values.length} times`);
    }
    if (value === '' && parameter.isEmptyAbsent) return undefined;
    if (value === undefined && parameter.required) this.fault(name, 'is required');
    if (value === '') this.fault(name, 'must not be empty');
    const overlong = lengthFault(isBody ? parameter.member.schema : parameter.schema, value);
    if (overlong) this.fault(name, overlong);
    return value === '' || overlong ? undefined : value;
  }

  private valuesOf(name: ParameterName): readonly unknown[] {
    const { path = {}, query, body } = this.given;
    const parameter = PARAMETERS[name];
    if (parameter.in === 'path') return [path[name]];
    if (!body) return query?.get(parameter.name) ?? [];
    return givenMembers(body, name).map((member) => body[member]);
  }

  /** Reads a parameter without reporting errors. The parameter's own reader reports them. */
  peek(name: ParameterName): string {
    return String(this.valuesOf(name)[0] ?? '');
  }

  text(name: ParameterName): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    this.fault(name, 'must be a string');
    return undefined;
  }

  choice(name: ParameterName): string | undefined {
    const { enum: allowed, default: usual } = PARAMETERS[name].schema;
    const value = this.text(name) ?? usual;
    if (value === undefined || allowed!.includes(value)) return value;
    this.fault(name, `must be ${allowed!.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${quoted(value)}`);
    return undefined;
  }

  json(name: ParameterName): unknown {
    const value = this.take(name);
    if (value === undefined || this.source.kind === 'body') return value;
    return this.parsed(name, value as string);
  }

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

/** Limits for unknown names. A response header lists these names, and headers must be short. */
const IGNORED_MAX = { names: 20, characters: 40 };

/**
 * Returns the unknown parameters of a request (decision R3). If there is a body, the query may only contain credentials.
 * @param names parameters of the endpoint
 */
export function ignoredNames(names: readonly ParameterName[], { query, body }: Given): string[] {
  if (!body) {
    const isKnown = (given: string) => names.some((name) => PARAMETERS[name].name === given && isInQuery(name));
    return truncatedNames([...(query?.keys() ?? [])].filter((given) => !isKnown(given)));
  }
  const parameters = names.filter(isInQuery).map((name) => PARAMETERS[name]);
  const inQuery = parameters.filter(({ isQueryOnly }) => isQueryOnly).map(({ name }) => name);
  const inBody = parameters.filter(({ isQueryOnly }) => !isQueryOnly).flatMap(memberNames);
  const unknownMembers = Object.keys(body).filter((name) => !inBody.includes(name));
  const unknownInQuery = [...(query?.keys() ?? [])].filter((name) => !inQuery.includes(name));
  return truncatedNames([...unknownMembers, ...unknownInQuery]);
}

const isInQuery = (name: ParameterName) => PARAMETERS[name].in === 'query';

/** Truncates long names without splitting surrogate pairs. */
export const truncatedNames = (names: readonly string[]): string[] =>
  [...new Set(names)]
    .slice(0, IGNORED_MAX.names)
    .map((name) => name.slice(0, IGNORED_MAX.characters).replace(/\p{Surrogate}$/u, ''));
