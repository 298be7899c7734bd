/** Texts of strangers, as messages show them. */

/** The beginning of a text in quotes, as JSON writes it. @param most characters that are shown */
export const quoted = (text: string, most = 100): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);

/** Makes JSON one line without anything that a terminal obeys or that turns the order of characters round: JSON leaves much of it as it is. */
export const harmless = (json: string): string =>
  json.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
