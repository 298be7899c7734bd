/** A fault that an operator can mend: printed as one line, without a stack. */
export class ConfigError extends Error {}
