import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleVersion } from '../../../pipeline/chain/releases/go-mod.js';

const SDK = 'github.com/cosmos/cosmos-sdk';
const goMod = (...replaces: string[]) => `module github.com/cosmos/gaia/v28

go 1.25.0

require (
	cosmossdk.io/x/tx v0.14.0
	github.com/cosmos/cosmos-sdk v0.53.6 // the one that others require
	github.com/cosmos/cosmos-sdk/tools v1.0.0
)

exclude (
	github.com/cosmos/cosmos-sdk v0.1.0
)
${replaces.join('\n')}
`;

test('required, and replaced: by another version, for one version only, by a fork', () => {
  const cases: [expected: string | undefined, ...replaces: string[]][] = [
    ['v0.53.6'],
    ['v0.53.4', `replace ${SDK} => ${SDK} v0.53.4`],
    ['v0.53.4', 'replace (', `\t// pinned`, `\t${SDK} => ${SDK} v0.53.4 // see the issue`, ')'],
    ['v0.53.4', `replace ${SDK} v0.53.6 => ${SDK} v0.53.4`],
    ['v0.53.6', `replace ${SDK} v0.53.5 => ${SDK} v0.53.4`],
    ['v0.50.11-lsm', `replace ${SDK} => github.com/cosmos/fork v0.50.11-lsm`],
    ['v0.53.6', `replace ${SDK}/tools => ${SDK}/tools v9.9.9`],
    [undefined, `replace ${SDK} => ../cosmos-sdk`],
    ['v0.53.6', `// replace ${SDK} => ${SDK} v0.1.0`],
  ];
  for (const [expected, ...replaces] of cases) {
    assert.equal(moduleVersion(goMod(...replaces), SDK), expected, replaces.join(' '));
  }
});

test('a single require, CRLF, and a module that is not there', () => {
  assert.equal(moduleVersion(`require ${SDK} v0.45.1\r\nreplace a => b v1\r\n`, SDK), 'v0.45.1');
  assert.equal(moduleVersion(goMod(), 'github.com/none'), undefined);
  assert.equal(moduleVersion(`replace ${SDK} => ${SDK} v0.53.4`, SDK), undefined);
});
