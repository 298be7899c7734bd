/** Every variable with odd values: a wrong one is refused in one line that names it, before anything is opened or made. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { VariableError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { readConfig, type VARIABLES } from '../../pipeline/config.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-config-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'file');
writeFileSync(file, '');
mkdirSync(join(folder, 'prices/mine'), { recursive: true });

const pemOf = (pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }) => ({
  publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const pair = generateKeyPairSync('ed25519');
const { publicKey, privateKey } = pemOf(pair);
const otherKey = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })).publicKey;
const lockedKey = pair.privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString();

const none = join(folder, 'none');
const recording = pathToFileURL(folder).href;

/** Wrong for whatever is no free text. */
const ODD = [' ', '\t', '\n', ' x', 'x ', '-1', 'NaN', 'null', '\u0000', '"', '💸'];
const URLS = [
  ...ODD,
  'example.com',
  'https:example.com',
  '//example.com',
  'https://',
  'https:///',
  'https://a b',
  'ftp://a',
];
const HTTP = [...URLS, 'https://a:99999', 'https://a/?b=c', 'https://a/#b', 'https://u:p@a'];
/** URLs of nodes may have a user name and a query, which may be a key. */
const NODES = HTTP.filter((text) => !/[?@]/.test(text));
/** White space counts where no list is read. */
const ONE_URL = [...HTTP, ' https://a', 'https://a\n'];
const NUMBERS = [
  ...ODD,
  '1.5',
  '8080.0',
  '1e3',
  '1e99',
  '0x10',
  '+1',
  '1 ',
  '１',
  '9'.repeat(400),
  'Infinity',
  '1,000',
];
const TEXTS = [' ', '\t', ' x', 'x ', 'x\n', 'x\u0000y', 'x\u0085', 'x\u2028y'];

