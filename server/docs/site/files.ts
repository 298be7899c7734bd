/** The page of export files, from the descriptions of their modules. */
import type { CatalogFormat } from '../../../schemas/types.generated.js';

export function filesMarkdown(formats: readonly CatalogFormat[]): string {
  const layouts = (path: string) => formats.filter(({ profile, paths }) => profile !== '' && paths.includes(path));
  return [
    '# Files',
    'The [report](/) offers these files under “Download”. API requests get them from `/api/tax/v1/events` or ' +
      '`/api/tax/v1/journal` with the name of the format as `profile`.',
    '## For tax programs',
    ...layouts('/api/tax/v1/events').map(section),
    '## For tax returns and bookkeeping programs',
    ...layouts('/api/tax/v1/journal').map(section),
  ].join('\n\n');
}

/** Descriptions begin with the common name: 'TurboTax, universal CSV: times in UTC'. */
function section({ profile, paths, description }: CatalogFormat): string {
  const [name = description] = description.split(/[,:]/, 1);
  return `### ${name}\n\n\`${paths.join('`, `')}\` with \`profile=${profile}\`. ${description}`;
}
