/** Scrolls to a heading. The URL's fragment holds the wallets, so it cannot be used as an anchor. */
export function goTo(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' });
  focusOn(id);
}

/** Moves the focus, so that the keyboard position is not lost when the focused element is removed. */
export function focusOn(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true });
}
