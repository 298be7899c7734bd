/**
 * Waits for SIGTERM, SIGINT or SIGHUP and returns its name. SIGHUP also ends the program, because there is no
 * configuration to reload. Call this before reporting that the program runs: an earlier signal kills it.
 */
export const endSignal = () =>
  new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(name, resolve);
  });
