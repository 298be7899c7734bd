/** An error that the operator can fix; printed as one line without a stack. */
export class ConfigError extends Error {}

/** Recognizes system errors, such as a full disk, whose message needs no stack. */
export const isSystemFault = (error: unknown): error is Error =>
  error instanceof Error && ('syscall' in error || error.message.startsWith('IO Error: '));

/** A requested height or day that the chain does not have; does not count as a failed night. */
export class SpanError extends ConfigError {}

/** Another process of hubledger has what the command needs; exit code 5. */
export class RunningError extends ConfigError {}

/** An unknown or invalid HUBLEDGER_ variable or argument; exit code 2. */
export class VariableError extends ConfigError {}
