import { awaken } from './awaken.js';
import { bittytax } from './bittytax.js';
import { coinledger } from './coinledger.js';
import { cointracker } from './cointracker.js';
import { cointracking } from './cointracking.js';
import { cryptio } from './cryptio.js';
import type { Importer } from './importer.js';
import { koinly } from './koinly.js';
import { taxbit } from './taxbit.js';
import { turbotax } from './turbotax.js';
import { zenledger } from './zenledger.js';

/** By value of the parameter `profile`, in documentation order. */
export const IMPORTERS = {
  koinly,
  cointracker,
  coinledger,
  zenledger,
  cointracking,
  awaken,
  turbotax,
  taxbit,
  cryptio,
  bittytax,
} satisfies Readonly<Record<string, Importer>>;
