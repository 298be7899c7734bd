import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSchema } from '../../../pipeline/base/project.js';
import { LABELS } from '../../../pipeline/books/reports/event-row.js';
import { readConfig } from '../../../pipeline/config.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { AnyEndpoint } from '../../../server/api/endpoint.js';
import { TAX_API } from '../../../server/docs/apis.js';
import { openApiDocument } from '../../../server/docs/openapi.js';
import { withServiceEndpoints } from '../../../server/endpoints/all.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { PROBLEM_KINDS } from '../../../server/http/problem.js';
import { startServer, type TestServer } from '../harness.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { $ref: string }[];
  readonly security: readonly object[];
  readonly responses: Record<string, Response | { readonly $ref: string }>;
}

interface Response {
  readonly headers: Record<string, object>;
  readonly content?: Record<string, object>;
}

interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<'get' | 'post', Operation>>;
  components: {
    schemas: Record<string, object>;
    parameters: Record<string, { name: string; in: string; required: boolean }>;
    responses: Record<string, Response>;
  };
}

const TODAY = '2026-06-01';

let server: TestServer;
let document: Document;
let contractDocument: Document;
before(async () => {
  server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '1000' } });
  document = (await server.ask('/api/tax/v1/openapi.json')).json();
  contractDocument = (await server.ask('/api/v1/openapi.json')).json();
});
after(() => server.close());

const responseOf = (response: Response | { readonly $ref: string }): Response =>
  '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response;

test('the document says what it is', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, '1.1.0');
  assert.deepEqual(document.servers, [{ url: 'https://tax.example' }]);
});

test('it is the same, byte for byte, in every process', async (t) => {
  const other = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '1000' } });
  t.after(() => other.close());
  const [one, two] = [await server.ask('/api/tax/v1/openapi.json'), await other.ask('/api/tax/v1/openapi.json')];
  assert.equal(one.text, two.text);
  assert.equal(one.headers.get('etag'), two.headers.get('etag'));
});

test('the document is small enough for agents and generators, and llms.txt leads to it', async () => {
  const { text } = await server.ask('/api/tax/v1/openapi.json');
  assert.ok(Buffer.byteLength(text) <= 350_000, `${Buffer.byteLength(text)} bytes`);
  assert.match(
    (await server.ask('/llms.txt')).text,
    /^OpenAPI 3\.1: https:\/\/tax\.example\/api\/tax\/v1\/openapi\.json$/m,
  );
});

test('paths and routes are the same, both ways', () => {
  const routes = withServiceEndpoints(readConfig({}), endpoints);
  const paths = { ...document.paths, ...contractDocument.paths };
  const count = Object.keys(document.paths).length + Object.keys(contractDocument.paths).length;
  assert.deepEqual(Object.keys(paths).sort(), [...new Set(routes.map(({ path }) => path))].sort());
  assert.equal(Object.keys(paths).length, count, 'each path is in one document');
  const operations = Object.entries(paths).flatMap(([path, its]) => Object.keys(its).map((verb) => [verb, path]));
  const served = routes.flatMap(({ method, path, post }) => [
    [method.toLowerCase(), path],
    ...(post ? [['post', path]] : []),
  ]);
  assert.deepEqual(operations.sort(), served.sort());
});

test('the document reads no reviewed data that the server has already', () => {
  const config = readConfig({});
  const routes = withServiceEndpoints(config, endpoints).filter(TAX_API.covers);
  const reference = { ...loadReference(), triggers: [{ trigger: 'given', categories: [], description: '' }] };
  const made = openApiDocument({
    api: TAX_API,
    baseUrl: 'https://tax.example',
    limited: false,
    routes,
    reference,
    today: TODAY,
  });
  assert.match(JSON.stringify(made), /"x-extensible-enum":\["","given"\]/);
});

test('deprecated members of problems are described until the day of their removal', () => {
  const config = readConfig({});
  const routes = withServiceEndpoints(config, endpoints).filter(TAX_API.covers);
  const membersOn = (today: string): string[] => {
    const options = {
      api: TAX_API,
      baseUrl: 'https://tax.example',
      limited: false,
      routes,
      reference: loadReference(),
    };
    const made = openApiDocument({ ...options, today }) as Document;
    return Object.keys((made.components.schemas.Problem as { properties: object }).properties);
  };
  const [before, after] = [membersOn('2027-03-31'), membersOn('2027-04-01')];
  assert.deepEqual(
    before.filter((name) => !after.includes(name)),
    ['error', 'success'],
  );
  assert.ok(after.includes('detail'));
});

