/**
 * The neighbour of bench/workflows.ts: the same workflows by an open durable engine of npm on
 * PostgreSQL. It is copied to where that is installed, and run there.
 *
 * Arguments: URL of PostgreSQL, URL of Redis.
 */
import { createServer } from 'node:http';
// biome-ignore lint/correctness/noUndeclaredDependencies: installed where this runs
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createClient } from '@redis/client';

const [databaseUrl, redisUrl] = process.argv.slice(2);
const redis = createClient({ url: redisUrl });
await redis.connect();

const step = (name, work) => DBOS.runStep(async () => work(), { name });

async function pure({ n }) {
  const one = await step('one', () => ({ n: n + 1 }));
  const two = await step('two', () => ({ n: one.n + 1 }));
  return step('three', () => ({ n: two.n + 1 }));
}

async function overRedis({ key, value }) {
  await step('store', () => redis.sendCommand(['SET', key, value]));
  const loaded = await step('load', () => redis.sendCommand(['GET', key]));
  return { loaded, length: await step('measure', () => redis.sendCommand(['STRLEN', key])) };
}

const workflows = {
  pure: DBOS.registerWorkflow(pure, { name: 'pure' }),
  redis: DBOS.registerWorkflow(overRedis, { name: 'redis' }),
};
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: databaseUrl,
  runAdminServer: false,
  logLevel: 'error',
});
await DBOS.launch();

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const run = workflows[request.url.slice(1)];
  const text = JSON.stringify(await run(JSON.parse(Buffer.concat(pieces).toString())));
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) }).end(text);
});
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
