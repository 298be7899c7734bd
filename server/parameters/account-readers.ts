/** Readers of the parameters of accounts: ids and secrets in paths, and what an OpenID provider sends back. */
import type { ParameterName } from './parameter-schemas.js';
import type { Reading } from './reading.js';

/** An id that nobody has is no fault of the request: the endpoint finds nothing by it. */
export function readId(reading: Reading, name: ParameterName): void {
  reading.values.id = reading.text(name) ?? '';
}

/** Checks that the parameter is given once at most. */
export function readAsSent(reading: Reading, name: ParameterName): void {
  reading.text(name);
}

export function readToken(reading: Reading, name: ParameterName): void {
  reading.values.token = reading.text(name) ?? '';
}

export function readState(reading: Reading, name: ParameterName): void {
  reading.values.state = reading.text(name) ?? '';
}
