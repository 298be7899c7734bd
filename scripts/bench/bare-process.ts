/**
 * The smallest possible server, for comparison: Koa without middleware. It sends the same response to every request.
 */
import Koa from 'koa';
import { reportUsage } from './measured.js';
import { readStandIn } from './stand-in.js';

const { port, headers, gzip } = readStandIn();
const app = new Koa();
app.use((context) => {
  context.set(headers);
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  context.set('Content-Encoding', 'gzip');
  context.body = gzip;
});
reportUsage();
app.listen(port, '127.0.0.1');
