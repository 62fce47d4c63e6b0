/** `npm run fuzz`: what a generator makes of the OpenAPI document, sent to a gateway of its own. */
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds } from '../kinds/index.ts';
import { ROOT } from '../server/bundle.ts';
import { runScript } from '../server/failure.ts';
import { Shutdown, stopOnSignals } from '../server/shutdown.ts';
import { type OwnGateway, startGateway } from '../test/gateway.ts';
import { AttackerMaker, PASSWORD } from './fuzz/attacker.ts';
import { must, textAt } from './fuzz/calls.ts';
import { configuration } from './fuzz/configuration.ts';
import { startDatabases } from './fuzz/databases.ts';
import type { Exchange } from './fuzz/exchange.ts';
import { withoutKinds } from './fuzz/focus.ts';
import { installGenerator, runGenerator } from './fuzz/generator.ts';
import { secretsIn } from './fuzz/judge.ts';
import { type Operations, operationsOf } from './fuzz/operations.ts';
import { FUZZ_HELP, type FuzzOptions, readFuzzOptions } from './fuzz/options.ts';
import { argumentsOf, documentOf, nextPass } from './fuzz/passes.ts';
import { startProxy } from './fuzz/proxy.ts';
import { report } from './fuzz/report.ts';
import { Tally } from './fuzz/tally.ts';
import { makeVictim, newSecret } from './fuzz/victim.ts';
import { watcherOf } from './fuzz/watch.ts';

/** What a run leaves behind to look at. */
const RESULTS = join(ROOT, 'test-results/fuzz');
/** The kind that bodies are of for the most part. */
const SERVED = 'Postgres';
/** How often a run reports how far it is. */
const PROGRESS_MS = 30_000;
/** Of a body, so much is written down. */
const KEPT_BYTES = 2_048;

await runScript(async () => {
  const options = readFuzzOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(FUZZ_HELP);
  const shutdown = new Shutdown();
  stopOnSignals(shutdown);
  try {
    process.exitCode = await fuzz(options, shutdown);
  } finally {
    await shutdown.stop();
  }
});

async function fuzz({ requests, seed }: FuzzOptions, shutdown: Shutdown): Promise<0 | 1> {
  const python = await installGenerator();
  await rm(RESULTS, { recursive: true, force: true });
  await mkdir(RESULTS, { recursive: true });
  console.log(`Fuzzing with --requests ${requests} --seed ${seed}`);
  const started = performance.now();
  const scene = await setUp(shutdown);
  const { tally, operations } = scene;
  const found: string[] = [];
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${tally.requests} of ${requests} requests after ${seconds} s`);
  }, PROGRESS_MS);
  await shutdown.add(async () => clearInterval(progress));
  for (let index = 0; ; index += 1) {
    const sent = tally.requests;
    const pass = nextPass(index, {
      wanted: requests,
      sent,
      operations: operations.names.length,
      seed,
    });
    if (pass === undefined) break;
    const args = argumentsOf(pass, scene.proxy);
    const { code, output } = await runGenerator({
      python,
      folder: RESULTS,
      args,
      signal: scene.broken,
    });
    await writeFile(join(RESULTS, `generator-${index}.log`), output);
    if (code !== 0) found.push(output);
    // A generator that sends nothing would be asked for ever.
    if (tally.requests === sent) break;
  }
  const log = scene.gateway.output.stderr();
  await writeFile(join(RESULTS, 'gateway.log'), log);
  return report({
    tally,
    operations: operations.names,
    proxy: scene.proxy,
    generator: found,
    log,
    logged: secretsIn(log, scene.secrets),
    organizations: scene.attackers.made,
    seconds: (performance.now() - started) / 1000,
    repeat: `npm run fuzz -- --requests ${requests} --seed ${seed}`,
    results: RESULTS,
  });
}

interface Scene {
  readonly gateway: OwnGateway;
  readonly attackers: AttackerMaker;
  readonly operations: Operations;
  readonly tally: Tally;
  /** Address of the proxy. */
  readonly proxy: string;
  /** What the gateway may not log. */
  readonly secrets: readonly string[];
  /** Aborted when what is around the gateway fails. */
  readonly broken: AbortSignal;
}

/** Starts everything, makes both organizations, and writes the generator's configuration. */
async function setUp(shutdown: Shutdown): Promise<Scene> {
  const secret = newSecret();
  const databases = await startDatabases(secret);
  for (const server of databases.servers) await shutdown.add(() => server.stop());
  // No token ends during a long run.
  const gateway = await startGateway({ env: { JWT_LIFETIME_S: '86400' } });
  await shutdown.add(async () => void (await gateway.stop()));
  const victim = await makeVictim(gateway.url, secret, databases.victim);
  const attackers = new AttackerMaker(gateway.url, databases.attacker);
  const { token } = await attackers.current();
  const nodes = await must(gateway.url, 'GET', '/endpoints/shop/nodes', { token });
  const names = { victim, database: databases.attacker.postgres };
  await writeFile(join(RESULTS, 'schemathesis.toml'), configuration(names));
  const operations = operationsOf(JSON.parse(await writeDocuments(gateway.url)));
  const tally = new Tally();
  const broken = new AbortController();
  const exchanges = createWriteStream(join(RESULTS, 'exchanges.ndjson'));
  const proxy = await startProxy(
    gateway.url,
    watcherOf({
      gateway: gateway.url,
      attackers,
      node: textAt(nodes, 'data', 'nodes', 0, 'gateway_node_uuid'),
      known: { database: databases.attacker.postgres, marks: victim.marks },
      operations,
      tally,
      logged: () => gateway.output.stderr(),
      record: (operation, exchange) => exchanges.write(`${lineOf(operation, exchange)}\n`),
    }),
    (thrown) => broken.abort(thrown),
  );
  await shutdown.add(async () => {
    await proxy.stop();
    exchanges.end();
  });
  return {
    gateway,
    attackers,
    operations,
    tally,
    proxy: proxy.url,
    secrets: [PASSWORD, new URL(databases.attacker.postgres).password],
    broken: broken.signal,
  };
}

/** Writes what the generator reads; answers the whole description. */
async function writeDocuments(gateway: string): Promise<string> {
  const document = await (await fetch(`${gateway}/openapi.json`)).text();
  const others = Object.values(kinds).flatMap(({ label }) => (label === SERVED ? [] : [label]));
  await writeFile(join(RESULTS, documentOf({ kinds: 'all' })), document);
  await writeFile(join(RESULTS, documentOf({ kinds: 'served' })), withoutKinds(document, others));
  return document;
}

function lineOf(operation: string, { sent, answered, ms }: Exchange): string {
  return JSON.stringify({
    operation,
    target: sent.target,
    body: sent.body.toString().slice(0, KEPT_BYTES),
    status: answered?.status,
    ms: Math.round(ms),
    reply: answered?.body.toString().slice(0, KEPT_BYTES),
  });
}
