/**
 * Loads the reviewed data in data/reference and checks it with schemas/reference. If a file has an error, the program
 * ends with the file's path and a JSON pointer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type {
  Asset,
  Assets,
  Categories,
  Category,
  Chain,
  ChainAct,
  ChainActs,
  Classification,
  Confusable,
  Confusables,
  Contracts,
  CountryRules,
  Disclosure,
  KnownNetwork,
  KnownNetworks,
  Methodology,
  NodeReleases,
  PriceMarkets,
  PublicNodes,
  RecognitionPolicy,
  Spam,
  Tag,
  Tags,
  Trigger,
  Triggers,
  Upgrade,
  Upgrades,
  UsReturn,
  ValidatorJurisdictions,
  Widget,
} from '../schemas/types.generated.js';
import { ConfigError } from './base/config-error.js';
import { projectRoot, readSchema } from './base/project.js';
import { makeRules, type Rules } from './books/ledger/rules.js';

export interface Reference {
  readonly chain: Chain;
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  readonly triggers: readonly Trigger[];
  readonly assets: readonly Asset[];
  readonly classification: Classification;
  readonly contracts: Contracts;
  /** The newest price methodology. */
  readonly methodology: Methodology;
  readonly networks: readonly KnownNetwork[];
  readonly nodeReleases: NodeReleases;
  readonly chainActs: readonly ChainAct[];
  readonly upgrades: readonly Upgrade[];
  readonly priceMarkets: PriceMarkets;
  readonly recognitionPolicy: RecognitionPolicy;
  readonly spam: Spam;
  readonly confusables: readonly Confusable[];
  readonly widget: Widget;
  readonly usReturn: UsReturn;
  readonly countries: readonly CountryRules[];
  readonly jurisdictions: ValidatorJurisdictions;
  /** Returns the country of a validator's operator (ISO 3166-1 alpha-2), or UNDISCLOSED. */
  readonly countryOf: (operator: string) => string;
  readonly rules: Rules;
}

function faultOf({ instancePath, message, params }: ErrorObject): string {
  const words: string[] = params.allowedValues ?? [params.additionalProperty ?? []].flat();
  return `${instancePath || '/'} ${message}${words.length > 0 ? `: ${words.join(', ')}` : ''}`;
}

const require = createRequire(import.meta.url);

function loadSchemas(): Ajv2020 {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
  // Not strict, because the schemas have additional members such as tsType. Not optimized, because each schema is used
  // only once.
  const schemas = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(schemas);
  for (const file of readdirSync(join(projectRoot(), 'schemas/reference'))) {
    schemas.addSchema(readSchema(`reference/${file}`));
  }
  return schemas;
}

class Reader {
  /** Undefined in other threads, because the main thread checks the same files before it starts them. */
  private readonly schemas = isMainThread ? loadSchemas() : undefined;

  constructor(private readonly folder: string) {}

  read<T>(kind: string, file = `${kind}.json`): T {
    const path = join(this.folder, file);
    const shown = relative(process.cwd(), path);
    const value = parseJson(readFileSync(path, 'utf8'), shown);
    const validate = this.schemas?.getSchema(`/schemas/reference/${kind}.json`) as ValidateFunction<T> | undefined;
    if (validate && !validate(value)) {
      throw new ConfigError(`${shown}: ${validate.errors!.map(faultOf).join('; ')}`);
    }
    return value as T;
  }

