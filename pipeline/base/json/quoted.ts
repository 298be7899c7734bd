/** Quotes untrusted text for a message, after cutting it to `max` characters. */
export const quoted = (text: string, max = 100): string =>
  JSON.stringify(text.length > max ? `${text.slice(0, max)}…` : text);

/** Escapes control, format and line separator characters, because they could disturb a terminal. */
export const harmless = (json: string): string =>
  json.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
