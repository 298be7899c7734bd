import { UNDISCLOSED } from '../../pipeline/reference.js';
import type { Disclosure, JurisdictionEntry } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';

export const jurisdictions = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/validators/jurisdictions',
  summary: 'Countries that validators disclosed, with the public source of each.',
  description:
    'A validator without a public disclosure is not listed and counts as undisclosed. ' +
    'Only the validator’s own statement counts, not the location of a server.',
  parameters: ['chain'],
  response: 'jurisdictions',
  policy: 'tax',
  handle({ dataset }): Answer {
    const { basis, jurisdictions: disclosures } = dataset.reference.jurisdictions;
    const onChain = [...dataset.validators()].flatMap(([operator, { onChain }]) => (onChain ? [operator] : []));
    return {
      json: {
        basis,
        validators_on_chain: onChain.length,
        validators_disclosed: onChain.filter((operator) => dataset.reference.countryOf(operator) !== UNDISCLOSED)
          .length,
        undisclosed_label: UNDISCLOSED,
        jurisdictions: disclosures.map((disclosure) => entryOf(disclosure, dataset)),
      },
    };
  },
  /** Throws a Problem if the dataset has no starting state, because the set of validators is then unknown. */
  admit({ dataset }): void {
    if (dataset.days().length > 0) return;
    throw new Problem(
      'unavailable',
      'this dataset was made without a starting state of the chain: its validators are unknown, and retrying ' +
        'does not help',
      { lasting: true },
    );
  },
} satisfies Endpoint;

/** Adds the validator's current moniker to a disclosure. */
function entryOf(disclosure: Disclosure, dataset: Dataset): JurisdictionEntry {
  const known = (disclosure.operator_addresses ?? []).flatMap((operator) => dataset.validators().get(operator) ?? []);
  const moniker = known.find(({ moniker }) => moniker !== '')?.moniker ?? disclosure.moniker;
  return { ...disclosure, moniker, on_chain: known.some(({ onChain }) => onChain) };
}
