/**
 * Reads and validates request parameters from the path, and from the query or a JSON body that replaces it.
 * schemas/parameters.json describes them; each has a reader here (decisions R1 to R3, R6 to R8, A8). All errors are
 * reported together.
 */
import { bech32 } from '@scure/base';
import { quoted } from '../../pipeline/json/quoted.js';
import { isDay } from '../../pipeline/ledger/day.js';
import { parseAssetDecisions, parseTags } from '../../pipeline/ledger/decisions/decisions.js';
import type { Parsed, Steps } from '../../pipeline/ledger/decisions/issues.js';
import { parseOpeningLots } from '../../pipeline/ledger/opening/opening-lots.js';
import type { Rules } from '../../pipeline/ledger/rules.js';
import { atOnce, inTurns } from '../http/event-loop.js';
import { LIMITS } from '../limits.js';
import { parseAccountMap } from './account-map.js';
import { readContract, readHeight, readLimit, readMessage, readNetwork, readPageKey } from './contract-readers.js';
import { readDate, readSeriesRange, readSnapshotDate, readYear } from './day-readers.js';
import { refusal } from './faults.js';
import type { ParameterName } from './parameter-schemas.js';
import { type Given, ignoredNames, type ParameterContext, Reading, type ValidParameters } from './reading.js';
import { ALL_TIME, boundOf } from './time-range.js';

export { PARAMETERS, type Parameter, type ParameterName, parametersOf, STATEMENTS } from './parameter-schemas.js';
export { canonical, type Given, type ParameterContext, type ValidParameters } from './reading.js';

/**
 * Reads and validates a request's parameters. Unknown names are ignored and recorded.
 * @throws Problem bad_request for a query, validation_failed for a body, with every error in errors[]
 */
export const readParameters = (names: readonly ParameterName[], given: Given, context: ParameterContext) =>
  atOnce(readAll(names, given, context));

/** Same as readParameters, but yields to the event loop: parsing a large body takes as long as replaying a wallet. */
export const readParametersInTurns = (names: readonly ParameterName[], given: Given, context: ParameterContext) =>
  inTurns(readAll(names, given, context));

function* readAll(names: readonly ParameterName[], given: Given, context: ParameterContext): Steps<ValidParameters> {
  const reading = new Reading(given, context);
  for (const name of names) {
    const steps = READERS[name](reading, name);
    if (steps) yield* steps;
  }
  if (reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  const used = reading.unused.size === 0 ? names : names.filter((name) => !reading.unused.has(name));
  reading.values.ignored = ignoredNames(used, given);
  return reading.values;
}

type Reader = (reading: Reading, name: ParameterName) => Steps<void> | void;

const READERS: Readonly<Record<ParameterName, Reader>> = {
  address(reading, name) {
    const value = reading.take(name);
    if (value === undefined) return;
    const list = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) {
      return reading.fault(name, 'must be a string or an array of strings');
    }
    if (list.length === 0) return reading.fault(name, 'must not be empty');
    const { max } = LIMITS.input.addresses;
    const distinct = new Set(list).size;
    if (distinct > max) return reading.fault(name, `at most ${max} addresses a query, not ${distinct}`);
    const { bech32_prefix: prefix } = reading.context.reference.chain;
    reading.values.addresses = readAddresses(list, prefix, (message, i) => {
      reading.fault(name, message, typeof value === 'string' || i === undefined ? '' : `/${i}`);
    });
  },
  single_address(reading, name) {
    if (reading.peek(name).includes(',')) return reading.fault(name, 'must be one address');
    const value = reading.text(name);
    if (value === undefined) return;
    const { bech32_prefix: prefix } = reading.context.reference.chain;
    reading.values.addresses = readAddresses([value], prefix, (message) => reading.fault(name, message));
  },
  validator(reading, name) {
    const value = reading.text(name);
    if (value === undefined) return;
    const prefix = `${reading.context.reference.chain.bech32_prefix}valoper`;
    const [operator] = readAddresses([value], prefix, (message) => reading.fault(name, message));
    reading.values.validator = operator ?? '';
  },
  chain: (reading, name) => void reading.choice(name),
  chain_or_alias: (reading, name) => void reading.choice(name),
  type: chosen('type'),
  // `start` has no reader of its own; the reader of `end` reads both and checks their order.
  start: () => undefined,
  end: (reading) => readRange(reading, 'start', 'end', boundOf, 'YYYY-MM-DD or an RFC 3339 instant'),
  start_day: () => undefined,
  end_day: (reading) => readRange(reading, 'start_day', 'end_day', dayBound, 'YYYY-MM-DD'),
  // Endpoints list it after `start` and `end`, which it completes.
  year: readYear,
  series_start: () => undefined,
  series_end: readSeriesRange,
  date: readDate,
  snapshot_date: readSnapshotDate,
  history(reading, name) {
    reading.values.history = reading.choice(name) === 'true';
    if (reading.values.history) reading.unused.add('snapshot_date');
  },
  denom(reading, name) {
    const denom = reading.text(name) ?? reading.values.denom;
    if (reading.context.reference.assets.some((asset) => asset.denom === denom)) reading.values.denom = denom;
    else reading.fault(name, `the asset registry does not know ${quoted(denom)}`);
  },
  *tags(reading, name) {
    const tags = yield* readStated(reading, name, parseTags);
    if (tags) reading.values.decisions = { ...reading.values.decisions, tags };
  },
  *asset_decisions(reading, name) {
    const assets = yield* readStated(reading, name, parseAssetDecisions);
    if (assets) reading.values.decisions = { ...reading.values.decisions, assets };
  },
  *opening_lots(reading, name) {
    const lots = yield* readStated(reading, name, parseOpeningLots);
    reading.values.takesSavedLots = lots === undefined;
    if (lots) reading.values.openingLots = lots;
  },
  own_wallets: chosen('ownWallets'),
  // A middleware validates the key before any parameter is read.
  api_key(reading) {
    reading.values.personal = true;
  },
  scope: chosen('scope'),
  format: chosen('format'),
  format_csv_first(reading, name) {
    const isOpen = reading.peek(name) === '';
    chosen('format')(reading, name);
    if (isOpen && reading.given.acceptsJson) reading.values.format = 'json';
  },
  profile: readProfile,
  journal_profile(reading, name) {
    readProfile(reading, name);
    const { format, profile } = reading.values;
    if (format === 'pdf' && profile !== FORM) reading.fault('format_csv_first', `pdf needs profile=${FORM}`);
  },
  *accounts(reading, name) {
    const { profile } = reading.values;
    const accounts = yield* readStated(reading, name, (value, rules) => parseAccountMap(value, profile, rules));
    if (accounts) reading.values.accounts = accounts;
  },
  network: readNetwork,
  contract: readContract,
  contract_address: readContract,
  query: readMessage,
  height: readHeight,
  limit: readLimit,
  pagination_key: readPageKey,
  // An unknown id is not an invalid request; the endpoint responds with 404.
  id: textOf('id'),
  session_id: textOf('id'),
  submission_id: textOf('id'),
  webhook_id: textOf('id'),
  token: textOf('token'),
  state: textOf('state'),
  // The OpenID library reads the provider's response from the raw query.
  code: readAsSent,
  iss: readAsSent,
  error: readAsSent,
};

