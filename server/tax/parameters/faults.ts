import type { FieldError } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import type { ParameterName, Source } from './parameter-schemas.js';

/** An error in a parameter. `path` is a JSON pointer into the parameter's value. */
export interface ParameterFault {
  readonly name: ParameterName;
  readonly path: string;
  readonly message: string;
}

const { pointer: POINTER_MAX } = LIMITS.input;

/** Maximum number of errors in the text `detail`. The list `errors` contains all errors. */
const ERRORS_IN_DETAIL = 3;

export function refusal(source: Source, faults: readonly ParameterFault[]): Problem {
  const errors = faults.map(({ name, path, message }) => ({ path: source.nameOf(name) + shortened(path), message }));
  const more = faults.length > ERRORS_IN_DETAIL ? '; and more, see errors' : '';
  return new Problem(source.kind === 'body' ? 'validation_failed' : 'bad_request', detailOf(errors) + more, { errors });
}

export function invalidBody(faults: readonly FieldError[]): Problem {
  const errors = faults.map(({ path, message }) => ({ path: shortened(path), message }));
  return new Problem('validation_failed', detailOf(errors), { errors });
}

const shortened = (pointer: string) => pointer.slice(0, POINTER_MAX.max);

const detailOf = (errors: readonly FieldError[]) =>
  errors
    .slice(0, ERRORS_IN_DETAIL)
    .map(({ path, message }) => (path === '' ? `the body ${message}` : `${path}: ${message}`))
    .join('; ');
