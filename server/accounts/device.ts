/** The device of a session, in words by which its owner knows it again. */
import Bowser from 'bowser';

/** Characters that are looked at: longer than any browser's, and short enough to be matched at once. */
const USER_AGENT_MAX = 300;
/** Characters of the words: a program may call itself as it likes. */
const WORDS_MAX = 60;

/**
 * Names browser and system.
 * @param userAgent the request header User-Agent
 * @returns `Firefox on Linux`, `Safari on iOS`; null where the browser is not recognised
 */
export function deviceOf(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, USER_AGENT_MAX));
  if (!browser.name) return null;
  return (os.name ? `${browser.name} on ${os.name}` : browser.name).slice(0, WORDS_MAX);
}
