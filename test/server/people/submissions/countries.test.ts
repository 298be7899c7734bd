import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countriesIn } from '../../../../server/people/submissions/countries.js';

test('countries are known by their names and codes, and by nothing else', () => {
  const cases: [string, string[]][] = [
    ['We are a company in Germany.', ['DE']],
    ['based in switzerland, see https://example.org/FR/about', ['CH']],
    ['country: KR', ['KR']],
    ['Somewhere in the EU, it is nice', []],
    ['Germanyland, DEx, xDE', []],
    ['GUINEA-BISSAU or papua new guinea', ['GN', 'GW', 'PG']],
    ['Côte d’Ivoire, Åland Islands', ['AX', 'CI']],
    ['\u{1d400}Germany, Germany\u{1d400}, xGermany Germany', ['DE']],
    ['', []],
  ];
  for (const [text, codes] of cases) assert.deepEqual(countriesIn(text), codes, text);
});

test('no pattern is made for a text: five hundred of them take a quarter of a second', () => {
  const { RegExp: own } = globalThis;
  let made = 0;
  globalThis.RegExp = class extends own {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      made++;
    }
  } as RegExpConstructor;
  try {
    countriesIn('Germany');
  } finally {
    globalThis.RegExp = own;
  }
  assert.equal(made, 0);
});