const WRONG: { readonly [Name in keyof typeof VARIABLES]: readonly string[] } = {
  HUBLEDGER_RPC_URLS: [
    ...NODES,
    'https://a,',
    ',https://a',
    'https://a,,https://b',
    `https://a,${recording}`,
    `${recording},${recording}`,
    pathToFileURL(none).href,
    pathToFileURL(file).href,
    'file:',
    'file://',
    'file:///',
    'file://host/path',
    'file:relative',
  ],
  HUBLEDGER_LCD_URLS: [...NODES, 'https://a,', recording],
  HUBLEDGER_NODE_HEADERS: ['x', '[]', '"a"', '{"a": 1}', '{"a b": "c"}', '{"a": "b\\n"}', '{"host": {"a": {}}}'],
  HUBLEDGER_NODE_CHAIN_ID: [' ', '.', '../x', 'a/b', 'a b', 'a\n', '-a', '💸'],
  HUBLEDGER_WALLETS: ['', ' ', ',', 'cosmos1abc', 'x', `${'cosmos1'}${'q'.repeat(38)}`],
  HUBLEDGER_TRUST: [...NUMBERS, '5', `0:${'A'.repeat(64)}`, `5:${'A'.repeat(63)}`, `5:${'G'.repeat(64)}`],
  HUBLEDGER_GENESIS: [
    ...TEXTS,
    none,
    folder,
    'https://',
    'https://u:p@a/b',
    'ftp://a/b',
    'file://host/path',
    'file:///none',
  ],
  HUBLEDGER_CORRECTIONS: [...TEXTS, none, folder, 'https://a/corrections.json', 'file://host/path', 'file:///none'],
  HUBLEDGER_TIP_DISTANCE: [...NUMBERS, '1001'],
  HUBLEDGER_CROSS_CHECK: [...NUMBERS, '2', '101%', '2 %', '%', 'none', 'ALL', '0x2%', '1e1%'],
  HUBLEDGER_STATE_HEAP: [...NUMBERS, '127', '65537'],
  HUBLEDGER_INDEX_START: [
    ...NUMBERS,
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-01',
    '26-01-01',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
  ],
  HUBLEDGER_TIMEZONE: ['europe/berlin', '+01:00', 'Mars/Olympus'],
  HUBLEDGER_EDGES: [
    ...NUMBERS.filter((text) => text !== '1,000'),
    '2026-05-01',
    '2026-05-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-05-01T00:00:00.Z',
    '2026-05-01T00:00:00.1234567890Z',
    '2026-05-01T00:00:60Z',
    '2026-05-01T00:00:00Z,',
    '2026-05-01T00:00:00Z 2027-01-01T00:00:00Z',
  ],
  HUBLEDGER_DATA_ROOT: [...TEXTS, file, join(file, 'below'), '/dev/null/below', `/${'x'.repeat(300)}`],
  HUBLEDGER_DATA_DIR: [...TEXTS, file, join(file, 'below'), '/dev/null/below', `/${'x'.repeat(300)}`],
  HUBLEDGER_PRICE_DIR: [...TEXTS, file, none],
  HUBLEDGER_PRICE_SOURCES: [
    ...ODD,
    ',',
    'kraken,',
    'gamma',
    'kraken,gamma',
    'none,kraken',
    '..',
    '.',
    '../prices',
    'Kraken',
  ],
  HUBLEDGER_RATES_URL: [...NODES, 'None'],
  HUBLEDGER_RATES_FILE: [...TEXTS, none, folder, 'https://a/rates.csv', 'file://host/path', 'file:///none'],
  HUBLEDGER_HOST: [
    ' ',
    ' x',
    'x y',
    'x\n',
    'http://localhost',
    'localhost:80',
    '[::1]',
    '300.1.1.1',
    '1.2.3',
    '::g',
    '*',
    'a..b',
    '💸',
  ],
  HUBLEDGER_PORT: [...NUMBERS, '65536', '99999'],
  HUBLEDGER_METRICS_PORT: [...NUMBERS, '65536', '99999'],
  HUBLEDGER_BASE_URL: [...ONE_URL, recording, `https://${'a'.repeat(193)}`],
  HUBLEDGER_WASM_URL: ONE_URL,
  HUBLEDGER_DATABASE_URL: [
    ...URLS,
    'mysql://a/b',
    'postgres:a',
    'postgres://',
    'postgres://a:99999/b',
    'postgres://a b/c',
  ],
  HUBLEDGER_REDIS_URL: [...URLS, 'redis:a', 'redis://', 'http://a', 'redis://a:99999', 'redis://a\n'],
  HUBLEDGER_OIDC_ISSUER: ONE_URL,
  HUBLEDGER_OIDC_CLIENT_ID: TEXTS,
  HUBLEDGER_OIDC_CLIENT_SECRET: TEXTS,
  HUBLEDGER_STORE_URL: [
    ...ODD,
    's3:',
    's3://',
    's3://b',
    's3://UPPER/a',
    's3://bucket//a',
    's3://bucket/a b',
    's3://bucket/a\n',
    's3://user:secret@bucket/a',
    's3://bucket/a?b',
    'file:a',
    'file://a/b',
    'file:///dev/null/a',
    'https://a',
  ],
  HUBLEDGER_S3_ENDPOINT: ONE_URL,
  HUBLEDGER_FOLLOW_URL: [...HTTP],
  HUBLEDGER_FOLLOW_KEY: [...TEXTS, none, folder, file, privateKey, otherKey, `${publicKey}${otherKey}`, '-----BEGIN '],
  HUBLEDGER_SIGNING_KEY: [...TEXTS, none, folder, file, publicKey, otherKey, lockedKey, '-----BEGIN PRIVATE KEY-----'],
  HUBLEDGER_CACHE_BYTES: ['20 GiB', '1e9', '-1', '20GB ', 'GB', ' ', '1.5 GB', '1 gb'],
  HUBLEDGER_QUEUE_URL: ['http://q', 'localhost:6379'],
  HUBLEDGER_QUEUE_KEY: [...ODD, '0'.repeat(63), '0'.repeat(65), 'g'.repeat(64), `${'0'.repeat(64)}\n`],
  HUBLEDGER_NOW: [
    ...NUMBERS,
    'now',
    '2026-05-01',
    '2026-05-01T00:00:00',
    '2026-05-01 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T00:60:00Z',
    '2026-05-01T00:00:00+24:00',
    '2026-05-01T00:00:00.Z',
    ' 2026-05-01T00:00:00Z',
    '2026-05-01T00:00:00Z\n',
  ],
  HUBLEDGER_RATE_LIMIT: [...NUMBERS, '1000000001'],
  HUBLEDGER_TIERS: [
    ...ODD,
    'gold',
    'gold=',
    '=600',
    '600',
    'gold=0',
    'gold=-1',
    'gold=01',
    'gold=1e3',
    'gold=1000001',
    'gold 600',
    'gold= 600',
    'Gold=600',
    '9=600',
    'gold=600,',
    'gold=600;silver=120',
    'gold=600,gold=700',
    'default=600',
    `${'g'.repeat(31)}=600`,
  ],
  HUBLEDGER_TRUSTED_HOPS: [...NUMBERS, '101'],
  HUBLEDGER_NETWORKS: [
    ...ODD,
    '{',
    '[]',
    '5',
    '"https://a"',
    '{"a": "https://a"}',
    '{"a": []}',
    '{"a": [5]}',
    '{"a": [null]}',
    '{"a": {"0": "https://a"}}',
    '{"": ["https://a"]}',
    '{"a": ["ftp://a"]}',
    '{"a": ["https://a", "b"]}',
    '{"a": ["https://u:p@a"]}',
    "{'a': ['https://a']}",
  ],
  HUBLEDGER_GITHUB_API_URL: ONE_URL,
  HUBLEDGER_GITHUB_TOKEN: [...TEXTS, 'a b', 'ä', 'a\r\nX-Header: b'],
  HUBLEDGER_LOG_LEVEL: [...ODD, 'INFO', 'verbose', 'info,debug', 'info\n', '30'],
};

