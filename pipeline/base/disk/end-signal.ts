/** Waits for SIGTERM, SIGINT or SIGHUP. Call it before reporting that the program runs: an earlier signal kills it. */
export const endSignal = () =>
  new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(name, resolve);
  });
