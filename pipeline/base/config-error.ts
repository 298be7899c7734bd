/** An error that the operator can fix. It is printed as one line without a stack. */
export class ConfigError extends Error {}

export const isSystemFault = (error: unknown): error is Error =>
  error instanceof Error && ('syscall' in error || error.message.startsWith('IO Error: '));

/** The chain lacks a requested height or day. The run then does not count as failed. */
export class SpanError extends ConfigError {}

/** Another hubledger process holds what the command needs. Exit code 5. */
export class RunningError extends ConfigError {}

/** An unknown or invalid HUBLEDGER_ variable, or an invalid argument. Exit code 2. */
export class VariableError extends ConfigError {}
