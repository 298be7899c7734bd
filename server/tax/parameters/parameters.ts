/** Reads request parameters from the path, and from the query or a JSON body (decisions R1 to R3, R6 to R8, A8). */
import { isRecord, memberSlices } from '../../../pipeline/base/json/exact-json.js';
import { quoted } from '../../../pipeline/base/json/quoted.js';
import { addDays, dayOf, daysBetween, isDay } from '../../../pipeline/base/values/day.js';
import { isZone } from '../../../pipeline/base/values/zone-names.js';
import { timeText, type Zone, zoneNamed } from '../../../pipeline/base/values/zones.js';
import type { Currency } from '../../../pipeline/books/currencies/currency.js';
import { ExchangeRates, unknownCurrency } from '../../../pipeline/books/currencies/exchange-rates.js';
import { type Parsed, parseAssetDecisions, parseTags } from '../../../pipeline/books/ledger/decisions.js';
import { parseOpeningLots } from '../../../pipeline/books/ledger/opening-lots.js';
import type { Rules } from '../../../pipeline/books/ledger/rules.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { Parameters } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { parseAccountMap } from './account-map.js';
import { contractFault, readAddresses } from './addresses.js';
import { refusal } from './faults.js';
import { PARAMETERS, type ParameterName } from './parameter-schemas.js';
import { type Given, ignoredNames, type ParameterContext, Reading } from './reading.js';
import { readTaxYear } from './tax-year-terms.js';
import { ALL_TIME, boundOf, rangeOfDays } from './time-range.js';

export type { Given, ParameterContext } from './reading.js';

/**
 * Reads and validates the parameters of a request. Unknown names are not errors. They are recorded as `ignored`.
 * @throws Problem bad_request for a query, validation_failed for a body, with all errors in `errors`
 */
