/** The page of categories, reward triggers and tags, from the reference data that classification and the ledger read. */
import type { Reference } from '../../../pipeline/reference.js';

export function categoriesMarkdown({ categories, triggers, tags }: Reference): string {
  const rows = categories.map(
    ({ category, groups, label, taxable, description }) =>
      `| \`${category}\` | ${label} | ${groups.join(', ') || 'all'} | ${taxable ? 'yes' : 'no, a record only'} | ${description} |`,
  );
  return `# Categories and tags

A row of \`/events\` has one category, which says what happened. What it means for taxes follows from the category, unless its owner
tags the row or decides otherwise.

## Categories

| Category | Label | Type | Taxable | Meaning |
|---|---|---|---|---|
${rows.join('\n')}

## Why a reward was paid {#triggers}

| Trigger | Meaning |
|---|---|
${triggers.map(({ trigger, description }) => `| \`${trigger}\` | ${description} |`).join('\n')}

## Tags

A tag is put on a row's \`id\`, a transaction, or one coin of a transaction. It is never stored.

| Tag | Label | Fits | What it does |
|---|---|---|---|
${tags.map((tag) => `| \`${tag.tag}\` | ${tag.label} | ${sidesOf(tag)} | ${tag.treatment} |`).join('\n')}
`;
}

const sidesOf = (tag: { readonly in?: object; readonly out?: object }): string =>
  [...(tag.in ? ['received'] : []), ...(tag.out ? ['sent'] : [])].join(', ');
