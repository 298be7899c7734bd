/** Moves to a heading of the page. The fragment of the URL names the wallets, and stays as it is. */
export function goTo(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' });
  focusOn(id);
}

/** Gives an element the focus where the one that had it goes: keys would else begin at the top of the page again. */
export function focusOn(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true });
}