/** Builds a reader for a text. U+0000 counts as absent, because PostgreSQL cannot store it. */
function textOf(value: 'id' | 'token' | 'state'): Reader {
  return (reading, name) => {
    const text = reading.text(name) ?? '';
    reading.values[value] = text.includes('\0') ? '' : text;
  };
}

function chosen<Name extends 'type' | 'ownWallets' | 'scope' | 'format'>(value: Name): Reader {
  return (reading, name) => {
    const { values } = reading;
    values[value] = (reading.choice(name) ?? values[value]) as Reading['values'][Name];
  };
}

function readAsSent(reading: Reading, name: ParameterName): void {
  reading.text(name);
}

/** The only profile with several formats. */
const FORM = 'form8949';

/** Reads the profile. With a profile, the format defaults to CSV. */
function readProfile(reading: Reading, name: ParameterName): void {
  const profile = reading.choice(name);
  if (profile === undefined) return;
  if (reading.peek('format') === '') reading.values.format = 'csv';
  else if (reading.values.format !== 'csv' && profile !== FORM) reading.fault(name, 'needs format=csv');
  reading.values.profile = profile;
}

/** Parses a caller's statement, which makes the response private. @returns undefined if absent or invalid */
function* readStated<Value>(
  reading: Reading,
  name: ParameterName,
  parse: (value: unknown, rules: Rules) => Steps<Parsed<Value>>,
): Steps<Value | undefined> {
  const value = reading.json(name);
  if (value === undefined) return undefined;
  reading.values.personal = true;
  const parsed = yield* parse(value, reading.context.reference.rules);
  if ('value' in parsed) return parsed.value;
  for (const { path, message } of parsed.errors) reading.fault(name, message, path);
  return undefined;
}

/** Returns the first or last second of a text's day or instant; undefined if the text is invalid. */
type Bound = (text: string, edge: 'start' | 'end') => string | undefined;
const dayBound: Bound = (text, edge) => (isDay(text) ? boundOf(text, edge) : undefined);

/** Reads a range; either bound may be open. */
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
    if (text !== null && time === undefined) reading.fault(name, `must be ${form}, not ${quoted(text)}`);
    return { text, time };
  };
  const start = read(startName, 'start');
  const end = read(endName, 'end');
  const from = start.time ?? ALL_TIME.from;
  const to = end.time ?? ALL_TIME.to;
  if (from > to) reading.fault(startName, `is after the end: ${start.text} is later than ${end.text}`);
  reading.values.range = { start: start.text, end: end.text, from, to };
}

/** Account address lengths in bytes: 20 from a key, 32 for contracts and module accounts. */
const LENGTHS = [20, 32];

/**
 * Returns what is wrong with an account address; undefined if it is valid.
 * @param address bech32 text; upper case is the same address
 */
function faultOf(address: string, prefix: string): string | undefined {
  if (address === '') return 'an address is blank';
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  if (!decoded) return `${quoted(address)} is no bech32 address, or its checksum is wrong`;
  if (decoded.prefix !== prefix) return `${quoted(address)} begins with ${decoded.prefix}1 instead of ${prefix}1`;
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || !LENGTHS.includes(bytes.length)) return `${quoted(address)} has not 20 or 32 bytes`;
  return undefined;
}

/**
 * Validates addresses, converts them to lower case and removes duplicates, in order.
 * @param fault called with each error and its index
 */
export function readAddresses(
  items: readonly string[],
  prefix: string,
  fault: (message: string, index?: number) => void,
): string[] {
  const distinct = new Set<string>();
  const seen = new Set<string>();
  items.forEach((item, i) => {
    if (seen.has(item)) return; // Bech32 decoding is slow.
    seen.add(item);
    const wrong = faultOf(item, prefix);
    if (wrong) fault(wrong, i);
    else distinct.add(item.toLowerCase());
  });
  return [...distinct];
}
