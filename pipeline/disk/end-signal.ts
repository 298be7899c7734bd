/**
 * Waits for the signal that ends a program which runs until it is told: SIGTERM, SIGINT, or SIGHUP, which comes when its terminal is
 * closed and asks here for nothing else, since nothing has to be read anew. Called before anything shows that the program
 * runs: a signal that comes sooner would kill it, with its work half done.
 * @returns the signal's name
 */
export const endSignal = () =>
  new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(name, resolve);
  });
