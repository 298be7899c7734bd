/** One request's parameters being read: where values come from, what was found, what was wrong. */
import { type Decisions, noDecisions } from '../../pipeline/ledger/decisions/decisions.js';
import type { Reference } from '../../pipeline/reference.js';
import type { EventType } from '../../pipeline/reports/event-list.js';
import {
  MOST_FAULTS,
  nameIn,
  PARAMETERS,
  type ParameterFault,
  type ParameterName,
  type Source,
} from './parameter-schemas.js';
import { ALL_TIME, type TimeRange } from './time-range.js';

/** What an endpoint gets. Members whose parameter the endpoint does not list have their defaults. */
export interface ValidParameters {
  readonly addresses: readonly string[];
  /** Id of the chain, never one of its aliases. */
  readonly chain: string;
  readonly type: EventType;
  readonly range: TimeRange;
  /** UTC day, or '' where the endpoint takes none or none is given and that means the latest. */
  readonly date: string;
  /** Every day instead of one. */
  readonly history: boolean;
  readonly denom: string;
  /** Operator address, or '' where the endpoint takes none. */
  readonly validator: string;
  readonly format: 'json' | 'csv';
  /** Rows of the whole wallet, or only those that concern the validator of a widget key. */
  readonly scope: 'wallet' | 'validator';
  readonly decisions: Decisions;
  /** The caller brought tags, asset decisions or a key: the answer is for nobody else. */
  readonly personal: boolean;
  /** Where the parameters came from: it decides how the answer names a fault. */
  readonly source: Source;
}

export interface ParameterContext {
  readonly reference: Reference;
  /** UTC day. */
  readonly today: string;
}

/** The query as name → every value given, or the members of a POST body. */
export type Given = ReadonlyMap<string, readonly string[]> | Readonly<Record<string, unknown>>;

type Values = { -readonly [Member in keyof ValidParameters]: ValidParameters[Member] };

export class Reading {
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
      history: false,
      denom: context.reference.chain.native_denom,
      validator: '',
      format: 'json',
      scope: 'wallet',
      decisions: noDecisions,
      personal: false,
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
}

/** The same text for requests that have the same answer, where nothing in it is personal. */
export function canonical(parameters: ValidParameters): string {
  const { addresses, chain, type, range, date, history, denom, validator, format } = parameters;
  return JSON.stringify([addresses, chain, type, range, date, history, denom, validator, format]);
}

/** A value as it is quoted back. */
export const shown = (value: string) => JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