test('generators for Go can read it: no list of types, no type null, no names that differ by case or underscores', () => {
  const types: unknown[] = [];
  JSON.stringify([document, contractDocument], (name, value) => {
    if (name === 'type' && (Array.isArray(value) || value === 'null')) types.push(value);
    return name === 'example' || name === 'examples' ? undefined : value;
  });
  assert.deepEqual(types, []);
  for (const { components } of [document, contractDocument]) {
    const { examples: _none, headers: _neither, ...named } = components as unknown as Record<string, object>;
    const spelled = Object.values(named).flatMap((one) =>
      Object.keys(one).map((name) => name.replaceAll('_', '').toLowerCase()),
    );
    assert.deepEqual(spelled.length, new Set(spelled).size);
  }
});

test('every reference leads somewhere, every operation has a name of its own', () => {
  for (const one of [document, contractDocument]) assertSound(one);
  const ids = operationIds(document);
  assert.ok(ids.includes('priceSeries') && ids.includes('eventsByPost'));
  assert.deepEqual(operationIds(contractDocument), [
    'query',
    'queryByPost',
    'codes',
    'contractContractAddress',
    'openapiJson',
  ]);
});

const operationIds = ({ paths }: Document) =>
  Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));

function assertSound(document: Document): void {
  const resolve = (pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, pointer]) => pointer!);
  assert.ok(references.length > 20);
  for (const pointer of references) assert.ok(pointer.startsWith('#/') && resolve(pointer), pointer);
  const ids = operationIds(document);
  assert.equal(new Set(ids).size, ids.length);
}

test('limited paths describe their quota, and every refusal is a problem', () => {
  const { responses, parameters } = document.paths['/api/tax/v1/events']!.get;
  for (const status of [200, 304, 400, 429, 500, 503]) assert.ok(responses[status], String(status));
  for (const [status, response] of Object.entries(responses)) {
    const { headers, content } = responseOf(response);
    assert.ok('X-Request-Id' in headers && 'RateLimit' in headers && 'X-RateLimit-Reset' in headers);
    assert.equal('Retry-After' in headers, status === '429' || status === '503');
    if (Number(status) >= 400) assert.deepEqual(Object.keys(content ?? {}), ['application/problem+json']);
  }
  assert.ok(document.paths['/api/tax/v1/events']!.post.responses['422']);
  assert.equal(document.paths['/llms.txt']!.get.responses['429'], undefined);
  const address = document.components.parameters[parameters![0]!.$ref.split('/').at(-1)!];
  assert.deepEqual([address?.name, address?.required], ['address', true]);
});

const isOfDataset = ({ kind }: AnyEndpoint) => kind === 'dataset';