/** Variables that are read together: none of them counts without the others. */
const oidc = { HUBLEDGER_OIDC_ISSUER: 'https://a', HUBLEDGER_OIDC_CLIENT_ID: 'b', HUBLEDGER_OIDC_CLIENT_SECRET: 'c' };
const besides = (name: string) => (name in oidc ? oidc : {});

function refusal(environment: Record<string, string>, shown: string): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof VariableError, `${shown}: ${error}`);
    return error.message;
  }
  return assert.fail(`${shown} is taken`);
}

test('a wrong value is refused in one line that names the variable', () => {
  for (const [name, values] of Object.entries(WRONG)) {
    for (const value of values) {
      const message = refusal({ ...besides(name), [name]: value }, `${name}=${JSON.stringify(value)}`);
      assert.match(message, new RegExp(`^${name} [^\\p{C}\\p{Zl}]+$`, 'u'));
    }
  }
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'prices']);
});

test('keys are read from text, with escaped line feeds too, and from files; no error shows them', () => {
  for (const [name, key] of [
    ['HUBLEDGER_SIGNING_KEY', privateKey],
    ['HUBLEDGER_FOLLOW_KEY', publicKey],
  ] as const) {
    writeFileSync(join(folder, 'file'), key);
    for (const value of [key, key.replaceAll('\n', '\\n'), file]) {
      const { signingKey, followKeys } = readConfig({ [name]: value });
      assert.equal((signingKey ?? followKeys![0]!).trim(), key.trim());
    }
    writeFileSync(join(folder, 'file'), '');
  }
  assert.equal(readConfig({ HUBLEDGER_FOLLOW_KEY: publicKey + publicKey }).followKeys!.length, 2);
  const shown = refusal({ HUBLEDGER_FOLLOW_KEY: privateKey }, 'a private key');
  assert.equal(shown, 'HUBLEDGER_FOLLOW_KEY must be a public key, and it is a private one');
});

test('an unknown name is refused whatever its value, and some belong together', () => {
  for (const name of [
    'HUBLEDGER_',
    'HUBLEDGER_PORTS',
    'HUBLEDGER_port',
    'HUBLEDGER_PORT ',
    'HUBLEDGER_toString',
    'HUBLEDGER_A\nB',
  ]) {
    for (const value of ['', '1']) {
      assert.match(
        refusal({ [name]: value }, name),
        /^HUBLEDGER_[^\p{Cc}]* is not a variable of hubledger; [^\p{Cc}]+$/u,
      );
    }
  }
  for (const [name, value] of Object.entries(oidc)) assert.match(refusal({ [name]: value }, name), /belong together$/);
});

test('a long text is shown by its beginning', () => {
  const long = 'x'.repeat(100_000);
  for (const [name, value] of [
    ['HUBLEDGER_PORT', long],
    ['HUBLEDGER_PRICE_SOURCES', long],
    [`HUBLEDGER_${long}`, '1'],
  ] as const) {
    assert.ok(refusal({ [name]: value }, name.slice(0, 50)).length < 400, name.slice(0, 50));
  }
});

test('who names a recording by its path is told that it takes a URL', () => {
  const HUBLEDGER_RPC_URLS = 'data/sample';
  assert.match(
    refusal({ HUBLEDGER_RPC_URLS }, 'HUBLEDGER_RPC_URLS'),
    /begins with http:\/\/ or https:\/\/ or file:\/\//,
  );
});

