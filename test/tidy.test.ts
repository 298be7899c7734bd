/** What keeps the project in one shape: who may import whom, one place for each thing, nothing dead, nothing unfinished. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VARIABLES } from '../pipeline/variables.js';
import { circles, files, isTest, isTypeScript, reachable, sources } from './source-files.js';

/** The offences of a rule must be none; each is named by its file. */
function expectNone(offences: readonly string[]): void {
  assert.deepEqual(offences, []);
}

const stem = (path: string) => path.replace(/^.*\//, '').replace(/\.\w+$/, '');
const inFolder = (folder: string) => files.filter(({ path }) => path.startsWith(folder));
const isQuoted = (name: string) => sources.some(({ code }) => new RegExp(`['"\`/]${name}['"\`/.]`).test(code));

/**
 * The floors of the pipeline from the highest down, each with its rooms: an import goes to the same room or to a lower floor,
 * never up, and never to another room of its floor.
 */
const FLOORS: readonly (readonly RegExp[])[] = [
  [/^pipeline\/run-night\.ts$/],
  [/^pipeline\/nightly\.ts$/],
  [/^pipeline\/steps\//, /^pipeline\/verify\//],
  [/^pipeline\/(night|artifacts)\.ts$/],
  [/^pipeline\/jobs\//],
  [/^pipeline\/publish\//],
  [/^pipeline\/wallet-store\//],
  [/^pipeline\/classify\//, /^pipeline\/holdings\//],
  [/^pipeline\/chain\//, /^pipeline\/prices\//, /^pipeline\/flags\//],
  [/^pipeline\/(reference|progress|run-steps)\.ts$/],
  [/^pipeline\/(config|variables)\.ts$/],
  [/^pipeline\/cache-key\//, /^pipeline\/disk\//, /^pipeline\/duckdb\//],
  [/^pipeline\/project\.ts$/, /^pipeline\/config-error\.ts$/, /^pipeline\/reports\//],
  [/^pipeline\/ledger\//, /^pipeline\/json\//],
  [/^schemas\//],
];
const ROOMS = FLOORS.flatMap((rooms, floor) => rooms.map((room) => ({ room, floor })));
const roomOf = (path: string) => ROOMS.find(({ room }) => room.test(path));

test('no import of the pipeline runs up, nor from one room to the next on its floor', () => {
  expectNone(
    sources
      .filter(({ path }) => /^(pipeline|schemas)\//.test(path))
      .flatMap(({ path, imports }) => {
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

/** Folders whose files import one another without a circle. */
const WITHOUT_CIRCLES = ['pipeline/', 'schemas/', 'scripts/'];

test('no circle of imports, types too', () => {
  const covered = sources.filter(({ path }) => WITHOUT_CIRCLES.some((folder) => path.startsWith(folder)));
  expectNone(circles(covered).map((circle) => circle.join(' → ')));
});

/** Folders in which no room is crowded, and lists of one member a file, which grow with what they list. */
const NOT_CROWDED = ['pipeline/', 'schemas/'];
const LISTS = ['pipeline/classify/modules/'];
const FILES_MAX = 16;

test('a folder has few files at its top', () => {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (NOT_CROWDED.some((covered) => folder.startsWith(covered)) && !LISTS.includes(folder)) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  expectNone(
    [...counts].filter(([, count]) => count > FILES_MAX).map(([folder, count]) => `${folder}: ${count} files`),
  );
});

/** Packages that the program is about to import, or to leave. */
const NOT_IMPORTED = ['csv-stringify', 'find-my-way'];

test('the program imports every dependency, and nothing else', () => {
  const read = (name: string) => JSON.parse(files.find(({ path }) => path === name)!.text);
  const dependencies = Object.keys(read('package.json').dependencies);
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const packagesOf = (paths: ReadonlySet<string>) =>
    new Set(sources.filter(({ path }) => paths.has(path)).flatMap(({ packages }) => packages.map(packageOf)));
  const imported = packagesOf(new Set(sources.map(({ path }) => path)));
  expectNone(dependencies.filter((name) => !imported.has(name) && !NOT_IMPORTED.includes(name)));
  const program = packagesOf(reachable(['scripts/hubledger.ts', 'server/main.ts']));
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
const PURE_HOLDINGS = 'holdings/(?!start/load-)';
const SERVER_MAY_IMPORT = new RegExp(
  `^(schemas/|server/|pipeline/(ledger/|reports/|json/|wallet-store/|disk/|${PURE_HOLDINGS}|(config|config-error|project|reference)\\.ts$))`,
);
/** What rooms keep to beside their floor; the first fence that fits a path holds. */
const FENCES: readonly Fence[] = [
  { folder: /^(schemas|pipeline\/json)\//, mayImport: /^pipeline\/json\//, notPackages: /./ },
  // decimal.js computes and does nothing else, which is all that keeps packages out of the ledger.
  {
    folder: /^pipeline\/ledger\/decimal\.ts$/,
    mayImport: /^$/,
    notPackages: /^(?!decimal\.js$)/,
  },
  { folder: /^pipeline\/(ledger|reports)\//, mayImport: /./, notPackages: /./ },
  {
    folder: new RegExp(`^pipeline/${PURE_HOLDINGS}`),
    mayImport: new RegExp(`^(${TYPES}|pipeline/(${PURE_HOLDINGS}|json/|(ledger/amount|chain/block)\\.ts$))`),
    notPackages: /^(?!cosmjs-types\/|@scure\/base$)/,
  },
  {
    folder: /^pipeline\/classify\/(modules\/index|classify-blocks)\.ts$/,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(classify/|(ledger/amount|chain/block)\\.ts$))`),
    notPackages: /^node:(?!crypto$)/,
  },
  {
    folder: /^pipeline\/classify\//,
    mayImport: new RegExp(`^(${TYPES}|pipeline/(classify/classifier|ledger/amount|chain/block)\\.ts$)`),
    notPackages: /^node:(?!crypto$)/,
  },
  { folder: /^pipeline\//, mayImport: /./ },
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
          /^pipeline\/(ledger|reports|json|holdings\/(?!start\/load-))/.test(path) && impure.test(code),
      )
      .map(({ path }) => path),
  );
});

test('the environment is read in one place', () => {
  expectNone(
    sources
      .filter(({ path, code }) => path !== 'pipeline/config.ts' && /\bprocess\s*\.\s*env\b/.test(code))
      .map(({ path }) => path),
  );
});

test('tests find programs of the system in one place, so that a machine without them leaves out their part alone', () => {
  const started = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync)\(\s*['"`](?!(?:ba)?sh['"`])/;
  expectNone(
    files
      .filter(({ path, code }) => isTest(path) && path !== 'test/requirements.ts' && started.test(code))
      .map(({ path }) => path),
  );
});

test('SQL lies in .sql files', () => {
  const sql =
    /['"`]\s*(select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|(create|drop|alter)\s+(or\s+replace\s+)?(temp\w*\s+)?(table|view|macro)\s|copy\s*\(|copy\s+\w+\s+(to|from)\s|with\s+\w+\s+as\s|attach\s+')/i;
  expectNone(
    sources
      .filter(({ path, code }) => path !== 'pipeline/duckdb/database.ts' && sql.test(code))
      .map(({ path }) => path),
  );
});

test('every classifier and every endpoint is in its registry', () => {
  const registries: [folder: string, registries: string[], member: RegExp][] = [
    ['pipeline/classify/', ['modules/index'], /\b(Event|Message)Classifier\b/],
    ['server/endpoints/', ['index', 'all'], /\b(satisfies|:)\s+Endpoint\b/],
  ];
  expectNone(
    registries.flatMap(([folder, names, member]) => {
      const registry = reachable(names.map((name) => `${folder}${name}.ts`));
      const machinery = new Set([`${folder}classifier.ts`, `${folder}classify-blocks.ts`]);
      return sources
        .filter(({ path, code }) => path.startsWith(folder) && member.test(code) && !machinery.has(path))
        .filter(({ path }) => !registry.has(path))
        .map(({ path }) => path);
    }),
  );
});

/** Files of scripts/ that are run by themselves. */
const PROGRAMS = /^scripts\/([^/]+|build\/generate-types|recordings\/prove-holdings)\.ts$/;

test('every TypeScript file is reached from a program or a test', () => {
  const programs = sources.filter(({ path }) => PROGRAMS.test(path)).map(({ path }) => path);
  const product = reachable([...programs, 'server/main.ts']);
  const tests = reachable(files.filter(({ path }) => path.endsWith('.test.ts')).map(({ path }) => path));
  const isReached = (path: string) => (isTest(path) ? tests.has(path) : product.has(path));
  expectNone(files.filter(({ path }) => isTypeScript(path) && !isReached(path)).map(({ path }) => path));
});

test('what is exported is used elsewhere', () => {
  const typeScript = files.filter(({ path }) => isTypeScript(path));
  const users = new Map<string, number>();
  for (const { path, code } of files) {
    if (!/\.(ts|mjs)$/.test(path)) continue;
    for (const word of new Set(code.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  }
  // Types say what a function takes and gives, and need no other reason.
  const values = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;
  expectNone(
    typeScript.flatMap(({ path, code }) =>
      [...code.matchAll(values)].filter(([, name]) => users.get(name!) === 1).map(([, name]) => `${path}: ${name}`),
    ),
  );
});

test('every import names a file', () => {
  const paths = new Set(files.map(({ path }) => path));
  const isFile = (path: string) => paths.has(path) || path.startsWith('dist/');
  expectNone(
    files.flatMap(({ path, imports }) =>
      isTypeScript(path) ? imports.filter((other) => !isFile(other)).map((other) => `${path} → ${other}`) : [],
    ),
  );
});

test('every SQL file, schema and reference file is used', () => {
  const audits = isQuoted('audits') ? /^pipeline\/audits\// : /^$/;
  const folders = ['pipeline/', 'server/', 'schemas/', 'data/reference/'];
  const unused = folders.flatMap(inFolder).filter(({ path }) => {
    if (/^server\/store\/migrations\//.test(path)) return false; // read as a folder
    if (/^server\/store\/queries\//.test(path)) return !isQuoted(path.replace(/^server\/store\/queries\/|\.sql$/g, ''));
    if (path.endsWith('.sql')) return !audits.test(path) && !isQuoted(`tables/${stem(path)}`);
    if (/^data\/reference\/\w+\//.test(path)) return !isQuoted(path.split('/')[2]!);
    return path.endsWith('.json') && !isQuoted(stem(path)) && !isQuoted(`${stem(path)}.json`);
  });
  expectNone(unused.map(({ path }) => path));
});

test('files are short', () => {
  const lengths = files
    .filter(({ path }) => /\.(ts|mjs|sql)$/.test(path) && !path.endsWith('.generated.ts'))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .sort((a, b) => a.lines - b.lines);
  expectNone(lengths.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path}: ${lines} lines`));
  assert.ok(lengths[lengths.length >> 1]!.lines < 100, 'the median file is shorter than 100 lines');
});

test('nothing is unfinished, silenced or tied to one machine', () => {
  // Written so that this file does not find itself.
  const marks: [RegExp, RegExp][] = [
    [/./, /\bTO[D]O\b|\bFI[X]ME\b|\bXX[X]\b/],
    [/\.(ts|mjs)$/, /@ts-(ignor[e]|expect-erro[r]|nochec[k])|biome-ignor[e]|eslint-disabl[e]/],
    [/\.(ts|mjs)$/, /\.(only|ski[p]|tod[o])\(|\b(skip|only|todo): tru[e]\b/],
    [/./, /(?<![\w.])\/(wor[k]|tm[p]|hom[e]|roo[t])\/|\.\.\/share[d]\//],
  ];
  expectNone(
    files
      .filter(({ path }) => !path.endsWith('.generated.ts') && !path.endsWith('package-lock.json'))
      .flatMap(({ path, text }) =>
        marks
          .filter(([where]) => where.test(path))
          .flatMap(([, mark]) => mark.exec(text)?.[0] ?? [])
          .map((found) => `${path}: ${found}`),
      ),
  );
});

test('the README names every variable, and the CHANGELOG has a section for what comes next', () => {
  const text = (name: string) => files.find(({ path }) => path === name)?.text ?? '';
  expectNone(Object.keys(VARIABLES).filter((name) => !text('README.md').includes(`\`${name}\``)));
  assert.match(text('CHANGELOG.md'), /^## Unreleased\n/m);
});
