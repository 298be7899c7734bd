/** Paths of the API that the report asks. */
const TAX = '/api/tax/v1';

export const PATHS = {
  dataset: '/report/dataset.json',
  summary: `${TAX}/summary`,
  events: `${TAX}/events`,
  journal: `${TAX}/journal`,
  positions: `${TAX}/positions`,
  methodology: `${TAX}/methodology`,
  catalog: `${TAX}/catalog`,
  review: (addresses: readonly string[]) => `${TAX}/asset-review?address=${addresses.join(',')}`,
  holdings: (address: string) => `${TAX}/balances?address=${address}&history=true`,
  prices: (start: string, end: string) => `${TAX}/price-series?start=${start}&end=${end}`,
} as const;
