/** Exchange rates of the sample's bank file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import { ExchangeRates } from '../../pipeline/books/currencies/exchange-rates.js';
import { parseRates } from '../../pipeline/prices/rates-file.js';

export const BANK_FILE = readFileSync(join(projectRoot(), 'data/sample/eurofxref-hist.csv'), 'utf8');

/** @param text a file of the bank's form */
export const ratesOf = (text: string): ExchangeRates =>
  new ExchangeRates(parseRates(text, 'bank').map(({ day, currency, per_eur }) => [day, currency, per_eur]));

export const bankRates = ratesOf(BANK_FILE);
