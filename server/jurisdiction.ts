/** Where validators are at home, as they said in public. */

/** What is said of a validator without a public disclosure. */
export const UNDISCLOSED = 'undisclosed';