test('a secret is not shown', () => {
  const wrong = {
    HUBLEDGER_DATABASE_URL: 'mysql://hub:hush@db/x',
    HUBLEDGER_REDIS_URL: 'http://:hush@db',
    HUBLEDGER_GITHUB_TOKEN: 'hush hush',
    HUBLEDGER_QUEUE_KEY: 'hush',
    HUBLEDGER_OIDC_CLIENT_SECRET: ' hush',
    HUBLEDGER_RPC_URLS: 'https://node/hush,https://node?key=hush#x',
    HUBLEDGER_NODE_HEADERS: '{"x-api-key": "hush"',
    HUBLEDGER_NETWORKS: '{"a": ["https://hub:hush@node"]}',
  };
  for (const [name, value] of Object.entries(wrong)) {
    assert.doesNotMatch(refusal({ ...besides(name), [name]: value }, name), /hush/);
  }
});

test('price files of the sample count for the sample alone', () => {
  const ofSample = join(projectRoot(), 'data/sample/prices');
  assert.equal(readConfig({}).priceDir, ofSample);
  for (const urls of ['https://rpc.example', recording]) {
    assert.equal(readConfig({ HUBLEDGER_RPC_URLS: urls }).priceDir, undefined);
    assert.equal(readConfig({ HUBLEDGER_RPC_URLS: urls, HUBLEDGER_PRICE_DIR: folder }).priceDir, folder);
  }
});

test('exchange rates are those of a named source, of the sample, or of the bank where blocks come from a node', () => {
  const bank = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip';
  const node = { HUBLEDGER_RPC_URLS: 'https://rpc.example' };
  const url = { HUBLEDGER_RATES_URL: 'https://rates.example/hist.csv?key=1' };
  const cases: [Record<string, string>, url: string | undefined, file: string | undefined][] = [
    [{}, undefined, join(projectRoot(), 'data/sample/eurofxref-hist.csv')],
    [{ HUBLEDGER_PRICE_SOURCES: 'none' }, undefined, join(projectRoot(), 'data/sample/eurofxref-hist.csv')],
    [{ HUBLEDGER_RATES_URL: 'none' }, undefined, undefined],
    [{ HUBLEDGER_RPC_URLS: recording }, undefined, undefined],
    [node, bank, undefined],
    [{ ...node, HUBLEDGER_RATES_URL: 'none' }, undefined, undefined],
    [{ ...node, HUBLEDGER_PRICE_SOURCES: 'none' }, undefined, undefined],
    [{ ...node, ...url, HUBLEDGER_PRICE_SOURCES: 'none' }, undefined, undefined],
    [{ ...node, HUBLEDGER_RATES_FILE: file }, undefined, file],
    [{ ...node, ...url, HUBLEDGER_RATES_FILE: file }, url.HUBLEDGER_RATES_URL, file],
    [{ HUBLEDGER_RPC_URLS: recording, ...url }, url.HUBLEDGER_RATES_URL, undefined],
  ];
  for (const [environment, ratesUrl, ratesFile] of cases) {
    const config = readConfig(environment);
    assert.deepEqual([config.ratesUrl, config.ratesFile], [ratesUrl, ratesFile], JSON.stringify(environment));
  }
});

test('edges are instants in nanoseconds, in order and each once; a wrong one is named', () => {
  const HUBLEDGER_EDGES =
    '2027-01-01T00:00:00+09:00, 2026-12-31T15:00:00Z,2026-05-01T00:00:00.5-04:00,2026-05-01T00:00:00.123456789Z';
  assert.deepEqual(readConfig({ HUBLEDGER_EDGES }).edges, [
    1_777_593_600_123_456_789n,
    1_777_608_000_500_000_000n,
    1_798_729_200_000_000_000n,
  ]);
  assert.deepEqual(readConfig({ HUBLEDGER_EDGES: '' }).edges, []);
  assert.equal(
    refusal({ HUBLEDGER_EDGES: '2026-05-01T00:00:00Z,2026-13-01T00:00:00Z' }, 'a wrong month'),
    'HUBLEDGER_EDGES has the item "2026-13-01T00:00:00Z", which must be an RFC 3339 instant such as ' +
      '2026-05-01T00:00:00Z (it is "2026-05-01T00:00:00Z,2026-13-01T00:00:00Z")',
  );
});

