/** Faults of a request's parameters and bodies, and the problems that tell them to the caller. */
import type { FieldError } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';
import type { ParameterName, Source } from './parameter-schemas.js';

/** A fault of a parameter; `path` is a JSON pointer below it. */
export interface ParameterFault {
  readonly name: ParameterName;
  readonly path: string;
  readonly message: string;
}

const { pointer: POINTER_MAX } = LIMITS.input;

/** Faults that the problem's detail names; all of them are in its errors. */
const TOLD_IN_DETAIL = 3;

/** The problem that tells a caller every fault, by the names the caller used. */
export function refusal(source: Source, faults: readonly ParameterFault[]): Problem {
  const errors = faults.map(({ name, path, message }) => ({ path: source.nameOf(name) + shortened(path), message }));
  const more = faults.length > TOLD_IN_DETAIL ? '; and more, see errors' : '';
  return new Problem(source.kind === 'body' ? 'validation_failed' : 'bad_request', detailOf(errors) + more, { errors });
}

/** The problem that tells what is wrong with the body of an action. */
export function invalidBody(faults: readonly FieldError[]): Problem {
  const errors = faults.map(({ path, message }) => ({ path: shortened(path), message }));
  return new Problem('validation_failed', detailOf(errors), { errors });
}

const shortened = (pointer: string) => pointer.slice(0, POINTER_MAX.max);

/** The first faults as words. */
const detailOf = (errors: readonly FieldError[]) =>
  errors
    .slice(0, TOLD_IN_DETAIL)
    .map(({ path, message }) => (path === '' ? `the body ${message}` : `${path}: ${message}`))
    .join('; ');
