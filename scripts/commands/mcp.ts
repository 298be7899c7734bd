/**
 * `hubledger mcp`: answers tool calls of AI assistants by the Model Context Protocol on standard input and output. A
 * server of its own on a loopback port answers from the local dataset.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Command, InvalidArgumentError } from 'commander';
import { type Logger, pino } from 'pino';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { endSignal } from '../../pipeline/base/disk/end-signal.js';
import { VERSION } from '../../pipeline/base/project.js';
import { type Config, readConfig } from '../../pipeline/config.js';
import { generationDir, publishedGeneration, readManifest } from '../../pipeline/publish/generation.js';
import { loadReference } from '../../pipeline/reference.js';
import { withServiceEndpoints } from '../../server/endpoints/all.js';
import { endpoints } from '../../server/endpoints/index.js';
import { listen, type RunningServer } from '../../server/listen.js';
import { Store } from '../../server/people/store/store.js';
import { Datasets } from '../../server/tax/dataset/dataset-holder.js';
import { PublishedDataset } from '../explain/dataset.js';
import { LIMITS, QueryFault, runQuery } from '../mcp/query.js';
import { NOTICE, stranger } from '../mcp/strangers.js';
import { apiTools, checkArguments, resultOf, schemaOf, type Tool, ToolFault } from '../mcp/tools.js';
import { explainRow } from './explain.js';
import { prepareIndex } from './serve.js';

const INSTRUCTIONS =
  'Tax records of the Cosmos Hub. All tools only read. Amounts are exact, and null is unknown, never zero. Name the source of figures: ' +
  `generation and methodology version. Nothing here is tax advice. ${NOTICE}`;

/** Starts the API on a free loopback port, without quotas. */
function serveLocally(config: Config, log: Logger): Promise<RunningServer> {
  const local: Config = {
    ...config,
    ...{ host: '127.0.0.1', port: 0, metricsPort: undefined, trustedHops: 0, rateLimit: 0, redisUrl: undefined },
  };
  const datasets = new Datasets({ dataDir: local.dataDir, reference: loadReference(), log, follower: undefined });
  const store = new Store(local, log); // never opened, because no request has credentials
  return listen({ config: local, datasets, store, endpoints: withServiceEndpoints(local, endpoints), log });
}

/** @throws ConfigError if the generation has no catalog, because an earlier version published it */
function openTables(dataDir: string) {
  const generation = publishedGeneration(dataDir);
  const folder = generationDir(dataDir, generation);
  const { methodology_version, catalog } = readManifest(folder);
  if (!catalog) throw new ConfigError(`${generation} has no catalog of its tables: run ./hubledger nightly first`);
  return { folder, source: { from: catalog.path, generation, methodology_version } };
}

const explainTool = (dataDir: string): Tool => ({
  name: 'explain',
  description:
    'Follows one row of a wallet from its block to its price, lots and journal entries. The tool events lists rows with their ids.',
  inputSchema: withText(schemaOf(['single_address']), 'row', 'Id of the row.'),
  async run({ address, row }) {
    const reference = loadReference();
    const dataset = await PublishedDataset.open(dataDir, reference);
    try {
      const rows = await dataset.rows(String(address));
      const { generation, methodology_version } = dataset.manifest;
      if (rows.length === 0) throw new ConfigError(`${address} has no rows in ${generation}`);
      const text = await explainRow(dataset, rows, String(row), reference);
      const source = { from: `./hubledger explain ${address} ${row}`, generation, methodology_version };
      return { source, answer: { explanation: stranger(text) } };
    } finally {
      dataset.close();
    }
  },
});

const { rows, bytes, seconds } = LIMITS;

const sqlTool = (dataDir: string): Tool => ({
  name: 'sql',
  description:
    `Runs one SELECT of DuckDB on the published tables: at most ${rows} rows, ${bytes} bytes and ${seconds} seconds. ` +
    'Amounts are base units: sum first, then divide by 10^decimals. Large numbers are texts. Find views by "select view_name, comment from duckdb_views() ' +
    "where database_name = 'hub' and not internal\", and columns by \"select column_name, data_type, comment from duckdb_columns() where table_name = 'priced_events'\".",
  inputSchema: withText(schemaOf([]), 'query', 'One SELECT, which may begin with WITH.'),
  async run({ query }, signal) {
    const { folder, source } = openTables(dataDir);
    return { source, answer: await runQuery(String(query), folder, signal) };
  },
});

function withText(schema: Tool['inputSchema'], name: string, description: string): Tool['inputSchema'] {
  const properties = { ...schema.properties, [name]: { type: 'string', description } };
  return { ...schema, properties, required: [...schema.required, name] };
}

function mcpServer(tools: readonly Tool[]): Server {
  const server = new Server(
    { name: 'hubledger', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      ...{ name, inputSchema, description: `${description} ${NOTICE}` },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const given = params.arguments ?? {};
    try {
      const tool = tools.find(({ name }) => name === params.name);
      if (!tool) throw new ToolFault(`there is no tool ${JSON.stringify(params.name)}`);
      checkArguments(tool, given);
      return resultOf(await tool.run(given, signal));
    } catch (error) {
      return refusal(error);
    }
  });
  return server;
}

/** Formats an error as the result of a tool call. A message of DuckDB may quote texts of strangers. */
function refusal(error: unknown) {
  const { message } = error as Error;
  const text =
    error instanceof QueryFault ? `DuckDB refuses the query: ${JSON.stringify(stranger(message))} ${NOTICE}` : message;
  return { content: [{ type: 'text' as const, text }], isError: true };
}

/** Answers tool calls until the client closes standard input or a signal arrives. */
async function answerCalls(tools: readonly Tool[]): Promise<void> {
  const closed = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const server = mcpServer(tools);
  await server.connect(new StdioServerTransport());
  await Promise.race([closed, endSignal()]);
  await server.close();
}

async function answerAssistants({ server: other }: { readonly server?: string }): Promise<void> {
  if (other !== undefined) return answerCalls(apiTools(other, true));
  const config = readConfig();
  publishedGeneration(config.dataDir); // refuses to start without a dataset
  await prepareIndex(config.dataDir);
  // Standard output belongs to the protocol.
  const log = pino({ level: 'warn', base: null }, pino.destination({ dest: 2, sync: true }));
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
  const api = await serveLocally(config, log);
  const { dataDir } = config;
  try {
    await answerCalls([...apiTools(`http://127.0.0.1:${api.port}`, false), explainTool(dataDir), sqlTool(dataDir)]);
  } finally {
    await api.close();
  }
}

function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new InvalidArgumentError('It must be an address like https://tax.example.');
  return url.href.replace(/\/$/, '');
}

export const examples = ['', '--server https://tax.example'];

export function declare(command: Command): void {
  command
    .option('--server <url>', 'ask another server instead of the local dataset; without explain and sql', serverUrl)
    .action((options) => answerAssistants(options).finally(() => setImmediate(() => process.exit())));
}