/** All objects of a JSON value, with their JSON pointers. */
function* objectsIn(value: unknown, pointer = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${pointer}/${name}`);
}

test('every schema says what it is, JSON is shown by an example, and integers have bounds', () => {
  for (const one of [document, contractDocument]) {
    const schemas = one.components.schemas as Record<string, { description?: string }>;
    /** Tells whether a schema is shown by an example of its own, of its members or of its parts. */
    const isShown = (name: string): boolean => {
      const text = JSON.stringify(schemas[name]);
      const parts = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, part]) => part!);
      return text.includes('"examples":') || parts.some((part) => part !== name && isShown(part));
    };
    for (const [name, { description }] of Object.entries(schemas)) assert.ok(description, name);
    for (const [pointer, { content }] of objectsIn(one.paths)) {
      const { schema, ...shown } = (content as Record<string, Record<string, object>>)?.['application/json'] ?? {};
      if (!schema || 'example' in shown || 'properties' in schema) continue;
      const { anyOf = [schema] } = schema as { anyOf?: object[] };
      for (const { $ref } of anyOf as { $ref: string }[]) {
        assert.ok(isShown($ref.split('/').at(-1)!), `${pointer}: ${$ref}`);
      }
    }
    for (const [pointer, { type, format, minimum, maximum }] of objectsIn(one)) {
      if (![type].flat().includes('integer') || /\/examples?\//.test(pointer)) continue;
      const missing = Object.entries({ format, minimum, maximum }).filter(([, value]) => value === undefined);
      assert.deepEqual(missing, [], pointer);
    }
  }
});

test('examples of answers from reviewed data alone are what is answered', async () => {
  for (const name of ['tags', 'methodology']) {
    const [example] = readSchema<{ examples: object[] }>(`responses/${name}.json`).examples;
    const answer = (await (await fetch(`${server.base}/api/tax/v1/${name}`)).json()) as object;
    const ofOperator = { corrections: undefined, starting_differences: undefined };
    assert.deepEqual({ ...example, ...ofOperator }, { ...answer, ...ofOperator }, name);
  }
});

test('an answer of the dataset has a member for ignored parameters; its CSV has a header for the coverage that JSON has', () => {
  for (const { path, csv, response } of withServiceEndpoints(readConfig({}), endpoints).filter(isOfDataset)) {
    const schema = readSchema<{ properties?: object }>(`responses/${response}.json`);
    assert.match(JSON.stringify(schema), /"ignored":\{"\$ref":"\/schemas\/responses\/ignored\.json"\}/, path);
    const { headers } = responseOf(document.paths[path]!.get.responses['200']!);
    const hasCoverage = csv === true && 'coverage' in (schema.properties ?? {});
    assert.equal('X-Coverage' in headers, hasCoverage, path);
  }
});

test('nothing of the house is in it', () => {
  assert.deepEqual(JSON.stringify(document).match(/tsType|"\/schemas\/|\$id/g), null);
});

test('llms.txt names every path, code and parameter', async () => {
  const { text, headers } = await server.ask('/llms.txt');
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  const { paths } = contractDocument;
  for (const path of Object.keys({ ...document.paths, ...paths })) assert.ok(text.includes(` ${path}\n`), path);
  for (const code of Object.keys(PROBLEM_KINDS)) assert.ok(text.includes(` ${code}: `), code);
  assert.ok(text.includes('https://tax.example/datasets/cosmoshub/manifest.json\n'));
  assert.match(text, /^root = "https:\/\/tax\.example\/datasets\/cosmoshub"\n.*^duckdb\.sql\(/ms);
  const { parameters } = contractDocument.components;
  for (const { name, in: place } of Object.values({ ...document.components.parameters, ...parameters }))
    if (place !== 'header') assert.ok(text.includes(`- ${name} (`), name);
  const examples = [...text.matchAll(/^Example: https:\/\/tax\.example((?!\/api\/v1\/)\S+)$/gm)].map(
    ([, path]) => path!,
  );
  const isPublicRead = (path: string) => !/^\/api\/(account\/|upgrades\/|tax\/v1\/(wasm\/|saved-[a-z/-]+$))/.test(path);
  assert.equal(examples.length, Object.keys(document.paths).filter(isPublicRead).length);
  for (const path of examples) {
    const status = path.includes('api_key=') ? 401 : 200; // an example is nobody's key
    assert.equal((await server.ask(path)).status, status, path);
  }
});

test('values that may become more are listed as the reviewed data has them, and every reference leads to a component', () => {
  const { categories, triggers } = loadReference();
  const text = JSON.stringify(document);
  const listed = (name: string) =>
    new RegExp(`"${name}":\\{[^{}]*"x-extensible-enum":(\\[[^\\]]*\\])`).exec(text)?.[1] ?? '[]';
  assert.deepEqual(
    JSON.parse(listed('category')),
    categories.map(({ category }) => category),
  );
  assert.deepEqual(JSON.parse(listed('categoryLabel')), [...new Set(categories.map(({ label }) => label))]);
  assert.deepEqual(JSON.parse(listed('label')), LABELS);
  assert.deepEqual(JSON.parse(listed('rewardTrigger')), ['', ...triggers.map(({ trigger }) => trigger)]);
  assert.deepEqual(JSON.parse(listed('ProblemCode')), Object.keys(PROBLEM_KINDS));
  // Generators of clients look for a schema nowhere else, and take a reference for the type that it is.
  const references = [...objectsIn(document)].filter(([, { $ref }]) => typeof $ref === 'string');
  for (const [pointer, { $ref, ...beside }] of references) {
    assert.match($ref as string, /^#\/components\/\w+\/[\w-]+$/, pointer);
    assert.deepEqual(
      Object.keys(beside).filter((name) => name !== 'description'),
      [],
      pointer,
    );
  }
  assert.ok(references.length > 100);
});

test('paths that are charged to nobody take no key, and refuse none', async () => {
  for (const path of ['/healthz', '/readyz', '/llms.txt']) {
    const { status } = await server.ask(path, { headers: { authorization: 'Bearer hl_unknown' } });
    assert.equal(status, 200, path);
    const { responses, security } = document.paths[path]!.get;
    assert.deepEqual([Object.keys(responses).includes('401'), security], [false, []], path);
  }
});
