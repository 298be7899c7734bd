/** Moves to a heading of the page. The fragment of the URL names the wallets, and stays as it is. */
export function goTo(id: string): void {
  const title = document.getElementById(id);
  title?.scrollIntoView({ block: 'start' });
  title?.focus({ preventScroll: true });
}