export function readParameters(
  names: readonly ParameterName[],
  given: Given,
  context: ParameterContext,
): AllParameters {
  const reading = new Reading(given, context);
  const plain: Partial<Record<ParameterName, string>> = {};
  for (const name of names) {
    const read = (READERS as Partial<Record<ParameterName, Reader>>)[name];
    if (read) read(reading, name);
    else plain[name] = readPlain(reading, name);
  }
  if (reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  const used = reading.unused.size === 0 ? names : names.filter((name) => !reading.unused.has(name));
  reading.values.ignored = ignoredNames(used, given);
  return Object.assign(reading.values, plain as PlainValues);
}

type PlainName = Exclude<ParameterName, keyof typeof READERS>;
type PlainValues = { readonly [Name in PlainName]: NonNullable<Parameters[Name]> };

export type AllParameters = Readonly<Reading['values']> & PlainValues;

export type ContractParameters = Pick<
  AllParameters,
  'network' | 'contract' | 'message' | 'height' | 'limit' | 'pageKey'
>;
export type ActionParameters = Pick<
  AllParameters,
  'addresses' | 'id' | 'session_id' | 'submission_id' | 'webhook_id' | 'token' | 'state'
>;
export type ValidParameters = Omit<
  AllParameters,
  keyof ContractParameters | Exclude<keyof ActionParameters, 'addresses'> | 'code' | 'iss' | 'error'
>;

/**
 * Returns the text of a parameter; '' if it is absent. Text with U+0000 counts as absent, because PostgreSQL cannot
 * store it. Does not check patterns, because an unknown id must cause status 404 instead of a validation error.
 */
function readPlain(reading: Reading, name: ParameterName): string {
  const text = (PARAMETERS[name].schema.enum ? reading.choice(name) : reading.text(name)) ?? '';
  return text.includes('\0') ? '' : text;
}

const GENERATION = /^h\d+-[0-9a-f]{12}$/;

const NO_RATES = new ExchangeRates();

type Reader = (reading: Reading, name: ParameterName) => void;

const READERS = {
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
    if (distinct > max) return reading.fault(name, `at most ${max} addresses per request, not ${distinct}`);
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
  // The reader of `country` also reads the other terms of a tax year.
  country: readTaxYear,
  tax_year: () => undefined,
  tax_currency: () => undefined,
  tax_method: () => undefined,
  income: () => undefined,
  complete: () => undefined,
  // Must come after format, because only CSV has sections.
  section(reading, name) {
    const section = reading.choice(name) ?? '';
    reading.values.section = section as '' | 'income' | 'disposals' | 'holdings';
    if (reading.values.format !== 'csv') reading.unused.add(name);
    else if (section === '') reading.fault(name, 'is required for format=csv');
  },
  // Must come before all days, because it decides when they begin.
  timezone(reading, name) {
    const text = reading.text(name);
    if (text === undefined) return;
    if (isZone(text)) reading.values.timezone = text;
    else reading.fault(name, `is not a time zone such as Europe/Berlin, in these letters: ${quoted(text)}`);
  },
  chain: (reading, name) => void reading.choice(name),
  chain_or_alias: (reading, name) => void reading.choice(name),
  // The reader of `end` also reads `start`, because it checks their order.
  start: () => undefined,
  end: (reading) => readRange(reading, 'start', 'end', boundOf, 'YYYY-MM-DD or an RFC 3339 instant'),
  start_day: () => undefined,
  end_day: (reading) => readRange(reading, 'start_day', 'end_day', dayBound, 'YYYY-MM-DD'),
  // Must come after `start` and `end`, because `year` replaces the absent ones.
  year: readYear,
  series_start: () => undefined,
  series_end: readSeriesRange,
  date: readDate,
  snapshot_date: (reading, name) => readDay(reading, name, ''),
  at(reading, name) {
    const text = reading.text(name);
    if (text === undefined) return;
    const instant = instantOf(text);
    if (instant === undefined) return reading.fault(name, `must be an RFC 3339 instant, not ${quoted(text)}`);
    reading.values.at = String(instant);
  },
  // Must come after `at`, because a request has only one of both.
  holdings_date(reading, name) {
    readDay(reading, name, '');
    const { at, date } = reading.values;
    if (date === '') return;
    if (at !== '') reading.fault(name, 'cannot be combined with at');
    reading.values.at = String(BigInt(zoneOf(reading).startOf(addDays(date, 1))) * 1_000_000n);
  },
  history(reading, name) {
    reading.values.history = reading.choice(name) === 'true';
    if (reading.values.history && reading.values.timezone !== undefined)
      reading.fault('timezone', 'cannot be combined with history=true, which lists UTC days');
    if (reading.values.history) reading.unused.add('snapshot_date');
  },
  currency(reading, name) {
    const { rates = NO_RATES } = reading.context;
    const code = reading.text(name) ?? USUAL.currency.code;
    const currency = rates.currencyNamed(code);
    if (currency) reading.values.currency = currency;
    else reading.fault(name, unknownCurrency(code));
  },
  denom(reading, name) {
    const denom = reading.text(name) ?? reading.values.denom;
    if (reading.context.reference.assets.some((asset) => asset.denom === denom)) reading.values.denom = denom;
    else reading.fault(name, `is not a denom of the asset registry: ${quoted(denom)}`);
  },
  tags(reading, name) {
    const tags = readStated(reading, name, parseTags);
    if (tags) reading.values.givenTags = tags;
  },
  asset_decisions(reading, name) {
    const assets = readStated(reading, name, (value, _, rates) => parseAssetDecisions(value, rates));
    if (assets) reading.values.decisions = { ...reading.values.decisions, assets };
  },
  opening_lots(reading, name) {
    const lots = readStated(reading, name, parseOpeningLots);
    reading.values.usesSavedLots = lots === undefined;
    if (lots) reading.values.openingLots = lots;
  },
  opening(reading, name) {
    const { values, unused } = reading;
    values.opening = reading.choice(name) as 'deposit' | 'none';
    if (values.profile === '') unused.add(name);
    if (values.profile !== '' && values.opening === 'deposit') return;
    unused.add('opening_lots');
    values.openingLots = [];
    values.usesSavedLots = false;
  },
  since(reading, name) {
    const since = reading.text(name) ?? '';
    if (since === '' || isDay(since) || GENERATION.test(since)) reading.values.since = since;
    else reading.fault(name, `must be YYYY-MM-DD or the id of a generation, not ${quoted(since)}`);
  },
  // No check is needed, because a middleware has already validated the key.
  api_key(reading) {
    reading.values.personal = true;
  },
  format: readFormat,
  format_with_pdf: readFormat,
  format_csv_first: readFormat,
  profile: readProfile,
  journal_profile(reading, name) {
    readProfile(reading, name);
    const { format, profile } = reading.values;
    if (format === 'pdf' && profile !== FORM) reading.fault('format_csv_first', `pdf needs profile=${FORM}`);
    const usual = USUAL.method.name;
    if (profile === FORM && ![usual, ''].includes(reading.peek('method')))
      reading.fault('method', `must be ${usual} for ${FORM}`);
  },
  fees(reading, name) {
    reading.values.fees = reading.choice(name) as 'each' | 'daily' | 'monthly';
    if (reading.values.profile !== FORM) reading.unused.add(name);
  },
  group(reading, name) {
    reading.values.group = (reading.choice(name) ?? '') as '' | 'day' | 'month';
    if (reading.values.profile === FORM) reading.unused.add(name);
  },
  // Must come after format and profile, because only CSV may have a byte order mark.
  bom(reading, name) {
    const isCsv = reading.values.format === 'csv';
    reading.values.bom = reading.choice(name) === '1' && isCsv;
    if (!isCsv) reading.unused.add(name);
  },
  tax_rate(reading, name) {
    reading.values.taxRate = reading.text(name) ?? reading.values.taxRate;
    if (reading.values.profile !== XERO) reading.unused.add(name);
  },
  part(reading, name) {
    reading.values.part = readWhole(reading, name, PART_MAX);
    if (!SPLIT_PROFILES.includes(reading.values.profile)) reading.unused.add(name);
  },
  accounts(reading, name) {
    const { profile } = reading.values;
    const accounts = readStated(reading, name, (value, rules) => parseAccountMap(value, profile, rules));
    if (accounts) reading.values.accounts = accounts;
  },
  network(reading, name) {
    const network = reading.text(name);
    if (network === undefined) return;
    const { networks } = reading.context;
    if (networks.get(network)) reading.values.network = network;
    else reading.fault(name, `must be ${networks.names.join(' or ')}, not ${quoted(network)}`);
  },
  contract: readContract,
  contract_address: readContract,
  query: readMessage,
  height(reading, name) {
    reading.values.height = readWhole(reading, name, Number.MAX_SAFE_INTEGER);
  },
  limit(reading, name) {
    reading.values.limit = readWhole(reading, name, LIMIT_MAX) ?? Number(PARAMETERS[name].schema.default);
  },
  pagination_key(reading, name) {
    const key = reading.text(name);
    if (key !== undefined && !PAGE_KEY.test(key)) reading.fault(name, 'must be the next_key of a page');
    reading.values.pageKey = key;
  },
} satisfies Partial<Record<ParameterName, Reader>>;

function readFormat(reading: Reading, name: ParameterName): void {
  reading.values.format = (reading.choice(name) ?? 'json') as 'json' | 'csv' | 'pdf';
}

const FORM = 'form8949';
const XERO = 'xero';
/** Programs that limit the lines of a file. */
export const SPLIT_PROFILES: readonly string[] = ['quickbooks', XERO, 'datev'];
const PART_MAX = 999_999;

/** Reads a profile. If there is one, the default format is CSV. */
function readProfile(reading: Reading, name: ParameterName): void {
  const profile = reading.choice(name);
  if (profile === undefined) return;
  if (reading.peek('format') === '') reading.values.format = 'csv';
  else if (reading.values.format !== 'csv' && profile !== FORM) reading.fault(name, 'needs format=csv');
  reading.values.profile = profile;
}

/** Reads a fact that the user states, such as tags. The response depends on it, so the response is private. */
function readStated<Value>(
  reading: Reading,
  name: ParameterName,
  parse: (value: unknown, rules: Rules, rates: ExchangeRates, books: Currency) => Parsed<Value>,
): Value | undefined {
  const value = reading.json(name);
  if (value === undefined) return undefined;
  reading.values.personal = true;
  const { reference, rates = NO_RATES } = reading.context;
  const parsed = parse(value, reference.rules, rates, reading.values.currency);
  if ('value' in parsed) return parsed.value;
  for (const { path, message } of parsed.errors) reading.fault(name, message, path);
  return undefined;
}

type Bound = typeof boundOf;
const dayBound: Bound = (text, edge, zone) => (isDay(text) ? boundOf(text, edge, zone) : undefined);

const zoneOf = ({ values }: Reading): Zone => zoneNamed(values.timezone);

function readRange(
  reading: Reading,
  startName: ParameterName,
  endName: ParameterName,
  bound: Bound,
  form: string,
): void {
  const read = (name: ParameterName, edge: 'start' | 'end') => {
    const text = reading.text(name) ?? null;
    const time = text === null ? undefined : bound(text, edge, zoneOf(reading));
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

/** Reads a date. The default is today in the zone of the request, which is the same as the date of today (decision A6). Future dates are rejected. */
function readDate(reading: Reading, name: ParameterName): void {
  const today = zoneOf(reading).dayOf(timeText(reading.context.now.getTime()));
  readDay(reading, name, today);
  if (reading.values.date > today) reading.fault(name, `is after today, which is ${today}`);
  reading.values.isPast = reading.values.date < today;
}

function readDay(reading: Reading, name: ParameterName, usual: string): void {
  const day = reading.text(name);
  if (day === undefined || isDay(day)) reading.values.date = day ?? usual;
  else reading.fault(name, `must be a calendar date, YYYY-MM-DD, not ${quoted(day)}`);
}

const NANO_DIGITS = 9;

/**
 * Returns the nanoseconds since 1970 of an RFC 3339 time. Smaller fractions are rounded up, because block times have
 * whole nanoseconds.
 * @returns undefined if invalid
 */
function instantOf(text: string): bigint | undefined {
  const second = isDay(text) ? undefined : boundOf(text.replace(/\.\d+/, ''), 'end');
  if (second === undefined) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const nanos = BigInt(fraction.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0'));
  const rounding = /[1-9]/.test(fraction.slice(NANO_DIGITS)) ? 1n : 0n;
  return BigInt(Date.parse(`${second.replace(' ', 'T')}Z`)) * 1_000_000n + nanos + rounding;
}

/** Reads a calendar year of the zone. It replaces `start` and `end` if they are absent. */
function readYear(reading: Reading, name: ParameterName): void {
  const year = reading.text(name);
  if (year === undefined) return;
  const { range } = reading.values;
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const [start, end] = [range.start ?? first, range.end ?? last];
  const isOutside = (day: string) => day < first || day > last;
  if (!isDay(first)) reading.fault(name, `must be a year, YYYY, not ${quoted(year)}`);
  else if (isOutside(start) || isOutside(end)) reading.fault(name, 'start and end must lie in the year');
  else reading.values.range = rangeOfDays(start, end, zoneOf(reading));
}

const SERIES_DAYS = { max: 730, default: 90 };

/**
 * Reads the period of a price series. By default, it starts 90 days before its end, and ends today (with a recording,
 * on the recording's last day).
 */
function readSeriesRange(reading: Reading): void {
  const { now, seriesEnd = dayOf(now.getTime()) } = reading.context;
  let isEndSent = true;
  const read = (name: ParameterName, usual: () => string) => {
    const text = reading.text(name);
    if (name === 'series_end') isEndSent = text !== undefined;
    if (text === undefined || isDay(text)) return text ?? usual();
    reading.fault(name, `must be YYYY-MM-DD, not ${quoted(text)}`);
    return undefined;
  };
  const end = read('series_end', () => seriesEnd);
  const start = read('series_start', () => addDays(end ?? seriesEnd, -SERIES_DAYS.default));
  if (start === undefined || end === undefined) return;
  const days = daysBetween(start, end);
  // An error names only dates that the request contains.
  const later = isEndSent ? `: ${start} is later than ${end}` : ', which is today unless you send it';
  if (days < 0) reading.fault('series_start', `is after the end${later}`);
  if (days > SERIES_DAYS.max) {
    reading.fault('series_start', `start and end are ${days} days apart; the limit is ${SERIES_DAYS.max} days`);
  }
  reading.values.range = rangeOfDays(start, end);
}

function readContract(reading: Reading, name: ParameterName): void {
  const address = reading.text(name)?.trim();
  if (address === undefined) return;
  const fault = contractFault(address, reading.context.networks.get(reading.peek('network'))?.bech32Prefix);
  if (fault) reading.fault(name, fault);
  reading.values.contract = address.toLowerCase();
}

const MESSAGE_BYTES_MAX = 64 * 1024;
/**
 * Matches JSON strings, and white space between tokens. Removing the white space lets equal queries share a cache
 * entry.
 */
const SPACE = /("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g;

/** Reads a query to a contract. The query is forwarded as text, because parsing would round large numbers. */
function readMessage(reading: Reading, name: ParameterName): void {
  const value = reading.take(name);
  if (value === undefined) return;
  const isBody = reading.source.kind === 'body';
  const text = isBody ? memberText(reading.given.bodyText!, PARAMETERS[name].member.name) : String(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MESSAGE_BYTES_MAX) {
    reading.fault(name, `is larger than the limit of 64 KiB: ${bytes} bytes`);
    return;
  }
  const message = isBody ? value : reading.parsed(name, text);
  if (message === undefined) return;
  // White space is removed only from objects. Other texts may contain an unclosed quote.
  if (isRecord(message)) reading.values.message = text.replace(SPACE, '$1');
  else reading.fault(name, 'must be a JSON object');
}

/** Returns the unparsed text of a member. The member's name may be escaped in the body. */
function memberText(body: string, member: string): string {
  let written = '';
  for (const [name, text] of memberSlices(body)) if (JSON.parse(`"${name}"`) === member) written = text;
  return written;
}

const LIMIT_MAX = 1000;
const PAGE_KEY = /^[A-Za-z0-9+/_-]+={0,2}$/;

function readWhole(reading: Reading, name: ParameterName, max: number): number | undefined {
  const value = reading.take(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isInteger(number) && Number(number) >= 1 && Number(number) <= max) return Number(number);
  reading.fault(name, `must be a whole number from 1 to ${max}`);
  return undefined;
}

/**
 * Returns a cache key, which is equal for requests with the same meaning. The key contains everything that affects the
 * response, including saved decisions and lots.
 */
export const canonical = (parameters: ValidParameters): string =>
  JSON.stringify(parameters, parameters.personal ? exactValue : undefined); // maps and bigints, which JSON lacks, occur only in personal parameters

function exactValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map ? [...value] : value;
}
