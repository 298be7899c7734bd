/**
 * Generates TypeScript types from schemas/. With --check it writes nothing, and exits with 1 if the generated file is
 * outdated. It is plain JavaScript, because it runs before the compiler.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { root } from './ensure-dependencies.mjs';

const HEADER = '// Generated from schemas/**/*.json by `npm run generate`. Do not edit.\n';

function readSchemas() {
  const folder = join(root, 'schemas');
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.json'));
  return new Map(
    files.sort().map((file) => [`/schemas/${file}`, JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
  );
}

/** Returns a single TypeScript module with the types of all schemas, because schemas refer to each other by `$id`. */
async function generateTypes() {
  const schemas = readSchemas();
  const all = {
    title: 'Schemas',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([...schemas.keys()].map((id) => [id, { $ref: id }])),
  };
  const code = await compile(all, 'Schemas', {
    bannerComment: '',
    unreachableDefinitions: true,
    format: false,
    $refOptions: {
      resolve: {
        file: false,
        http: false,
        schemas: {
          order: 1,
          canRead: true,
          read: ({ url }) => {
            const path = url.slice(url.indexOf('/schemas/')).replace(/#.*$/, '');
            const schema = schemas.get(path);
            if (!schema) throw new Error(`no schema ${path}`);
            return JSON.stringify(schema);
          },
        },
      },
    },
  });
  return `${HEADER}\n${code}`;
}

if (process.argv[1] === import.meta.filename) {
  const target = join(root, 'schemas/types.generated.ts');
  const code = await generateTypes();
  if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== code) {
      console.error(`${relative(root, target)} is stale: run npm run generate`);
      process.exit(1);
    }
  } else writeFileSync(target, code);
}
