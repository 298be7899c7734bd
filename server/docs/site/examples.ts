/**
 * Returns wallet, validator and year for the examples in the guides. They come from the current dataset, so that copied
 * requests work.
 */
import { operatorAccount } from '../../../pipeline/holdings/modules/validator.js';
import type { Dataset } from '../../tax/dataset/dataset.js';
import type { Datasets } from '../../tax/dataset/dataset-holder.js';
import { exampleWallet } from '../../tax/dataset/example-wallet.js';
import { PARAMETERS } from '../../tax/parameters/parameter-schemas.js';

export interface Examples {
  readonly address: string;
  readonly validator: string;
  readonly year: string;
}

const BUNDLED: Examples = {
  address: PARAMETERS.single_address.example,
  validator: PARAMETERS.validator.example,
  year: '2026',
};

export function followExamples(datasets: Datasets, sample: boolean): () => Examples {
  let [generation, examples] = ['', BUNDLED];
  return () => {
    const lease = datasets.lease();
    if (!lease) return BUNDLED;
    try {
      const { dataset } = lease;
      if (dataset.generation !== generation) [generation, examples] = [dataset.generation, examplesOf(dataset, sample)];
      return examples;
    } finally {
      lease.release();
    }
  };
}

function examplesOf(dataset: Dataset, sample: boolean): Examples {
  const [tracked] = dataset.manifest.own_wallets ?? [];
  const found = tracked ?? exampleWallet(dataset, sample);
  const address = dataset.rows(BUNDLED.address) > 0 ? BUNDLED.address : found?.address;
  const operators = [...dataset.validators().keys()];
  const validator =
    operators.find((operator) => operator === BUNDLED.validator) ??
    operators.find((operator) => operatorAccount(operator) === address) ??
    operators[0];
  return {
    address: address ?? BUNDLED.address,
    validator: validator ?? BUNDLED.validator,
    year: yearOf(dataset.indexEnd),
  };
}

/** Returns the last year with a complete January, because the examples request January. */
const yearOf = (indexEnd: string): string =>
  String(Number(indexEnd.slice(0, 4)) - (indexEnd.slice(5) < '01-31' ? 1 : 0));
