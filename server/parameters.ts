/**
 * Requests' parameters, from the query or a POST body, checked against what schemas/parameters.json says of them
 * (decisions R1 to R7). All faults of a request are found at once.
 */
import { isDay } from '../pipeline/ledger/asset-decisions.js';
import { type Decisions, noDecisions, parseAssetDecisions, parseTags } from '../pipeline/ledger/decisions.js';
import type { EventType } from '../pipeline/ledger/event-list.js';
import type { Reference } from '../pipeline/reference.js';
import type { FieldError, QueryParameters } from '../schemas/types.generated.js';
import { readAddresses } from './address-list.js';
import { Problem } from './problem.js';
import { readSchema } from './schemas.js';
import { ALL_TIME, addDays, boundOf, daysBetween, type TimeRange } from './time-range.js';

/** A key of schemas/parameters.json. */
export type ParameterName = keyof QueryParameters;

/** What an endpoint gets. Members whose parameter the endpoint does not list have their defaults. */
export interface ValidParameters {
  readonly addresses: readonly string[];
  /** Id of the chain, never one of its aliases. */
  readonly chain: string;
  readonly type: EventType;
  readonly range: TimeRange;
  /** UTC day, or '' where the endpoint takes none. */
  readonly date: string;
  readonly denom: string;
  readonly format: 'json' | 'csv';
  readonly decisions: Decisions;
  /** The caller brought tags or asset decisions: the answer is for nobody else. */
  readonly personal: boolean;
  /** The same text for requests that have the same answer, for given decisions. */
  readonly canonical: string;
  /** Where the parameters came from: it decides how the answer names a fault. */
  readonly source: Source;
}

export type Source = 'query' | 'body';

export interface ParameterContext {
  readonly reference: Reference;
  /** UTC day. */
  readonly today: string;
}

/** The query as name → every value given, or the members of a POST body. */
export type Given = ReadonlyMap<string, readonly string[]> | Readonly<Record<string, unknown>>;

/** What schemas/parameters.json says of one parameter; its keys beside JSON Schema's own begin with x-. */
export interface ParameterSchema {
  readonly description: string;
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly default?: string;
  readonly examples: readonly string[];
  readonly 'x-name'?: string;
  readonly 'x-required'?: true;
  readonly 'x-empty'?: 'absent';
  readonly 'x-body'?: { readonly name: string };
}

export const PARAMETERS = readSchema<{ properties: Readonly<Record<ParameterName, ParameterSchema>> }>(
  'parameters.json',
).properties;

/** A body of a megabyte can be wrong in a million places. */
const MOST_FAULTS = 50;

/** Longest price series, in days between its ends, and its length when no start is given (specification, "Limits"). */
const SERIES_DAYS = { most: 730, usual: 90 };

/**
 * Reads and checks the parameters of a request; others than the named ones are ignored.
 * @throws Problem bad_request for a query, validation_failed for a body, with every fault in errors[]
 */
