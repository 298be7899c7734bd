/** Reads go.mod of a Go program: the version of a module that it is built with. */

interface Lines {
  /** Lines of `require` and `replace`, also those in parentheses, without comments. */
  readonly require: readonly string[];
  readonly replace: readonly string[];
}

function linesOf(text: string): Lines {
  const lines = { require: [] as string[], replace: [] as string[] };
  let block: string[] | undefined;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\/\/.*$/, '').trim();
    const [, directive, rest] = /^(require|replace)\s+(.*)$/.exec(line) ?? [];
    if (directive) {
      const list = lines[directive as keyof Lines & ('require' | 'replace')];
      if (rest === '(') block = list;
      else list.push(rest!);
    } else if (line === ')') block = undefined;
    else if (/^\w+\s*\($/.test(line)) block = [];
    else if (line !== '') block?.push(line);
  }
  return lines;
}

/**
 * The version of a module after `replace`: `replace M [vA] => N vB` builds N at vB in M's place; with vA only where that version is
 * required.
 * @returns undefined where the module is not required, or a folder takes its place
 */
export function moduleVersion(goMod: string, module: string): string | undefined {
  const { require, replace } = linesOf(goMod);
  const required = require.map((line) => line.split(/\s+/)).find(([name]) => name === module)?.[1];
  for (const line of replace) {
    const [from = '', to = ''] = line.split(/\s*=>\s*/);
    const [name, only] = from.split(/\s+/);
    if (required === undefined || name !== module || (only !== undefined && only !== required)) continue;
    return to.split(/\s+/)[1];
  }
  return required;
}