  readAll<T>(kind: string, folder: string): T[] {
    const files = readdirSync(join(this.folder, folder)).filter((file) => file.endsWith('.json'));
    return files.sort().map((file) => this.read<T>(kind, join(folder, file)));
  }
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${shown}: not JSON: ${(error as Error).message}`);
  }
}

/** Rejects entries with the same identity, because the program would use only one of them. */
function assertUnique<T>(file: string, list: string, items: readonly T[], member: keyof T & string): readonly T[] {
  const seen = new Map<unknown, number>();
  items.forEach((item, i) => {
    const earlier = seen.get(item[member]);
    if (earlier !== undefined) {
      throw new ConfigError(`${file}: /${list}/${i}/${member} ${item[member]} is a duplicate of /${list}/${earlier}`);
    }
    seen.set(item[member], i);
  });
  return items;
}

function consistent(list: Contracts): Contracts {
  const kinds = new Set(assertUnique('contracts.json', 'kinds', list.kinds, 'kind').map(({ kind }) => kind));
  assertUnique('contracts.json', 'contracts', list.contracts, 'address').forEach(({ kind }, i) => {
    if (!kinds.has(kind)) throw new ConfigError(`contracts.json: /contracts/${i}/kind ${kind} is not among /kinds`);
  });
  return list;
}

function dated(acts: readonly ChainAct[]): readonly ChainAct[] {
  const i = acts.findIndex(({ height, upgrade }) => height === undefined && upgrade === undefined);
  if (i >= 0) throw new ConfigError(`chain-acts.json: /acts/${i} needs height or upgrade`);
  return acts;
}

export const UNDISCLOSED = 'undisclosed';

function countries({ jurisdictions }: ValidatorJurisdictions): ReadonlyMap<string, string> {
  const pairs = jurisdictions.flatMap(({ operator_addresses, country }) =>
    (operator_addresses ?? []).map((operator) => ({ operator, country })),
  );
  assertUnique('validator-jurisdictions.json', 'jurisdictions', pairs, 'operator');
  return new Map(pairs.map(({ operator, country }) => [operator, country]));
}

function countryLookup(registry: ValidatorJurisdictions): Reference['countryOf'] {
  const known = countries(registry);
  return (operator) => known.get(operator) ?? UNDISCLOSED;
}

/**
 * Adds validators' disclosures of their country. For each validator, the disclosure with the latest review is used. If
 * several have the same day, the last one in the list is used.
 */
export function withDisclosures(reference: Reference, further: readonly Disclosure[]): Reference {
  const all = [...reference.jurisdictions.jurisdictions, ...further];
  const latest = new Map<string, Disclosure>();
  for (const entry of all) {
    for (const operator of entry.operator_addresses ?? []) {
      const known = latest.get(operator);
      if (!known || known.reviewed <= entry.reviewed) latest.set(operator, entry);
    }
  }
  const inForce = all.flatMap((entry) => {
    if (entry.operator_addresses === null) return [entry];
    const operator_addresses = entry.operator_addresses.filter((operator) => latest.get(operator) === entry);
    return operator_addresses.length === 0 ? [] : [{ ...entry, operator_addresses }];
  });
  return withJurisdictions(reference, { ...reference.jurisdictions, jurisdictions: inForce });
}

export const withJurisdictions = (reference: Reference, jurisdictions: ValidatorJurisdictions): Reference =>
  deepFreeze<Reference>({ ...reference, jurisdictions, countryOf: countryLookup(jurisdictions) });

/**
 * Returns the methodology with the latest effective date. If dates are equal, returns the one with the highest version.
 */
function newest(methodologies: readonly Methodology[]): Methodology {
  const key = ({ effective_date, version }: Methodology) => `${effective_date} ${version}`;
  const sorted = [...methodologies].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const last = sorted.at(-1);
  if (!last) throw new ConfigError('data/reference/methodology contains no file');
  return last;
}

let loaded: Reference | undefined;

/** @throws ConfigError with one line that names the file and a JSON pointer */
export function loadReference(): Reference {
  loaded ??= readReference(join(projectRoot(), 'data/reference'));
  return loaded;
}

/** Returns the public nodes of the chain. No figure depends on them, so they are not part of the reference data. */
export const loadPublicNodes = (): PublicNodes =>
  new Reader(join(projectRoot(), 'data/reference')).read<PublicNodes>('public-nodes');

/** @throws ConfigError with one line that names the file and a JSON pointer */
export function readReference(folder: string): Reference {
  const reader = new Reader(folder);
  const chain = reader.read<Chain>('chain', 'chains/cosmoshub.json');
  const { categories } = reader.read<Categories>('categories');
  const { tags } = reader.read<Tags>('tags');
  const { triggers } = reader.read<Triggers>('triggers');
  const { assets } = reader.read<Assets>('assets');
  const countries = reader.readAll<CountryRules>('country', 'countries');
  const jurisdictions = reader.read<ValidatorJurisdictions>('validator-jurisdictions');
  return deepFreeze<Reference>({
    chain,
    categories: assertUnique('categories.json', 'categories', categories, 'category'),
    tags: assertUnique('tags.json', 'tags', tags, 'tag'),
    triggers: assertUnique('triggers.json', 'triggers', triggers, 'trigger'),
    assets: assertUnique('assets.json', 'assets', assets, 'denom'),
    classification: reader.read<Classification>('classification'),
    contracts: consistent(reader.read<Contracts>('contracts')),
    methodology: newest(reader.readAll<Methodology>('methodology', 'methodology')),
    networks: assertUnique('networks.json', 'networks', reader.read<KnownNetworks>('networks').networks, 'name'),
    nodeReleases: reader.read<NodeReleases>('node-releases'),
    chainActs: dated(reader.read<ChainActs>('chain-acts').acts),
    upgrades: assertUnique('upgrades.json', 'upgrades', reader.read<Upgrades>('upgrades').upgrades, 'name'),
    priceMarkets: reader.read<PriceMarkets>('price-markets'),
    spam: reader.read<Spam>('spam'),
    confusables: reader.read<Confusables>('confusables').confusables,
    recognitionPolicy: reader.read<RecognitionPolicy>('recognition-policy'),
    widget: reader.read<Widget>('widget'),
    usReturn: reader.read<UsReturn>('us-return'),
    countries: assertUnique('countries', 'countries', countries, 'country'),
    jurisdictions,
    countryOf: countryLookup(jurisdictions),
    rules: makeRules({ chainId: chain.chain_id, nativeDenom: chain.native_denom, categories, tags, assets }),
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
