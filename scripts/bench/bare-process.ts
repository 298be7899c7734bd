/** A bare Koa application that answers everything with the bytes of a file: <file> <port> <headers as JSON>. */
import { readFileSync } from 'node:fs';
import Koa from 'koa';
import { reportUsage } from './measured.js';

const [file, port, headers] = process.argv.slice(2) as [string, string, string];
const body = readFileSync(file);
const fields: Record<string, string> = JSON.parse(headers);
const app = new Koa();
app.use((context) => {
  context.set(fields);
  context.body = body;
});
reportUsage();
app.listen(Number(port), '127.0.0.1');
