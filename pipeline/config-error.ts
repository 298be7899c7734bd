/** A fault that an operator can mend: printed as one line, without a stack. */
export class ConfigError extends Error {}

/** Tells a fault of the system, such as a full or read-only disk: its words say where, and no stack helps. */
export const isSystemFault = (error: unknown): error is Error =>
  error instanceof Error && ('syscall' in error || error.message.startsWith('IO Error: '));

/** A height or day asked of a night that the chain does not have: no night failed, since none could be meant. */
export class SpanError extends ConfigError {}

/** A HUBLEDGER_ variable that is unknown or has a wrong value: found before anything is started, and told by exit code 2. */
export class VariableError extends ConfigError {}
