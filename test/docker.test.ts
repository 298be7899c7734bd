/** The image and its services: what no container engine is needed to see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VARIABLES } from '../pipeline/variables.js';
import { files } from './source-files.js';

const text = (name: string) => files.find(({ path }) => path === name)!.text;

test('both stages have one version of Node.js, that of .nvmrc', () => {
  const versions = [...text('Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version);
  const version = text('.nvmrc').trim();
  assert.match(version, /^24\.\d+\.\d+$/);
  assert.deepEqual(versions, [version, version]);
});

test('.env.example explains every variable', () => {
  const names = new Set(text('.env.example').match(/HUBLEDGER_\w+/g));
  assert.deepEqual([...names].sort(), Object.keys(VARIABLES).sort());
});

test('every service runs under the same restrictions, and only the server has a health check', () => {
  const compose = text('compose.yaml');
  const services = compose
    .split('\nservices:\n')[1]!
    .split('\nvolumes:\n')[0]!
    .split(/\n(?= {2}\w+:\n)/);
  const told = services.map((service) => [
    /^ {2}(\w+):$/m.exec(service)![1],
    service.includes('<<: *hubledger'),
    service.includes('healthcheck:'),
  ]);
  assert.deepEqual(told, [
    ['night', true, false],
    ['server', true, true],
    ['schedule', true, false],
  ]);
  const [shared] = compose.split('\nservices:\n');
  for (const line of [
    'init: true',
    'read_only: true',
    'path: .env',
    'cap_drop:\n    - ALL',
    '- no-new-privileges:true',
  ]) {
    assert.ok(shared!.includes(line), line);
  }
  assert.doesNotMatch(text('Dockerfile'), /^HEALTHCHECK/m);
  assert.match(text('Dockerfile'), /^USER node$/m);
});
