/** The page of files as Markdown: each layout that other programs read, as its module describes it. */
import type { CatalogFormat } from '../../../schemas/types.generated.js';

/** @param formats as the catalog lists them */
export function filesMarkdown(formats: readonly CatalogFormat[]): string {
  const layouts = (path: string) => formats.filter(({ profile, paths }) => profile !== '' && paths.includes(path));
  return [
    '# Files',
    'The [report](/) offers these files under “Download”. By request they are answers of `/api/tax/v1/events` or ' +
      '`/api/tax/v1/journal` with the name of the layout as `profile`.',
    '## For tax programs',
    ...layouts('/api/tax/v1/events').map(section),
    '## For returns and bookkeeping programs',
    ...layouts('/api/tax/v1/journal').map(section),
  ].join('\n\n');
}

/** Descriptions begin with the name as people know it: 'TurboTax, universal CSV: times in UTC'. */
function section({ profile, paths, description }: CatalogFormat): string {
  const [name = description] = description.split(/[,:]/, 1);
  return `### ${name}\n\n\`${paths.join('`, `')}\` with \`profile=${profile}\`. ${description}`;
}
