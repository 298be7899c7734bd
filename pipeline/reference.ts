/**
 * Loads data/reference, validated by schemas/reference. An error in a file stops the start with its path and JSON
 * pointer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
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
  Disclosure,
  KnownNetwork,
  KnownNetworks,
  Methodology,
  NodeReleases,
  PriceMarkets,
  RecognitionPolicy,
  Spam,
  Tag,
  Tags,
  Trigger,
  Triggers,
  Upgrade,
  Upgrades,
  ValidatorJurisdictions,
  Widget,
} from '../schemas/types.generated.js';
import { ConfigError } from './base/config-error.js';
import { projectRoot, readSchema } from './base/project.js';
import { makeRules, type Rules } from './ledger/rules.js';

export interface Reference {
  readonly chain: Chain;
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  readonly triggers: readonly Trigger[];
  readonly assets: readonly Asset[];
  /** Version of the classification. */
  readonly classification: Classification;
  /** Known contracts and their kinds. */
  readonly contracts: Contracts;
  /** The current methodology. */
  readonly methodology: Methodology;
  readonly networks: readonly KnownNetwork[];
  /** Reviewed releases of the node software. */
  readonly nodeReleases: NodeReleases;
  /** Payments made by the chain's own program. */
  readonly chainActs: readonly ChainAct[];
  /** Reviewed chain upgrades. */
  readonly upgrades: readonly Upgrade[];
  /** Markets of the price sources. */
  readonly priceMarkets: PriceMarkets;
  readonly recognitionPolicy: RecognitionPolicy;
  /** Spam patterns for unsolicited receipts, and look-alike letters. */
  readonly spam: Spam;
  readonly confusables: readonly Confusable[];
  /** Texts of embedded reports. */
  readonly widget: Widget;
  /** Countries disclosed by validator operators. */
  readonly jurisdictions: ValidatorJurisdictions;
  /** Country (ISO 3166-1 alpha-2) by operator address, or UNDISCLOSED. */
  readonly countryOf: (operator: string) => string;
  /** The same data, indexed by name for a replay. */
  readonly rules: Rules;
}

/** Describes a fault: JSON pointer, error, and the allowed values or the unexpected member. */
function faultOf({ instancePath, message, params }: ErrorObject): string {
  const words: string[] = params.allowedValues ?? [params.additionalProperty ?? []].flat();
  return `${instancePath || '/'} ${message}${words.length > 0 ? `: ${words.join(', ')}` : ''}`;
}

/** Reads JSON files and validates each against its schema. */
class Reader {
  private readonly schemas: Ajv2020;

  constructor(private readonly folder: string) {
    // Not strict: the schemas have extra members such as tsType. Each runs once, so optimizing is not worth it.
    this.schemas = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
    formats.default(this.schemas);
    for (const file of readdirSync(join(projectRoot(), 'schemas/reference'))) {
      this.schemas.addSchema(readSchema(`reference/${file}`));
    }
  }

  /** @throws ConfigError with the file and the JSON pointer of each fault */
  read<T>(kind: string, file = `${kind}.json`): T {
    const path = join(this.folder, file);
    const shown = relative(process.cwd(), path);
    const value = parseJson(readFileSync(path, 'utf8'), shown);
    const validate = this.schemas.getSchema(`/schemas/reference/${kind}.json`) as ValidateFunction<T>;
    if (!validate(value)) {
      throw new ConfigError(`${shown}: ${validate.errors!.map(faultOf).join('; ')}`);
    }
    return value;
  }

  /** Reads all files of a folder. */
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

/** Rejects duplicate identities: one of them would be ignored without notice. */
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

/** Rejects duplicate addresses or kinds, and contracts of an unknown kind. */
function consistent(list: Contracts): Contracts {
  const kinds = new Set(assertUnique('contracts.json', 'kinds', list.kinds, 'kind').map(({ kind }) => kind));
  assertUnique('contracts.json', 'contracts', list.contracts, 'address').forEach(({ kind }, i) => {
    if (!kinds.has(kind)) throw new ConfigError(`contracts.json: /contracts/${i}/kind ${kind} is not among /kinds`);
  });
  return list;
}

/** Rejects an entry without height or upgrade. */
function dated(acts: readonly ChainAct[]): readonly ChainAct[] {
  const i = acts.findIndex(({ height, upgrade }) => height === undefined && upgrade === undefined);
  if (i >= 0) throw new ConfigError(`chain-acts.json: /acts/${i} needs height or upgrade`);
  return acts;
}

export const UNDISCLOSED = 'undisclosed';

/** Maps operator addresses to countries; rejects duplicates. */
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

/** Adds disclosures. For one validator the last review wins; on equal days, the later entry. */
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

/** Replaces the registry of jurisdictions. */
export const withJurisdictions = (reference: Reference, jurisdictions: ValidatorJurisdictions): Reference =>
  deepFreeze<Reference>({ ...reference, jurisdictions, countryOf: countryLookup(jurisdictions) });

/** Returns the methodology with the latest effective date, then the highest version. */
function newest(methodologies: readonly Methodology[]): Methodology {
  const key = ({ effective_date, version }: Methodology) => `${effective_date} ${version}`;
  const sorted = [...methodologies].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const last = sorted.at(-1);
  if (!last) throw new ConfigError('data/reference/methodology contains no file');
  return last;
}

/** Cache: the data is part of the program. */
let own: Reference | undefined;

/**
 * Returns the program's reviewed data; loads it once.
 * @throws ConfigError with one line that names file and JSON pointer
 */
export function loadReference(): Reference {
  own ??= readReference(join(projectRoot(), 'data/reference'));
  return own;
}

/** @throws ConfigError with one line that names file and JSON pointer */
export function readReference(folder: string): Reference {
  const reader = new Reader(folder);
  const chain = reader.read<Chain>('chain', 'chains/cosmoshub.json');
  const { categories } = reader.read<Categories>('categories');
  const { tags } = reader.read<Tags>('tags');
  const { triggers } = reader.read<Triggers>('triggers');
  const { assets } = reader.read<Assets>('assets');
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
