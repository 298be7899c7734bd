/** An error that the operator can fix. It is printed as one line without a stack trace. */
export class ConfigError extends Error {}

export const isSystemFault = (error: unknown): error is Error =>
  error instanceof Error && ('syscall' in error || error.message.startsWith('IO Error: '));

/** Thrown if the chain does not have a requested height or day. The run is not recorded as failed. */
export class SpanError extends ConfigError {}

/** Thrown if another hubledger process holds a lock that the command needs. Exit code 5. */
export class RunningError extends ConfigError {}

/** Thrown for an unknown or invalid HUBLEDGER_ variable, or for an invalid argument. Exit code 2. */
export class VariableError extends ConfigError {}

/** Thrown if two results under the same key have different bytes. Exit code 4. */
export class DifferentPieces extends Error {}
