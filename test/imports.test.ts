/** Rules of imports: rooms above rooms, no circle, no unused package. */
import { test } from 'node:test';
import { circles, expectNone, files, reachable, sources } from './source-files.js';

/**
 * The floors of the house from the highest down, each with its rooms: an import goes to the same room or to a lower floor,
 * never up, and never to another room of its floor.
 */
const FLOORS: readonly (readonly RegExp[])[] = [
  [/^scripts\//],
  [/^server\/main\.ts$/],
  [/^server\/listen\.ts$/],
  [/^server\/(app|answer-thread)\.ts$/],
  [/^server\/endpoints\//],
  [/^server\/docs\//],
  [/^server\/api\//],
  [/^server\/people\//, /^server\/contracts\//],
  [/^server\/tax\//],
  [/^server\/http\//],
  [/^server\/web\//],
  [/^pipeline\/(run-night|nightly)\.ts$/],
  [/^pipeline\/tracked-wallets\//],
  [/^pipeline\/night\//],
  [/^pipeline\/publish\//],
  [/^pipeline\/classify\//, /^pipeline\/holdings\//],
  [/^pipeline\/chain\//, /^pipeline\/prices\//],
  [/^pipeline\/(reference|config)\.ts$/],
  [/^pipeline\/books\/reports\//],
  [/^pipeline\/books\/ledger\//],
  [/^pipeline\/books\//],
  [/^pipeline\/base\//],
  [/^schemas\//],
];
const ROOMS = FLOORS.flatMap((rooms, floor) => rooms.map((room) => ({ room, floor })));
const roomOf = (path: string) => ROOMS.find(({ room }) => room.test(path));

test('no import runs up, nor from one room to the next on its floor', () => {
  expectNone(
    sources.flatMap(({ path, imports }) => {
      const from = roomOf(path);
      if (!from) return [`${path} lies in no room`];
      const isAllowed = (other: string) => {
        const to = roomOf(other);
        return to !== undefined && (to === from || to.floor > from.floor);
      };
      return imports.filter((other) => !isAllowed(other)).map((other) => `${path} → ${other}`);
    }),
  );
});

test('no circle of imports, types too', () => {
  expectNone(circles(sources).map((circle) => circle.join(' → ')));
});

test('the program imports every dependency, and nothing else', () => {
  const read = (name: string) => JSON.parse(files.find(({ path }) => path === name)!.text);
  const dependencies = Object.keys(read('package.json').dependencies);
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const packagesOf = (paths: ReadonlySet<string>) =>
    new Set(sources.filter(({ path }) => paths.has(path)).flatMap(({ packages }) => packages.map(packageOf)));
  const imported = packagesOf(new Set(sources.map(({ path }) => path)));
  expectNone(dependencies.filter((name) => !imported.has(name)));
  const product = [...reachable(['scripts/hubledger.ts', 'server/main.ts'])];
  const program = packagesOf(new Set(product.filter((path) => !path.startsWith('scripts/bench/')))); // it compares with others
  expectNone([...program].filter((name) => !name.startsWith('node:') && !dependencies.includes(name)));
});

interface Fence {
  readonly folder: RegExp;
  /** Project files that files of the folder may import. */
  readonly mayImport: RegExp;
  /** Packages and node: modules that they must not import. */
  readonly notPackages?: RegExp;
}

const TYPES = 'schemas/types\\.generated';
/** What the chain has said, and the messages in it. */
const CHAIN = 'chain/(block|protobuf)';
const PURE_HOLDINGS = 'holdings/(?!start/load-)';
const SERVER_MAY_IMPORT = new RegExp(
  `^(schemas/|server/|pipeline/(books/|base/(json|disk|values)/|publish/wallet-index/|${PURE_HOLDINGS}|(config|reference|publish/(generation|catalog/catalog-files|follow/follower)|night/queue/night-queue|base/(config-error|project))\\.ts$))`,
);
/** Fences: rules that rooms keep besides their floor; the first one that fits a path holds. */
const FENCES: readonly Fence[] = [
  { folder: /^(schemas|pipeline\/base\/json)\//, mayImport: /^pipeline\/base\/json\//, notPackages: /./ },
  // decimal.js computes and does nothing else, which is all that keeps packages out of the ledger.
  {
    folder: /^pipeline\/base\/values\/decimal\.ts$/,
    mayImport: /^$/,
    notPackages: /^(?!decimal\.js$)/,
  },
  {
    folder: /^pipeline\/books\//,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(books|base/(json|values))/)`),
    notPackages: /./,
  },
  {
    folder: new RegExp(`^pipeline/${PURE_HOLDINGS}`),
    mayImport: new RegExp(
      `^(${TYPES}|pipeline/(${PURE_HOLDINGS}|base/json/|(base/values/(amount|first-index)|${CHAIN})\\.ts$))`,
    ),
    notPackages: /^(?!cosmjs-types\/|@scure\/base$)/,
  },
  {
    folder: /^pipeline\/classify\/(modules\/index|classify-blocks|open-scope|scopes|side-tables)\.ts$/,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(classify/|(base/values/amount|${CHAIN})\\.ts$))`),
    notPackages: /^node:(?!crypto$)/,
  },
  {
    folder: /^pipeline\/classify\/memo-actions\.ts$/,
    mayImport: /^pipeline\/base\/json\/exact-json\.ts$/,
    notPackages: /./,
  },
  {
    folder: /^pipeline\/classify\/chain-facts\.ts$/,
    mayImport: new RegExp(`^(${TYPES}|pipeline/classify/(classifier|memo-actions)\\.ts$)`),
    notPackages: /^node:(?!crypto$)/,
  },
  {
    folder: /^pipeline\/classify\/receipt-flags\.ts$/,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(reference|classify/look-alikes)\\.ts$)`),
    notPackages: /^node:(?!crypto$)/,
  },
  {
    folder: /^pipeline\/classify\//,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(classify/classifier|base/values/(amount|first-index)|${CHAIN})\\.ts$)`),
    notPackages: /^node:(?!crypto$)/,
  },
  { folder: /^pipeline\/base\//, mayImport: /^(pipeline\/base|schemas)\// },
  { folder: /^pipeline\//, mayImport: /./ },
  {
    // What runs in browsers: types of the answers, and packages that are bundled.
    folder: /^server\/web\//,
    mayImport:
      /^(server\/web\/|pipeline\/(books\/(terms|methods\/|currencies\/(currency|index)\.ts|reports\/tax-year\/words\.ts|ledger\/homecoming|reports\/broker-sales)|base\/values\/zones\.ts$)|schemas\/types\.generated\.ts$)/,
    notPackages: /^(?!(preact|@preact\/signals|minisearch|uplot|d3-dsv|@scure\/base)(\/|$))/,
  },
  {
    folder: /^server\/endpoints\//,
    mayImport: SERVER_MAY_IMPORT,
    notPackages: /^(@?koa|node:https?$)/,
  },
  { folder: /^server\//, mayImport: SERVER_MAY_IMPORT },
  { folder: /^scripts\//, mayImport: /^(schemas|pipeline|server|scripts)\// },
];

test('imports keep to the fences', () => {
  expectNone(
    sources.flatMap(({ path, imports, packages }) => {
      const fence = FENCES.find(({ folder }) => folder.test(path));
      if (!fence) return [`${path} lies in no folder of the plan`];
      return [
        ...imports.filter((other) => !fence.mayImport.test(other)),
        ...packages.filter((name) => fence.notPackages?.test(name)),
      ].map((other) => `${path} → ${other}`);
    }),
  );
});

test('ledger and holdings know no clock, no chance and no process', () => {
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\b|\bprocess\b|\bglobalThis\b|\bconsole\b/;
  expectNone(
    sources
      .filter(
        ({ path, code }) =>
          /^pipeline\/(ledger|reports|base\/(json|values)|holdings\/(?!start\/load-))/.test(path) && impure.test(code),
      )
      .map(({ path }) => path),
  );
});
