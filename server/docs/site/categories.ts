/** The page of categories, reward triggers and tags, from reference data. */
import type { Reference } from '../../../pipeline/reference.js';

export function categoriesMarkdown({ categories, triggers, tags }: Reference): string {
  const rows = categories.map(
    ({ category, groups, label, taxable, description }) =>
      `| \`${category}\` | ${label} | ${groups.join(', ') || 'all'} | ${taxable ? 'yes' : 'no, record only'} | ${description} |`,
  );
  return `# Categories and tags

Each row of \`/events\` has one category: what happened. The category determines the tax treatment, unless you tag the row or
decide otherwise.

## Categories

| Category | Label | Type | Taxable | Meaning |
|---|---|---|---|---|
${rows.join('\n')}

## Why a reward was paid {#triggers}

| Trigger | Meaning |
|---|---|
${triggers.map(({ trigger, description }) => `| \`${trigger}\` | ${description} |`).join('\n')}

## Tags

You can tag a row's \`id\`, a transaction, or one coin of a transaction. Tags are part of the request and never stored.

| Tag | Label | Fits | What it does |
|---|---|---|---|
${tags.map((tag) => `| \`${tag.tag}\` | ${tag.label} | ${sidesOf(tag)} | ${tag.treatment} |`).join('\n')}
`;
}

const sidesOf = (tag: { readonly in?: object; readonly out?: object }): string =>
  [...(tag.in ? ['received'] : []), ...(tag.out ? ['sent'] : [])].join(', ');