export function readParameters(
  names: readonly ParameterName[],
  given: Given,
  context: ParameterContext,
): ValidParameters {
  const reading = new Reading(given, context);
  for (const name of names) READERS[name](reading, name);
  if (reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  return reading.finish();
}

/** Something wrong with a parameter; `path` is a JSON pointer below it. */
export interface ParameterFault {
  readonly name: ParameterName;
  readonly path: string;
  readonly message: string;
}

/** The problem that tells a caller every fault, by the names the caller used. */
export function refusal(source: Source, faults: readonly ParameterFault[]): Problem {
  const errors: FieldError[] = faults
    .slice(0, MOST_FAULTS)
    .map(({ name, path, message }) => ({ path: nameIn(source, name) + path, message }));
  const told = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
  if (faults.length > told.length) told.push('and more, see errors');
  return new Problem(source === 'body' ? 'validation_failed' : 'bad_request', told.join('; '), { errors });
}

/** The name under which a caller knows the parameter. */
function nameIn(source: Source, name: ParameterName): string {
  const schema = PARAMETERS[name];
  return (source === 'body' ? schema['x-body']?.name : undefined) ?? schema['x-name'] ?? name;
}

type Values = { -readonly [Member in keyof ValidParameters]: ValidParameters[Member] };

/** One request being read: where values come from, what was found, what was wrong. */
class Reading {
  readonly faults: ParameterFault[] = [];
  readonly source: Source;
  readonly values: Values;

  constructor(
    private readonly given: Given,
    readonly context: ParameterContext,
  ) {
    this.source = given instanceof Map ? 'query' : 'body';
    this.values = {
      addresses: [],
      chain: context.reference.chain.chain_id,
      type: 'all',
      range: ALL_TIME,
      date: '',
      denom: context.reference.chain.native_denom,
      format: 'json',
      decisions: noDecisions,
      personal: false,
      canonical: '',
      source: this.source,
    };
  }

  fault(name: ParameterName, message: string, path = ''): void {
    if (this.faults.length <= MOST_FAULTS) this.faults.push({ name, path, message });
  }

  /** The given value, or undefined when none counts as given. In a query it is a text. */
  take(name: ParameterName): unknown {
    const value = this.source === 'body' ? this.fromBody(name) : this.fromQuery(name);
    if (value === '' && PARAMETERS[name]['x-empty'] === 'absent') return undefined;
    if (value === undefined && PARAMETERS[name]['x-required']) this.fault(name, 'is required');
    if (value === '') this.fault(name, 'must not be empty');
    return value === '' ? undefined : value;
  }

  private fromQuery(name: ParameterName): string | undefined {
    const values = (this.given as ReadonlyMap<string, readonly string[]>).get(nameIn(this.source, name)) ?? [];
    if (values.length > 1) this.fault(name, `is given ${values.length} times`);
    return values[0];
  }

  private fromBody(name: ParameterName): unknown {
    const members = this.given as Readonly<Record<string, unknown>>;
    const member = nameIn(this.source, name);
    return Object.hasOwn(members, member) ? (members[member] ?? undefined) : undefined;
  }

  /** A text, or undefined with a fault when the body has something else. */
  text(name: ParameterName): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    this.fault(name, 'must be a string');
    return undefined;
  }

  /** One of the values that the schema lists; its default when none is given. */
  choice(name: ParameterName): string | undefined {
    const { enum: allowed, default: usual } = PARAMETERS[name];
    const value = this.text(name) ?? usual;
    if (value === undefined || allowed!.includes(value)) return value;
    this.fault(name, `must be ${allowed!.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${shown(value)}`);
    return undefined;
  }

  /** A JSON object: text of a query, a member of a body. */
  object(name: ParameterName): unknown {
    const value = this.take(name);
    if (value === undefined || this.source === 'body') return value;
    try {
      return JSON.parse(value as string);
    } catch (error) {
      this.fault(name, `is not JSON: ${(error as Error).message}`);
      return undefined;
    }
  }

  finish(): ValidParameters {
    const { addresses, chain, type, range, date, denom, format } = this.values;
    return { ...this.values, canonical: JSON.stringify([addresses, chain, type, range, date, denom, format]) };
  }
}

const shown = (value: string) => JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);

type Reader = (reading: Reading, name: ParameterName) => void;

