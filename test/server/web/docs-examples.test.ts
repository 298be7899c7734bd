/** The examples of the guides, run as their readers would run them: curl, TypeScript and Python against a running server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { transformSync } from 'esbuild';
import { PARAMETERS } from '../../../server/tax/parameters/parameter-schemas.js';
import { programs } from '../../requirements.js';
import { OPERATORS, startServer, type TestServer, WALLETS } from '../harness.js';

const GUIDES = [
  ...['', '/tax-year', '/accountant', '/treasurer', '/validator'],
  ...['/program', '/analyst', '/sheets', '/operator'],
];

/** DuckDB's extension for URLs comes as a package, since nothing is fetched in a test. */
const WITH_URLS = `
import glob, os, duckdb, duckdb_extension_httpfs
for file in glob.glob(os.path.dirname(duckdb_extension_httpfs.__file__) + '/**/*.duckdb_extension', recursive=True):
    duckdb.execute(f"load '{file}'")
`;

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** The examples of a guide in one language, about a wallet and a validator of this server. */
async function examples(guide: string, language: string): Promise<string[]> {
  const markdown = await (await fetch(`${server.base}/docs${guide}.md`)).text();
  const own = markdown
    .replaceAll('https://tax.example', server.base)
    .replaceAll(PARAMETERS.single_address.example, WALLETS.busy)
    .replaceAll(PARAMETERS.validator.example, OPERATORS.alpha);
  return [...own.matchAll(/^```(\w+)\n(.*?)^```/gms)].filter(([, of]) => of === language).map(([, , code]) => code!);
}

/** Runs a program with a text as its input. @returns what it said */
async function run(program: string, words: readonly string[], input: string): Promise<string> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0, `${input}\n${said}`);
  return said;
}

describe('the examples of the guides', () => {
  for (const curl of programs('curl')) {
    test('in curl are answered', async () => {
      let count = 0;
      for (const guide of GUIDES) {
        for (const example of await examples(guide, 'sh')) {
          const said = await run(
            'sh',
            ['-c', example.replaceAll('curl ', `${curl} --silent --show-error --fail `)],
            '',
          );
          assert.ok(said.length > 50, example);
          count++;
        }
      }
      assert.ok(count >= 7);
    });
  }

  test('in TypeScript run', async () => {
    let count = 0;
    for (const guide of GUIDES) {
      for (const example of await examples(guide, 'ts')) {
        const { code } = transformSync(example, { loader: 'ts', format: 'esm' });
        await run(process.execPath, ['--input-type=module'], code);
        count++;
      }
    }
    assert.ok(count >= 5);
  });

  test('for spreadsheets are answered as CSV', async () => {
    const markdown = await (await fetch(`${server.base}/docs/sheets.md`)).text();
    const addresses = [...markdown.matchAll(/https:\/\/tax\.example(\/api\/[^"`]*format=csv)/g)].map(
      ([, path]) => path!,
    );
    for (const path of addresses) {
      const answer = await fetch(server.base + path);
      const text = await answer.text();
      assert.deepEqual(
        [answer.status, answer.headers.get('content-type')?.split(';')[0]],
        [200, 'text/csv'],
        path + text,
      );
      assert.match(text, /^[\w,]+\r\n/, path);
      if (path.includes('price-series')) assert.match(text, /^date,usd,/);
    }
    assert.equal(addresses.length, 8);
  });

  for (const python of programs('python')) {
    test('in Python run', async () => {
      let count = 0;
      for (const guide of GUIDES) {
        for (const example of await examples(guide, 'python')) {
          if (example.includes('duckdb')) continue; // beside the published tables, with the programs that read these
          await run(python, ['-'], example);
          count++;
        }
      }
      assert.ok(count >= 4);
    });
  }

  for (const python of programs('analysts')) {
    test('with DuckDB run', async () => {
      const [example] = await examples('/analyst', 'python');
      assert.match(await run(python, ['-'], WITH_URLS + example!), /mean/);
      const query = (await examples('/analyst', 'sql')).find((sql) => sql.includes('read_csv'));
      assert.match(await run(python, ['-'], `${WITH_URLS}duckdb.sql(${JSON.stringify(query)}).show()`), /found/);
    });
  }
});
