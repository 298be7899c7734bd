/** The page of all endpoints. */
import type { Config } from '../../../pipeline/config.js';
import type { AnyEndpoint } from '../../endpoint.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../../parameters/parameters.js';
import { API_LIST } from '../apis.js';
import { conditionsOf, valuesOf } from '../words.js';
import { slugOf } from './render.js';

export function referenceMarkdown(config: Config, routes: readonly AnyEndpoint[]): string {
  const parts = API_LIST.map((api) => {
    const covered = routes.filter(api.covers);
    return `## ${api.info.title}

${api.info.summary} As OpenAPI 3.1: [${api.document}](${api.document}) at \`${api.origin(config)}\`.

${covered.map(indexed).join('\n')}

${covered.map(describe).join('\n')}`;
  });
  return `# Reference

All paths with their parameters. Parameters in **bold** are required. If POST is listed, you can send the same parameters as a JSON
body, which has room for long values. The body also accepts \`userTags\`, \`assetDecisions\`, \`openingLots\` and \`ownWallets\`.

${parts.join('\n\n')}`;
}

/** The line of an endpoint in the list of its API. */
function indexed({ method, path, summary }: AnyEndpoint): string {
  const title = titleOf(method, path);
  return `- [\`${title}\`](#${slugOf(title)}): ${asWritten(summary)}`;
}

const titleOf = (method: string, path: string) => `${method} ${path}`;

function describe(route: AnyEndpoint): string {
  const { method, path, summary, description, post } = route;
  const names = parametersOf(route);
  const parts = [
    `### ${titleOf(method, path)}`,
    description ? `${summary} ${description}` : summary,
    [...(post ? ['Also as POST.'] : []), ...conditionsOf(route)].join(' '),
    names.length === 0 ? '' : table(names),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const table = (names: readonly ParameterName[]): string => `| Parameter | Meaning | Example |
|---|---|---|
${names.map((key) => line(PARAMETERS[key])).join('\n')}`;

function line(parameter: (typeof PARAMETERS)[ParameterName]): string {
  const { name, required, description, example } = parameter;
  const values = valuesOf(parameter).map((value) => ` ${value[0]!.toUpperCase()}${value.slice(1)}.`);
  return `| ${required ? `**\`${name}\`**` : `\`${name}\``} | ${asWritten(description + values.join(''))} | ${exampleOf(example)} |`;
}

/** Escapes placeholders such as <denom>. */
const asWritten = (text: string) => text.replaceAll('<', '\\<');

const exampleOf = (example: string) => (example ? `\`${example.replaceAll('|', '\\|')}\`` : '');
