/** The page of the current methodology, from the reference data that the night uses. */
import type { Reference } from '../../../pipeline/reference.js';

export function methodologyMarkdown({ methodology, recognitionPolicy }: Reference): string {
  const { version, effective_date, sources, fallback_order, change_log } = methodology;
  return `# Methodology

Version ${version}, in force since ${effective_date}. As JSON: [/api/tax/v1/methodology](/api/tax/v1/methodology).

## What a price stands for

${methodology.timestamp_granularity}

## How it is computed

${methodology.aggregation_rule}

In this order:

${fallback_order.map((one, i) => `${i + 1}. ${one}`).join('\n')}

## Days without a price

${methodology.missing_price_handling}

## Rounding

${methodology.rounding}

## Sources

${sources.map((source) => `- ${source}`).join('\n')}

## When a reward is income

${recognitionPolicy.explanation}

## Versions

| Version | Since | Change |
|---|---|---|
${change_log.map((one) => `| ${one.version} | ${one.date} | ${one.change} |`).join('\n')}
`;
}
