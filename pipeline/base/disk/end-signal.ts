/**
 * Waits for SIGTERM, SIGINT or SIGHUP. Call it before the program reports that it runs: until then, a signal kills the
 * process.
 */
export const endSignal = () =>
  new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(name, resolve);
  });
