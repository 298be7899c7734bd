/**
 * The reviewed data of data/reference as one frozen object: validated against schemas/reference, so that a slip in a file
 * stops the start with its path and place instead of bending a figure.
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
import { ConfigError } from './config-error.js';
import { makeRules, type Rules } from './ledger/rules.js';
import { projectRoot, readSchema } from './project.js';

export interface Reference {
  readonly chain: Chain;
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  readonly triggers: readonly Trigger[];
  readonly assets: readonly Asset[];
  /** Version of the classification by which rows are made. */
  readonly classification: Classification;
  /** Contracts known by name, and what their kinds mean. */
  readonly contracts: Contracts;
  /** The one in force: the latest effective date. */
  readonly methodology: Methodology;
  /** Networks of the contract API. */
  readonly networks: readonly KnownNetwork[];
  /** Releases of the node software that were reviewed. */
  readonly nodeReleases: NodeReleases;
  /** Coins that the chain's own program moved. */
  readonly chainActs: readonly ChainAct[];
  /** Upgrades of the chain whose handlers were reviewed. */
  readonly upgrades: readonly Upgrade[];
  /** Markets at which the methodology's sources find their quotes. */
  readonly priceMarkets: PriceMarkets;
  readonly recognitionPolicy: RecognitionPolicy;
  /** Marks of spam among unasked receipts, and letters that look alike. */
  readonly spam: Spam;
  readonly confusables: readonly Confusable[];
  /** Texts of embedded reports beside their figures. */
  readonly widget: Widget;
  /** Countries that operators of validators disclosed. */
  readonly jurisdictions: ValidatorJurisdictions;
  /** Operator address → its country (ISO 3166-1 alpha-2), or UNDISCLOSED. */
  readonly countryOf: (operator: string) => string;
  /** The same, looked up by name, as a replay needs it. */
  readonly rules: Rules;
}

/** The place of a fault and what is wrong there, with the words that may stand there, or the member that may not. */
function faultOf({ instancePath, message, params }: ErrorObject): string {
  const words: string[] = params.allowedValues ?? [params.additionalProperty ?? []].flat();
  return `${instancePath || '/'} ${message}${words.length > 0 ? `: ${words.join(', ')}` : ''}`;
}

/** Reads JSON files below one folder, each checked against the schema of its kind. */
class Reader {
  private readonly schemas: Ajv2020;

  constructor(private readonly folder: string) {
    // Not strict: the schemas carry members of their own, such as tsType. Each is used once, which is not worth optimized code.
    this.schemas = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
    formats.default(this.schemas);
    for (const file of readdirSync(join(projectRoot(), 'schemas/reference'))) {
      this.schemas.addSchema(readSchema(`reference/${file}`));
    }
  }

  /** @throws ConfigError naming the file and the JSON pointer of each fault */
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

  /** Every file of a folder that holds several of one kind. */
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

/** An identity given twice would make one of the two silently win. */
function assertUnique<T>(file: string, list: string, items: readonly T[], member: keyof T & string): readonly T[] {
  const seen = new Map<unknown, number>();
  items.forEach((item, i) => {
    const earlier = seen.get(item[member]);
    if (earlier !== undefined) {
      throw new ConfigError(`${file}: /${list}/${i}/${member} ${item[member]} is given at /${list}/${earlier} already`);
    }
    seen.set(item[member], i);
  });
  return items;
}

/** Addresses and kinds once each, and no contract of a kind that is not stated. */
function consistent(list: Contracts): Contracts {
  const kinds = new Set(assertUnique('contracts.json', 'kinds', list.kinds, 'kind').map(({ kind }) => kind));
  assertUnique('contracts.json', 'contracts', list.contracts, 'address').forEach(({ kind }, i) => {
    if (!kinds.has(kind)) throw new ConfigError(`contracts.json: /contracts/${i}/kind ${kind} is not among /kinds`);
  });
  return list;
}

/** Refuses an act that no height and no upgrade dates. */
function dated(acts: readonly ChainAct[]): readonly ChainAct[] {
  const i = acts.findIndex(({ height, upgrade }) => height === undefined && upgrade === undefined);
  if (i >= 0) throw new ConfigError(`chain-acts.json: /acts/${i} needs height or upgrade`);
  return acts;
}

/** Jurisdiction of a validator without a public disclosure. */
export const UNDISCLOSED = 'undisclosed';

/** Countries by operator address; two disclosures of one validator would contradict each other sooner or later. */
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
 * The reviewed data with further disclosures: of several about one validator the one reviewed last counts, of one day the later in
 * the list.
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
  const jurisdictions = { ...reference.jurisdictions, jurisdictions: inForce };
  return deepFreeze<Reference>({ ...reference, jurisdictions, countryOf: countryLookup(jurisdictions) });
}

/** The methodology in force: the latest effective date; of two on one day the later version. */
function newest(methodologies: readonly Methodology[]): Methodology {
  const key = ({ effective_date, version }: Methodology) => `${effective_date} ${version}`;
  const sorted = [...methodologies].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const last = sorted.at(-1);
  if (!last) throw new ConfigError('data/reference/methodology holds no methodology');
  return last;
}

/** The data of this program once it was read: it is part of the program, which does not change while it runs. */
let own: Reference | undefined;

/**
 * Gives the reviewed data of this program, read and validated once.
 * @throws ConfigError with one line that names file and JSON pointer
 */
export function loadReference(): Reference {
  own ??= readReference(join(projectRoot(), 'data/reference'));
  return own;
}

/**
 * Reads and validates reviewed data.
 * @throws ConfigError with one line that names file and JSON pointer
 */
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
