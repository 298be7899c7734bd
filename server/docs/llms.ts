/** Generates /llms.txt, which explains the service to language models (llmstxt.org). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import { METHODS } from '../../pipeline/books/pools/index.js';
import { sentences, USUAL } from '../../pipeline/books/terms.js';
import type { Config } from '../../pipeline/config.js';
import type { Reference } from '../../pipeline/reference.js';
import type { AnyEndpoint } from '../api/endpoint.js';
import { QUOTAS } from '../api/quotas/quotas.js';
import { PROBLEM_KINDS } from '../http/problem.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../tax/parameters/parameter-schemas.js';
import { CONTRACT_API, TAX_API } from './apis.js';
import { conditionsOf, valuesOf } from './words.js';

/** Returns the first Python example of docs/datasets.md, which a test runs. */
function recipe(): string {
  const page = readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8');
  return /```python\n(.*?)```/s.exec(page)![1]!;
}

export function llmsText(
  { baseUrl, wasmUrl, rateLimit }: Config,
  routes: readonly AnyEndpoint[],
  { countries }: Pick<Reference, 'countries'>,
): string {
  const codes = Object.entries(PROBLEM_KINDS).map(
    ([code, { status, description }]) => `- ${status} ${code}: ${description}`,
  );
  return `# hubledger

> Tax records of the Cosmos Hub (chain id cosmoshub): taxable events, double-entry journal, open positions, daily holdings
> and ${USUAL.currency.code} reference prices, computed from the chain's blocks to the last base unit. Tax data is public and needs no credentials. Records for
> tax preparation, not tax advice.

Base URL: ${baseUrl}
OpenAPI 3.1: ${baseUrl}/api/tax/v1/openapi.json

## Conventions

- Dates are UTC. start and end are inclusive days, YYYY-MM-DD.
- Amounts are exact decimals of the displayed unit (ATOM, not uatom); journal, positions and summary give them as strings.
- ${sentences(USUAL).lots} Several addresses: separated by commas.
- The index has a first day; coins acquired before it have no lots and an unknown basis. The member coverage gives the days
  that an answer is based on.
- 409 asset_decisions_required: list the flagged receipts at asset-review and decide each in asset_decisions, keyed by record_id.
- 503 holdings_incomplete: balances are known from first_proved_day to last_proved_day; ask for a day between them.
- 503 replay_in_progress: wallets are being recomputed under new rules or prices; retry after Retry-After.
- Errors are application/problem+json: branch on "code", show "detail", wait "retry_after" seconds if it is present.
- ${rateLimit === 0 ? 'Requests are not limited.' : `At most ${rateLimit} requests per minute and client, unless your API key has another limit; see the RateLimit headers and Retry-After.`}
- Send If-None-Match with the ETag of an answer that you have: if it is unchanged, you get a 304 without a body.
- Members may be added at any time: ignore those you do not know.

## Endpoints

${routes
  .filter(TAX_API.covers)
  .map((route) => describe(route, baseUrl))
  .join('\n\n')}

## Tax years

${taxYears(countries)}

## Datasets

${datasets(baseUrl)}

## Contract queries

Base URL: ${wasmUrl}
OpenAPI 3.1: ${wasmUrl}${CONTRACT_API.document}

- CosmWasm, read-only, without credentials. X-Block-Height is the block whose state answered.
- 422 validation_failed without errors: the contract refused the query; detail has its message.
${rateLimit === 0 ? '' : `- At most ${QUOTAS.contract} requests per minute and client.\n`}
${routes
  .filter(CONTRACT_API.covers)
  .map((route) => describe(route, wasmUrl))
  .join('\n\n')}

## Problem codes

${codes.join('\n')}
`;
}

/** Says how programs read the tables. */
const datasets = (
  baseUrl: string,
): string => `- All tables behind the answers are Parquet files, for questions about many wallets:
  ${baseUrl}/datasets/cosmoshub/manifest.json
- The manifest has "tables", each with "name", "description", "columns" (name, type, description) and "files" (path,
  relative to the manifest; rows; sha256). Amounts are base units; ${baseUrl}/datasets/cosmoshub/<table> is a page with an example.
- DuckDB reads all of them by one statement: attach '${baseUrl}/datasets/catalog.duckdb' as hub (read_only). Views have
  comments, and ready queries such as hub.fees_by_month are there too.
- A day without a price is a row of prices with found = false.
- Guide: ${baseUrl}/docs/analyst
- Recipe for Python; duckdb reads only the parts of the files that it needs:

\`\`\`python
${recipe().replace('http://localhost:8080', baseUrl)}\`\`\``;

/** Lists the countries and methods of tax years. */
function taxYears(countries: Reference['countries']): string {
  const lines = countries.map(({ country, name, review, currency, method, income }) => {
    const facts = `${currency}, method ${method}, income ${income}`;
    return `- ${country}: ${name}; ${facts}${review === 'draft' ? '; draft' : ''}`;
  });
  return `- /api/tax/v1/tax-year counts a year by the rules of a country, in its currency and time zone. A draft was not confirmed by a
  professional.
${lines.join('\n')}
- Methods: ${METHODS.map(({ name, term }) => `${name} (${term})`).join('; ')}`;
}

function describe(route: AnyEndpoint, baseUrl: string): string {
  const { method, path, post, summary, description } = route;
  const parameters = parametersOf(route);
  const lines = [
    `### ${method}${post ? ', POST' : ''} ${path}`,
    '',
    description ? `${summary} ${description}` : summary,
    ...conditionsOf(route).flatMap((condition) => ['', condition]),
  ];
  if (parameters.length > 0) lines.push('', ...parameters.map(describeParameter));
  if (route.access === 'same-origin') return lines.join('\n');
  return [...lines, '', `Example: ${baseUrl}${examplePath(path)}${exampleQuery(parameters)}`].join('\n');
}

function describeParameter(key: ParameterName): string {
  const { name, required, description } = PARAMETERS[key];
  const facts = [required ? 'required' : 'optional', ...valuesOf(PARAMETERS[key])];
  return `- ${name} (${facts.join('; ')}): ${description}`;
}

function exampleQuery(parameters: readonly ParameterName[]): string {
  const required = parameters.map((name) => PARAMETERS[name]).filter((one) => one.isInExamples && one.in === 'query');
  const pairs = required.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const examplePath = (path: string) => path.replace(/\{(\w+)\}/, (_, name: ParameterName) => PARAMETERS[name].example);
