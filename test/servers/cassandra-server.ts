/** Starts a Cassandra server: one node out of the jars that Maven brings, on loopback. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import cassandra from 'cassandra-driver';
import { ROOT } from '../../server/bundle.ts';
import { Failure } from '../../server/failure.ts';
import { freePort } from '../../server/ports.ts';
import { runServer, runToEnd, untilReady } from '../../server/server-process.ts';
import { downloaded } from './downloads.ts';

/** What a server is made and started with. */
interface CassandraOptions {
  /** Made; must not be there yet. */
  readonly folder: string;
  /** Lines of `cassandra.yaml` besides those of the template. */
  readonly settings?: { readonly [name: string]: string | number | boolean };
  /** Properties of the virtual machine, such as `cassandra.test.fail_writes_ks`. */
  readonly properties?: { readonly [name: string]: string };
}

/** A running server, on loopback only. */
export interface CassandraServer {
  /** As the superuser that Cassandra makes. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const VERSION = '5.0.9';
const RESOURCES = join(ROOT, 'test/servers/cassandra');
const READY_MAX_MS = 180_000;
/** Of the heap: enough for tests, little next to other servers. */
const HEAP = '512M';
/** The role that a new cluster has, and its password. Source: Cassandra's CassandraRoleManager. */
const ROLE = 'cassandra';
const LOGIN_EVERY_MS = 250;

/** A node that is a cluster by itself does not have to wait for others. */
const PROPERTIES = {
  'cassandra-foreground': 'yes',
  'cassandra.skip_wait_for_gossip_to_settle': '0',
  'cassandra.initial_token': '0',
  'cassandra.superuser_setup_delay_ms': '0',
  'cassandra.ring_delay_ms': '0',
  'cassandra.shutdown_announce_in_ms': '0',
  'cassandra.memtable_row_overhead_computation_step': '1000',
};

/**
 * Starts a server and waits until its role may enter.
 * @throws Failure when Java or the jars cannot be had, or it does not start
 */
export async function startCassandra(options: CassandraOptions): Promise<CassandraServer> {
  const jars = await downloaded(`cassandra-${VERSION}`, fetchJars);
  const { folder } = options;
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const port = await freePort('127.0.0.1');
  const configuration = join(folder, 'cassandra.yaml');
  await writeFile(configuration, await configured(options, port));
  const properties = {
    ...PROPERTIES,
    'java.io.tmpdir': temporary,
    'jna.tmpdir': temporary,
    'cassandra.storagedir': folder,
    'cassandra.logdir': folder,
    'cassandra.config': `file://${configuration}`,
    'logback.configurationFile': join(RESOURCES, 'logback.xml'),
    ...options.properties,
  };
  const server = await runServer('Cassandra', java(), [
    `@${join(RESOURCES, 'jvm.options')}`,
    `-Xms${HEAP}`,
    `-Xmx${HEAP}`,
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    '-cp',
    join(jars, '*'),
    'org.apache.cassandra.service.CassandraDaemon',
  ]);
  await untilReady('Cassandra', server, () => mayEnter(port), READY_MAX_MS);
  const url = `cassandra://${ROLE}:${ROLE}@127.0.0.1:${port}`;
  return { url, port, pid: server.pid, stop: server.stop };
}

async function configured({ settings = {} }: CassandraOptions, port: number): Promise<string> {
  const template = await readFile(join(RESOURCES, 'cassandra.yaml'), 'utf8');
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}\n`);
  return (
    template
      .replaceAll('@ADDR@', '127.0.0.1')
      .replaceAll('@PORT@', String(port))
      .replaceAll('@STORAGE_PORT@', String(await freePort('127.0.0.1'))) + lines.join('')
  );
}

/** The port opens before the role exists. */
async function mayEnter(port: number): Promise<boolean> {
  const client = new cassandra.Client({
    contactPoints: [`127.0.0.1:${port}`],
    localDataCenter: 'datacenter1',
    credentials: { username: ROLE, password: ROLE },
  });
  try {
    await client.connect();
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, LOGIN_EVERY_MS));
    return false;
  } finally {
    await client.shutdown().catch(() => {});
  }
}

function java(): string {
  const home = process.env.JAVA_HOME;
  return home ? join(home, 'bin/java') : 'java';
}

async function fetchJars(folder: string): Promise<void> {
  const args = ['-B', '-q', '-f', join(RESOURCES, 'pom.xml'), 'dependency:copy-dependencies'];
  try {
    await runToEnd('Fetching Cassandra', 'mvn', [
      ...args,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${folder}`,
    ]);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    const message = `${cause.message} It needs Maven and a JDK 17, and the jars of org.apache.cassandra:cassandra-all ${VERSION}.`;
    throw new Failure(message, { cause });
  }
}
