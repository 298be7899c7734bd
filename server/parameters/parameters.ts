/**
 * Requests' parameters, from the query or a POST body, checked against what schemas/parameters.json says of them
 * (decisions R1 to R7). All faults of a request are found at once.
 */

import { refusal, type TaxParameterName } from './parameter-schemas.js';
import { READERS } from './readers.js';
import { type Given, type ParameterContext, Reading, type ValidParameters } from './reading.js';

export {
  PARAMETERS,
  type ParameterName,
  type ParameterSchema,
  refusal,
  type TaxParameterName,
} from './parameter-schemas.js';
export { canonical, type Given, type ParameterContext, type ValidParameters } from './reading.js';

/**
 * Reads and checks the parameters of a request; others than the named ones are ignored.
 * @throws Problem bad_request for a query, validation_failed for a body, with every fault in errors[]
 */
export function readParameters(
  names: readonly TaxParameterName[],
  given: Given,
  context: ParameterContext,
): ValidParameters {
  const reading = new Reading(given, context);
  for (const name of names) READERS[name](reading, name);
  if (reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  return reading.values;
}
