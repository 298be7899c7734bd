/** Words for the first instants of tax years. */

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' });

/** Countries whose names have an article. */
const WITH_ARTICLE = ['GB', 'NL', 'US'];

const nameOf = (code: string): string => `${WITH_ARTICLE.includes(code) ? 'the ' : ''}${COUNTRIES.of(code) ?? code}`;

/** More countries than this are counted. */
const COUNTRIES_MAX = 3;

/** Hours by which the zones farthest ahead of UTC begin a day earlier. */
const HOURS_AHEAD = 14;

interface Edge {
  /** RFC 3339 in UTC. */
  readonly at: string;
  readonly countries: readonly string[];
}

/** Names an edge, such as 'first instant of the tax year 2027 in South Korea'. */
export function edgeWords({ at, countries }: Edge): string {
  if (countries.length === 0) return 'instant that the operator added';
  // A tax year that begins on 1 January may begin on 31 December in UTC.
  const year = new Date(Date.parse(at) + HOURS_AHEAD * 3_600_000).getUTCFullYear();
  const names = countries.slice(0, COUNTRIES_MAX).map(nameOf);
  const others = countries.length - names.length;
  const all = others > 0 ? [...names, `${others} more`] : names;
  const list = all.length === 1 ? all[0] : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
  return `first instant of the tax year ${year} in ${list}`;
}
