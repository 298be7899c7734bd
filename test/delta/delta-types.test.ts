import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaField, deltaType } from '../../pipeline/delta/delta-types.js';

test('types of DuckDB as Delta Lake writes them', () => {
  assert.deepEqual(
    ['VARCHAR', 'BIGINT', 'DECIMAL(38,0)', 'TIMESTAMP WITH TIME ZONE', 'DATE', 'VARCHAR[]'].map(deltaType),
    [
      'string',
      'long',
      'decimal(38,0)',
      'timestamp',
      'date',
      { type: 'array', elementType: 'string', containsNull: true },
    ],
  );
  assert.deepEqual(deltaType('STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]'), {
    type: 'array',
    elementType: { type: 'struct', fields: [deltaField('denom', 'VARCHAR'), deltaField('ratio', 'DECIMAL(38,18)')] },
    containsNull: true,
  });
});

test('a type that Delta Lake does not have is refused by name', () => {
  assert.throws(() => deltaType('HUGEINT'), /Delta Lake has no type for HUGEINT/);
  assert.throws(() => deltaType('UBIGINT[]'), /UBIGINT/);
});
