/** Waits for SIGTERM, SIGINT or SIGHUP. Before the first call, these signals kill the process. */
export const endSignal = () =>
  new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(name, resolve);
  });