test('what is right is taken as it was meant', () => {
  const config = readConfig({
    HUBLEDGER_RPC_URLS: ' https://a/ , http://b:26657/path// ',
    HUBLEDGER_LCD_URLS: '',
    HUBLEDGER_GENESIS: file,
    HUBLEDGER_CORRECTIONS: pathToFileURL(file).href,
    HUBLEDGER_TIP_DISTANCE: '0',
    HUBLEDGER_STATE_HEAP: '2048',
    HUBLEDGER_INDEX_START: '2024-02-29',
    HUBLEDGER_DATA_DIR: join(none, 'below'),
    HUBLEDGER_PRICE_DIR: join(folder, 'prices'),
    HUBLEDGER_PRICE_SOURCES: 'kraken, mine',
    HUBLEDGER_HOST: '::1',
    HUBLEDGER_PORT: '65535',
    HUBLEDGER_DATABASE_URL: 'postgres://hub:p%40@db:5432/hub?sslmode=require',
    HUBLEDGER_NOW: '2026-05-01T00:00:00.5+02:00',
    HUBLEDGER_RATE_LIMIT: '0',
    HUBLEDGER_TIERS: 'silver=1, gold-2=1000000',
    HUBLEDGER_NETWORKS: '{"a": ["https://a/"]}',
    ...oidc,
  });
  assert.deepEqual(config.rpcUrls, ['https://a', 'http://b:26657/path']);
  assert.deepEqual(config.lcdUrls, []);
  const nodeHeaders = '{"X-Api-Key": "secret", "b:26657": {"authorization": "Bearer x"}}';
  assert.deepEqual(readConfig({ HUBLEDGER_NODE_HEADERS: nodeHeaders }).nodeHeaders, {
    '*': { 'x-api-key': 'secret' },
    'b:26657': { authorization: 'Bearer x' },
  });
  assert.equal(config.tipDistance, 0);
  assert.equal(config.crossCheck, 0.02);
  assert.equal(config.stateHeap, 2048);
  assert.deepEqual(config.priceSources, ['kraken', 'mine']);
  assert.deepEqual(
    [...config.tiers],
    [
      ['silver', 1],
      ['gold-2', 1_000_000],
    ],
  );
  assert.equal(readConfig({ HUBLEDGER_TIERS: '' }).tiers.size, 0);
  assert.deepEqual(config.networks, { a: ['https://a'] });
  assert.equal(config.now().toISOString(), '2026-04-30T22:00:00.500Z');
  assert.equal(config.dataDir, join(none, 'below'));
  assert.ok(!existsSync(none));
  for (const [text, share] of [
    ['0', 0],
    ['0%', 0],
    ['0.5%', 0.005],
    ['100%', 1],
    ['all', 1],
  ] as const) {
    assert.equal(
      readConfig({ HUBLEDGER_RPC_URLS: 'https://a,https://b', HUBLEDGER_CROSS_CHECK: text }).crossCheck,
      share,
    );
    assert.equal(readConfig({ HUBLEDGER_RPC_URLS: recording, HUBLEDGER_CROSS_CHECK: text }).crossCheck, share);
  }
  assert.throws(
    () => readConfig({ HUBLEDGER_RPC_URLS: 'https://a', HUBLEDGER_CROSS_CHECK: 'all' }),
    new VariableError('HUBLEDGER_CROSS_CHECK=all needs a second endpoint in HUBLEDGER_RPC_URLS'),
  );
  for (const host of ['0.0.0.0', '127.0.0.1', 'localhost', 'web-1.my_net.example', 'a1', '::']) {
    assert.equal(readConfig({ HUBLEDGER_HOST: host }).host, host);
  }
  assert.deepEqual(readConfig({ HUBLEDGER_RPC_URLS: recording }).rpcUrls, [recording]);
  assert.equal(readConfig({ HUBLEDGER_PRICE_SOURCES: 'none' }).priceSources, 'none');
});

test('the sample, single wallets and the whole chain have separate data folders', () => {
  const folderOf = (variables: Record<string, string>) =>
    readConfig({ HUBLEDGER_DATA_ROOT: none, ...variables }).dataDir.slice(none.length + 1);
  const node = { HUBLEDGER_RPC_URLS: 'https://node.example' };
  const HUBLEDGER_WALLETS = 'cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w';
  assert.equal(folderOf({}), 'sample-dataset');
  assert.equal(folderOf(node), 'local');
  assert.equal(folderOf({ HUBLEDGER_FOLLOW_URL: 'https://first.example' }), 'local');
  assert.equal(folderOf({ ...node, HUBLEDGER_WALLETS }), 'wallets');
  assert.equal(
    readConfig({ HUBLEDGER_DATA_ROOT: none, HUBLEDGER_DATA_DIR: join(none, 'own') }).dataDir,
    join(none, 'own'),
  );
});
