/** The tools of `hubledger mcp`: endpoints of the API with their own parameters, and two that read the dataset. */
import { toJson } from '../../pipeline/base/json/exact-json.js';
import type { AnyEndpoint } from '../../server/api/endpoint.js';
import { assetReview } from '../../server/endpoints/asset-review.js';
import { events } from '../../server/endpoints/events.js';
import { holdings } from '../../server/endpoints/holdings.js';
import { positions } from '../../server/endpoints/positions.js';
import { catalog } from '../../server/endpoints/reference.js';
import { summary } from '../../server/endpoints/summary.js';
import { taxYear } from '../../server/endpoints/tax-year.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../../server/tax/parameters/parameter-schemas.js';
import { marked, NOTICE } from './strangers.js';

const LIMITS = { bytes: 1_000_000, seconds: 120 } as const;

/** Where the figures of an answer come from. */
export interface Source {
  /** URL on another server; otherwise the path of the request, or the command. */
  readonly from: string;
  readonly generation: string | null;
  readonly methodology_version: string | null;
}

export interface ToolAnswer {
  readonly source: Source;
  readonly answer: unknown;
}

/** An error that a tool reports to the assistant. */
export class ToolFault extends Error {}

type Arguments = Readonly<Record<string, unknown>>;

interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  run(given: Arguments, signal: AbortSignal): Promise<ToolAnswer>;
}

/** Parameters about files. Tools answer in JSON. */
const ABOUT_FILES: ReadonlySet<ParameterName> = new Set([
  'format',
  'format_with_pdf',
  'bom',
  'profile',
  'opening',
  'section',
]);

const ENDPOINTS: readonly AnyEndpoint[] = [summary, events, positions, holdings, taxYear, assetReview, catalog([])];

/** @param server base URL of the server that answers; the source of an answer names it if `isRemote` */
export const apiTools = (server: string, isRemote: boolean): Tool[] =>
  ENDPOINTS.map((endpoint) => ({
    name: endpoint.path.split('/').at(-1)!,
    description: `${endpoint.summary} ${endpoint.description ?? ''}`.trimEnd(),
    inputSchema: schemaOf(parametersOf(endpoint).filter((name) => !ABOUT_FILES.has(name))),
    async run(given, signal) {
      const query = String(
        new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, textOf(value)])),
      );
      const path = `${endpoint.path}${query && '?'}${query}`;
      const { text, headers } = await ask(server + path, signal);
      const { generation = null } = JSON.parse(headers.get('X-Dataset') ?? '{}');
      const answer = marked(text) as Readonly<Record<string, unknown>>;
      const version = headers.get('X-Methodology-Version') ?? answer.methodology_version ?? null;
      const source = {
        from: isRemote ? server + path : path,
        generation,
        methodology_version: version as string | null,
      };
      return { source, answer };
    },
  }));

export function schemaOf(names: readonly ParameterName[]): InputSchema {
  const parameters = names.map((name) => PARAMETERS[name]);
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, example, schema }) => [
        name,
        { description, examples: [example], ...schema },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Returns a value as the text of a query. Assistants also send numbers, booleans and objects. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

async function ask(url: string, signal: AbortSignal): Promise<{ text: string; headers: Headers }> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.seconds * 1000)]);
  const response = await fetch(url, { headers: { Accept: 'application/json' }, signal: ended }).catch((error) => {
    throw new ToolFault(`the server does not answer: ${error.cause?.message ?? error.message}`);
  });
  const text = await readBounded(response);
  if (response.ok) return { text, headers: response.headers };
  throw new ToolFault(detailOf(text) ?? `the server answered with status ${response.status}`);
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > LIMITS.bytes)
      throw new ToolFault(`the answer is longer than ${LIMITS.bytes} bytes: ask for fewer addresses or a shorter time`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Returns the detail of a problem; undefined for other bodies. */
function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body);
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

/** Formats an answer as the result of a tool call. */
export function resultOf({ source, answer }: ToolAnswer) {
  const content = { source, notice: NOTICE, answer };
  return { content: [{ type: 'text' as const, text: toJson(content) }], structuredContent: content };
}

/** @throws ToolFault if arguments are unknown or missing; the API checks values */
export function checkArguments({ name, inputSchema }: Tool, given: Arguments): void {
  const allowed = Object.keys(inputSchema.properties);
  const unknown = Object.keys(given).find((argument) => !allowed.includes(argument));
  if (unknown !== undefined)
    throw new ToolFault(`${name} has no argument ${JSON.stringify(unknown)}; it has ${allowed.join(', ')}`);
  const missing = inputSchema.required.find((argument) => given[argument] === undefined);
  if (missing !== undefined) throw new ToolFault(`${name} needs the argument ${missing}`);
}