/** How each parameter is read. A start is read by the reader of its end, which endpoints list together. */
const READERS: Readonly<Record<ParameterName, Reader>> = {
  address(reading, name) {
    const value = reading.take(name);
    if (value === undefined) return;
    const list = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) {
      return reading.fault(name, 'must be a string or an array of strings');
    }
    if (list.length === 0) return reading.fault(name, 'must not be empty');
    const { bech32_prefix: prefix } = reading.context.reference.chain;
    reading.values.addresses = readAddresses(list, prefix, (message, i) => {
      reading.fault(name, message, typeof value === 'string' || i === undefined ? '' : `/${i}`);
    });
  },
  chain: (reading, name) => void reading.choice(name),
  chain_or_alias: (reading, name) => void reading.choice(name),
  type(reading, name) {
    reading.values.type = (reading.choice(name) ?? 'all') as EventType;
  },
  start: () => undefined,
  end: (reading) => readRange(reading, 'start', 'end', boundOf, 'YYYY-MM-DD or an RFC 3339 instant'),
  start_day: () => undefined,
  end_day: (reading) => readRange(reading, 'start_day', 'end_day', dayBound, 'YYYY-MM-DD'),
  series_start: () => undefined,
  series_end: readSeriesRange,
  date(reading, name) {
    const day = reading.text(name) ?? reading.context.today;
    if (!isDay(day)) return reading.fault(name, `must be a day of the calendar, YYYY-MM-DD, not ${shown(day)}`);
    reading.values.date = day;
  },
  denom(reading, name) {
    const denom = reading.text(name) ?? reading.values.denom;
    if (reading.context.reference.assets.some((asset) => asset.denom === denom)) reading.values.denom = denom;
    else reading.fault(name, `the asset registry does not know ${shown(denom)}`);
  },
  tags(reading, name) {
    const value = reading.object(name);
    if (value === undefined) return;
    const parsed = parseTags(value, reading.context.reference.rules);
    takeDecisions(reading, name, parsed, (tags) => ({ ...reading.values.decisions, tags }));
  },
  asset_decisions(reading, name) {
    const value = reading.object(name);
    if (value === undefined) return;
    takeDecisions(reading, name, parseAssetDecisions(value), (assets) => ({ ...reading.values.decisions, assets }));
  },
  format: readFormat,
  format_csv_first: readFormat,
};

function readFormat(reading: Reading, name: ParameterName): void {
  reading.values.format = (reading.choice(name) ?? 'json') as 'json' | 'csv';
}

function takeDecisions<Value>(
  reading: Reading,
  name: ParameterName,
  parsed: { value: Value } | { errors: readonly FieldError[] },
  merge: (value: Value) => Decisions,
): void {
  reading.values.personal = true;
  if ('value' in parsed) reading.values.decisions = merge(parsed.value);
  else for (const { path, message } of parsed.errors) reading.fault(name, message, path);
}

type Bound = (text: string, edge: 'start' | 'end') => string | undefined;
const dayBound: Bound = (text, edge) => (isDay(text) ? boundOf(text, edge) : undefined);

/** Bounds of a range whose ends may both be open. */
function readRange(
  reading: Reading,
  startName: ParameterName,
  endName: ParameterName,
  bound: Bound,
  form: string,
): void {
  const read = (name: ParameterName, edge: 'start' | 'end') => {
    const text = reading.text(name) ?? null;
    const time = text === null ? undefined : bound(text, edge);
    if (text !== null && time === undefined) reading.fault(name, `must be ${form}, not ${shown(text)}`);
    return { text, time };
  };
  const start = read(startName, 'start');
  const end = read(endName, 'end');
  const from = start.time ?? ALL_TIME.from;
  const to = end.time ?? ALL_TIME.to;
  if (from > to) reading.fault(startName, `is after the end: ${start.text} is later than ${end.text}`);
  reading.values.range = { start: start.text, end: end.text, from, to };
}

/** Both ends of a price series are days and have defaults: today, and 90 days before the end. */
function readSeriesRange(reading: Reading): void {
  const read = (name: ParameterName, usual: () => string) => {
    const text = reading.text(name);
    if (text === undefined || isDay(text)) return text ?? usual();
    reading.fault(name, `must be YYYY-MM-DD, not ${shown(text)}`);
    return undefined;
  };
  const end = read('series_end', () => reading.context.today);
  const start = read('series_start', () => addDays(end ?? reading.context.today, -SERIES_DAYS.usual));
  if (start === undefined || end === undefined) return;
  const days = daysBetween(start, end);
  if (days < 0) reading.fault('series_start', `is after the end: ${start} is later than ${end}`);
  if (days > SERIES_DAYS.most) {
    reading.fault('series_start', `start and end are ${days} days apart, at most ${SERIES_DAYS.most} are answered`);
  }
  reading.values.range = { start, end, from: `${start} 00:00:00`, to: `${end} 23:59:59` };
}
