/** The contract of the interface: answers are held against the OpenAPI document that the server itself serves. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Header {
  readonly required?: boolean;
  readonly schema: object;
}

interface Described {
  readonly headers?: Record<string, Header | { readonly $ref: string }>;
  readonly content?: Record<string, { schema: object }>;
  /** Codes that a refusal's problem may have. */
  readonly 'x-problem-codes'?: readonly string[];
}

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Described | { readonly $ref: string }> }>>;
  readonly components: { readonly headers: Record<string, Header>; readonly responses: Record<string, Described> };
}

export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Statuses that belong to no operation: no such path, no such method, a redirect, a preflight. */
const OUTSIDE = new Set([308, 405]);

/** Contracts by the text of their document, which most servers of a test file have in common: it takes longer to compile than to check. */
const known = new Map<string, Contract>();

export class Contract {
  private readonly ajv: Ajv2020;
  /** Compiled schemas by where they stand in the document. */
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: Document) {
    // Optimized code would take longer to make than it saves in the few answers of a test.
    this.ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
    formats.default(this.ajv);
    // Readers must expect more values; this server has none but those that it lists.
    this.ajv.addKeyword({
      keyword: 'x-extensible-enum',
      validate: (listed: string[], value: string) => listed.includes(value),
    });
    this.ajv.addSchema({ $id: 'openapi', ...document });
  }

  /** The contract of a document. @param text of the document, as it is served */
  static of(text: string): Contract {
    const contract = known.get(text) ?? new Contract(JSON.parse(text));
    known.set(text, contract);
    return contract;
  }

  /** Checks that status, content type, headers and body of an answer are as described; every error is a problem. */
  check(answer: Answered): void {
    const { method, path, status, headers, text } = answer;
    const at = `${method} ${path} ${status}`;
    assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{8,128}$/, at);
    if (status >= 400) this.checkProblem(answer, at);
    if (OUTSIDE.has(status) || method === 'OPTIONS') return;
    const template = this.templateOf(path);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = this.document.paths[template]?.[verb];
    // A request that Node's parser refuses has no path, and unknown paths are described nowhere.
    if (!operation) return void assert.ok(status >= 400, `${at}: described nowhere`);
    const response = operation.responses[status];
    assert.ok(response, `${at}: this status is not described`);
    const shared = '$ref' in response ? response.$ref.split('/').slice(1) : undefined;
    const described = '$ref' in response ? this.document.components.responses[shared!.at(-1)!]! : response;
    this.checkHeaders(described, headers, at);
    if (status >= 400 && text !== '')
      assert.ok(described['x-problem-codes']!.includes(JSON.parse(text).code), `${at}: ${text}`);
    if (method === 'HEAD' || !described.content) return void assert.equal(text, '', at);
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    const place = shared ?? ['paths', template, verb, 'responses', String(status)];
    const pointer = [...place, 'content', type, 'schema'];
    assert.ok(described.content?.[type], `${at}: ${type} is not described`);
    this.validate(pointer, type.endsWith('json') ? JSON.parse(text) : text, at);
  }

  /** The described path of a request: '/keys/7' → '/keys/{id}' where there is no path '/keys/7'. */
  private templateOf(path: string): string {
    if (path in this.document.paths) return path;
    const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
    return Object.keys(this.document.paths).find((template) => template.includes('{') && fits(template)) ?? path;
  }

  private checkProblem({ method, headers, text, status }: Answered, at: string): void {
    assert.equal(headers.get('content-type'), 'application/problem+json', at);
    assert.equal(headers.get('cache-control'), 'no-store', at);
    assert.equal(headers.get('etag'), null, at);
    if (method === 'HEAD') return;
    const problem = JSON.parse(text);
    this.validate(['components', 'schemas', 'Problem'], problem, at);
    assert.equal(problem.status, status, at);
    assert.equal(problem.request_id, headers.get('x-request-id'), at);
    // A 503 that does not pass by itself has the header without the member.
    const waiting = problem.retry_after ?? (status === 503 ? 3600 : null);
    assert.equal(headers.get('retry-after'), waiting && String(waiting), at);
    assert.equal(problem.type.split('#')[1], problem.code, at);
  }

  private checkHeaders(described: Described, headers: Headers, at: string): void {
    for (const [name, header] of Object.entries(described.headers ?? {})) {
      const { required, schema } =
        '$ref' in header ? this.document.components.headers[header.$ref.split('/').at(-1)!]! : header;
      const value = headers.get(name);
      if (required) assert.notEqual(value, null, `${at}: without ${name}`);
      if (value === null) continue;
      const isNumber = (schema as { type?: string }).type === 'integer';
      assert.ok(this.ajv.validate(schema, isNumber ? Number(value) : value), `${at}: ${name}: ${value}`);
    }
  }

  private validate(pointer: readonly string[], value: unknown, at: string): void {
    const fragment = pointer
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = this.compiled.get(fragment) ?? this.ajv.compile({ $ref: `openapi#/${fragment}` });
    this.compiled.set(fragment, validate);
    assert.ok(validate(value), `${at}: ${this.ajv.errorsText(validate.errors)}`);
  }
}
