import Bowser from 'bowser';

/** Bounds the time of the parser; no browser sends more. */
const USER_AGENT_MAX = 300;
const WORDS_MAX = 60;

/** Describes browser and system: `Firefox on Linux`, `Safari on iOS`; null if the browser is unknown. */
export function deviceOf(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, USER_AGENT_MAX));
  if (!browser.name) return null;
  return (os.name ? `${browser.name} on ${os.name}` : browser.name).slice(0, WORDS_MAX);
}
