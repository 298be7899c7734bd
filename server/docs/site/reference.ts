/** The page of every path, from the same list of endpoints as the OpenAPI documents. */
import type { Config } from '../../../pipeline/config.js';
import type { AnyEndpoint } from '../../endpoint.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../../parameters/parameters.js';
import { API_LIST } from '../apis.js';

export function referenceMarkdown(config: Config, routes: readonly AnyEndpoint[]): string {
  const parts = API_LIST.map((api) => {
    const covered = routes.filter(api.covers);
    return `## ${api.info.title}

${api.info.summary} As OpenAPI 3.1: [${api.document}](${api.document}) at \`${api.origin(config)}\`.

${covered.map(describe).join('\n')}`;
  });
  return `# Reference

Every path with its parameters. A parameter in **bold** is required. Where POST is named, the same parameters go as a JSON body, for
long ones; the body takes \`userTags\`, \`assetDecisions\`, \`openingLots\` and \`ownWallets\` as well.

${parts.join('\n\n')}`;
}

function describe(route: AnyEndpoint): string {
  const { method, path, summary, description, post, csv, caller } = route;
  const names = parametersOf(route);
  return `### ${method} ${path}

${summary}${description ? ` ${description}` : ''}

${[post ? 'Also as POST.' : '', csv ? 'JSON or CSV.' : '', caller ? 'Needs a session or a key.' : ''].filter(Boolean).join(' ')}

${names.length === 0 ? '' : table(names)}`;
}

const table = (names: readonly ParameterName[]): string => `| Parameter | Meaning | Example |
|---|---|---|
${names.map((key) => line(PARAMETERS[key])).join('\n')}
`;

const line = ({ name, required, description, example }: (typeof PARAMETERS)[ParameterName]): string =>
  `| ${required ? `**\`${name}\`**` : `\`${name}\``} | ${description} | ${example ? `\`${example.replaceAll('|', '\\|')}\`` : ''} |`;
