/**
 * Parameters of requests, wherever they stand: in the path, the query, or the JSON body that stands in place of a query.
 * They are described in schemas/parameters.json and read by the readers beside this file (decisions R1 to R7). All faults
 * of a request are found at once.
 */
import { refusal } from './faults.js';
import type { ParameterName } from './parameter-schemas.js';
import { READERS } from './readers.js';
import { type Given, type ParameterContext, Reading, type ValidParameters } from './reading.js';

export { refusal } from './faults.js';
export { PARAMETERS, type Parameter, type ParameterName, parametersOf } from './parameter-schemas.js';
export { canonical, type Given, type ParameterContext, type ValidParameters } from './reading.js';

/**
 * Reads and checks the parameters of a request; others than the named ones are ignored.
 * @throws Problem bad_request for a query, validation_failed for a body, with every fault in errors[]
 */
export function readParameters(
  names: readonly ParameterName[],
  given: Given,
  context: ParameterContext,
): ValidParameters {
  const reading = new Reading(given, context);
  for (const name of names) READERS[name](reading, name);
  if (reading.faults.length > 0) throw refusal(reading.source, reading.faults);
  return reading.values;
}
